"""Names of specs, which become names of results folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import write_spec

from nmfrepro.core.errors import SpecError
from nmfrepro.spec.files import spec_name
from nmfrepro.spec.reader import read_spec


@pytest.mark.parametrize("name", ["b-smoke", "b-Smoke"])
def test_no_spec_has_the_name_of_another_ones_smoke_run(tmp_path: Path, name: str) -> None:
    """Both would write into results/b-smoke, and its table would be called that of a smoke run."""
    assert read_spec(write_spec(tmp_path, name="b.yaml"), smoke=True).name == "b-smoke"
    with pytest.raises(
        SpecError, match=rf"{name}\.yaml: a name ending in -smoke is that of a run with --smoke"
    ):
        read_spec(write_spec(tmp_path, name=f"{name}.yaml"))
    assert spec_name(Path("b_smoke.yaml")) == "b_smoke"
