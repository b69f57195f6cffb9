"""Names of specs, which become names of results folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TEXT, write_spec

from nmfrepro.core.errors import SpecError
from nmfrepro.spec.columnlabels import without_settings
from nmfrepro.spec.files import spec_name
from nmfrepro.spec.reader import read_spec


@pytest.mark.parametrize("name", ["b-smoke", "b-Smoke"])
def test_no_spec_has_the_name_of_another_ones_smoke_run(tmp_path: Path, name: str) -> None:
    """Both would write into results/b-smoke, and its table would be called that of a smoke run."""
    assert read_spec(write_spec(tmp_path, name="b.yaml"), smoke=True).name == "b-smoke"
    with pytest.raises(SpecError, match=rf"{name}\.yaml: a name ending in -smoke is that of a smoke run"):
        read_spec(write_spec(tmp_path, name=f"{name}.yaml"))
    assert spec_name(Path("b_smoke.yaml")) == "b_smoke"


@pytest.mark.parametrize("name", ["NLCF (ours)", "NLCF (mu = 2)", "NLCF"])
def test_a_swept_method_is_called_as_the_spec_calls_it_whatever_brackets_it_has(
    tmp_path: Path, name: str
) -> None:
    swept = TEXT.replace("mu: 0.1}", f"as: {name}, mu: {{sweep: [0.5, 1]}}}}")
    columns = [entry for entry in read_spec(write_spec(tmp_path, swept)).entries if entry.sweep]
    assert [entry.label for entry in columns] == [f"{name} (mu = 0.5)", f"{name} (mu = 1)"]
    assert {without_settings(entry.label, entry.sweep) for entry in columns} == {name}
