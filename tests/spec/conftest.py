"""What tests of specs share: a valid spec of which parts are changed, read or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from specparts import write

from nmfrepro.core.errors import SpecError
from nmfrepro.spec import Spec
from nmfrepro.spec.reader import read_spec


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reads a changed spec as ``s.yaml``."""
    monkeypatch.chdir(tmp_path)

    def reader(overrides: tuple[str, ...] = (), smoke: bool = False, **changed: str | None) -> Spec:
        write(tmp_path, **changed)
        return read_spec("s.yaml", overrides, smoke)

    return reader


@pytest.fixture
def errors(read):
    """The lines of the error of a changed spec."""

    def reader(overrides: tuple[str, ...] = (), **changed: str | None) -> list[str]:
        with pytest.raises(SpecError) as caught:
            read(overrides, **changed)
        return str(caught.value).splitlines()

    return reader
