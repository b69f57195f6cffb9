"""Arrays that a run stores beside its rows: kept, asked for again, damaged, of another trial."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import COLUMNS, make_spec, run_quietly, trials_csv

from nmfrepro.core.errors import ResultsError
from nmfrepro.protocols.convergence import Convergence
from nmfrepro.results import folder as store
from nmfrepro.results.arrays import array_path, lacks_arrays, load_arrays
from nmfrepro.results.record import TrialRecord

here = pytest.mark.usefixtures("in_process")


@here
def test_keep_stores_arrays_and_asks_for_those_that_lack(tmp_path: Path) -> None:
    def computed(*keep: str) -> int:
        return run_quietly(make_spec(tmp_path, COLUMNS[:1], keep=keep), tmp_path).computed

    assert computed() == 3
    before = trials_csv(tmp_path)
    assert not (tmp_path / "tiny" / "arrays").exists()
    assert computed("labels") == 3
    assert computed("labels", "factors") == 3
    assert computed("factors") == computed("labels") == computed() == 0
    assert trials_csv(tmp_path) == before
    paths = sorted((tmp_path / "tiny" / "arrays").iterdir())
    assert set(load_arrays(paths[0])) == {"keep", "labels", "samples", "U", "V"}
    paths[0].write_bytes(paths[0].read_bytes()[:100])
    paths[1].unlink()
    with pytest.raises(ResultsError, match="cannot be read"):
        load_arrays(paths[0])
    assert computed("labels") == 2


@here
@pytest.mark.parametrize("damage", ["missing", "cut", "of another trial", "edited"])
def test_arrays_that_are_not_as_they_were_stored_are_refused_and_made_again(
    tmp_path: Path, damage: str
) -> None:
    spec = replace(make_spec(tmp_path, COLUMNS, metrics=("settled",)), protocol=Convergence(classes=(2,)))
    run_quietly(spec, tmp_path)
    before = trials_csv(tmp_path)
    first, second = sorted((tmp_path / "tiny" / "arrays").iterdir())
    whole, other = first.read_bytes(), second.read_bytes()
    if damage == "of another trial":
        second.write_bytes(whole)
    first.unlink()
    if damage != "missing":
        first.write_bytes({"cut": whole[:-30], "edited": whole + b"\0"}.get(damage, other))
    found = store.read(tmp_path / "tiny")
    with pytest.raises(ResultsError, match=r"npz: (cannot be|not as it was) .*run the spec again"):
        [found.arrays(trial) for trial in found.trials]
    assert run_quietly(spec, tmp_path).computed == (2 if damage == "of another trial" else 1)
    assert (first.read_bytes(), second.read_bytes(), trials_csv(tmp_path)) == (whole, other, before)


TRIAL = TrialRecord(key="a", coordinates={}, algorithm="nmf", label="NMF", status="ok")


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "version", "missing"])
def test_damaged_arrays_are_refused_by_name_and_made_again(tmp_path: Path, damage: str) -> None:
    path = array_path(tmp_path, "a")
    path.parent.mkdir()
    np.savez(path, keep=np.array(["labels"]), labels=np.arange(5))
    whole = path.read_bytes()
    assert not lacks_arrays(tmp_path, TRIAL, ["labels"])
    central = whole.index(b"PK\x01\x02")
    content = {
        "cut": whole[:-30],
        "text": b"<html>",
        "empty": b"",
        "version": whole[: central + 6] + b"\x40" + whole[central + 7 :],  # found by fuzzing: of a later zip
    }
    path.unlink()
    if damage in content:
        path.write_bytes(content[damage])
    with pytest.raises(ResultsError, match=r"a.npz: cannot be read .*run the spec again"):
        load_arrays(path)
    assert lacks_arrays(tmp_path, TRIAL, ["labels"])


@pytest.mark.parametrize("said", [{}, {"keep": "labels"}, {"keep": 3}])
def test_arrays_that_do_not_list_what_was_kept_are_made_again(tmp_path: Path, said: dict[str, Any]) -> None:
    """Files that another program wrote, where the line of times with their hash is gone."""
    path = array_path(tmp_path, "a")
    path.parent.mkdir()
    np.savez(path, labels=np.arange(5), **said)
    assert lacks_arrays(tmp_path, TRIAL, ["labels", "trace"])


def test_pickled_arrays_are_refused_and_run_nothing(tmp_path: Path) -> None:
    flag, path = tmp_path / "ran", array_path(tmp_path, "a")
    path.parent.mkdir()

    class Runs:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (flag,)

    np.savez(path, keep=np.array(["labels"]), labels=np.array([Runs()], dtype=object))
    with pytest.raises(ResultsError, match=r"a.npz: cannot be read .*run the spec again"):
        load_arrays(path)
    path.unlink()
    np.savez(path, keep=np.array([Runs()], dtype=object))
    assert lacks_arrays(tmp_path, TRIAL, ["labels"])
    assert not flag.exists()
