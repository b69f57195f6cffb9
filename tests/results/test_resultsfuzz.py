"""Results folders in any state of damage: read as they are, or refused in one line, never anything else.

What was read goes through everything that makes something of it: tables, rows, comparisons, verification.
"""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st
from tiny import entry, make_spec, run_here, run_quietly, unseal

from nmfrepro.analysis.compare import compare_runs
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import NmfreproError
from nmfrepro.protocols.recognition import Recognition
from nmfrepro.results import folder as store
from nmfrepro.results import lines as journal
from nmfrepro.results.arrays import load_arrays
from nmfrepro.runs.recorded import recorded_spec
from nmfrepro.spec import Spec
from nmfrepro.views.rows import listing
from nmfrepro.views.tables import latex, markdown, tidy_csv

FAST = fuzzed(60)
Content = dict[str, bytes]  # of a results folder's files, by name


def made(spec: Spec) -> Content:
    """The files of a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nmfrepro.runs.execute.run_trials", run_here)
        folder = unseal(run_quietly(spec, spec.path.parent).folder)
    return {name: (folder / name).read_bytes() for name in ("run.json", "trials.csv", "timings.csv")}


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> list[Content]:
    """Results of clustering, with a failed trial and notes, and of recognition with both classifiers."""
    first, second = (tmp_path_factory.mktemp("results") for _ in range(2))
    columns = [entry("nmf"), entry("nlcf", mu=0.1), entry("kmeans")]
    clustering = make_spec(first, columns, metrics=("accuracy", "nmi", "sparseness"))
    protocol = Recognition(train=(2, 3), dimensions=(1, 2), repeats=1, classifiers=("nn", "svm"))
    recognition = make_spec(second, [entry("nmf"), entry("pca")], metrics=("nn", "svm"))
    content = made(clustering)
    rows = list(csv.DictReader(io.StringIO(content["trials.csv"].decode())))
    rows[1] |= dict.fromkeys(["n_iter", "converged", "restart", "objective", "accuracy", "nmi"], "")
    rows[1] |= {"status": "failed", "error": "collapsed"}
    failed = {"trials.csv": journal.format_rows(list(rows[0]), rows).encode()}
    return [content | failed, made(replace(recognition, protocol=protocol))]


def outcome(content: Content) -> str:
    """Read a folder and make everything of it; why that is refused, or nothing."""
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        for name, data in content.items():
            (folder / name).write_bytes(data)
        try:
            results = store.read(folder)
            listing(results)
            table = make_table(results)
            for write in (markdown, tidy_csv, latex):
                write(table)
            compare_runs(results, results, "test")
            recorded_spec(results.run, folder)
        except NmfreproError as error:
            return str(error)
    return ""


def attempt(content: Content) -> None:
    """Whatever the content is, it is read or refused in one line."""
    said = outcome(content)
    assert "\n" not in said
    assert len(said) < 2000


def test_what_the_fuzz_starts_from_can_be_read(contents: list[Content]) -> None:
    assert list(map(outcome, contents)) == ["", ""]


TEXT = st.text(max_size=6) | st.sampled_from(["k", "draw", "nmf", "accuracy", "clustering", "recognition"])
NUMBERS = st.integers(-3, 50) | st.sampled_from([10**30, -1, 0]) | st.floats()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be changed in a JSON value."""
    found = [path] if path else []
    if isinstance(value, (dict, list)):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            found += spots(each, (*path, name))
    return found


def changed(run: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy with something done at one place."""
    found = inner = copy.deepcopy(run)
    for name in path[:-1]:
        inner = inner[name]
    change(inner, path[-1])
    return found


@FAST
@given(st.integers(0, 1), st.data())
def test_run_json_with_other_values(contents: list[Content], which: int, data: st.DataObject) -> None:
    content = contents[which]
    run = json.loads(content["run.json"])
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(spots(run)))
        value = data.draw(VALUES)
        change = data.draw(st.sampled_from([put(value), drop, double(value)]))
        run = changed(run, path, change)
    attempt(content | {"run.json": json.dumps(run).encode()})


def put(value: Any) -> Callable[[Any, Any], None]:
    """Put a value there."""
    return lambda inner, name: inner.__setitem__(name, value)


def drop(inner: Any, name: Any) -> None:
    """Take it away."""
    del inner[name]


def double(value: Any) -> Callable[[Any, Any], None]:
    """Add another one, of a list's items or a mapping's keys."""

    def add(inner: Any, name: Any) -> None:
        if isinstance(inner, list):
            inner.insert(name, copy.deepcopy(inner[name]))
        else:
            inner["another"] = value

    return add


CELLS = st.sampled_from(
    ["", "0", "1", "-1", "1.5", "1e300", "nan", "inf", "ok", "failed", "0" * 16, "1" * 29]
)
CELLS |= st.text(max_size=5)


@FAST
@given(st.integers(0, 1), st.data())
def test_tables_of_rows_with_other_cells_and_columns(
    contents: list[Content], which: int, data: st.DataObject
) -> None:
    content, name = contents[which], data.draw(st.sampled_from(["trials.csv", "timings.csv"]))
    table = list(csv.reader(io.StringIO(content[name].decode())))
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(table) - 1))
        column = data.draw(st.integers(0, len(table[0]) - 1))
        match data.draw(st.integers(0, 4)):
            case 0:
                table[row][column] = data.draw(CELLS)
            case 1:
                for line in table:
                    line.pop(column)
            case 2:
                table.insert(row, list(table[data.draw(st.integers(0, len(table) - 1))]))
            case 3:
                for number, line in enumerate(table):
                    line.insert(column, data.draw(CELLS) if number else "another")
            case _:
                table[row].pop(column)
        if len({len(line) for line in table}) > 1 or not table[0]:
            break
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    attempt(content | {name: text.getvalue().encode("utf-8", "surrogatepass")})


@FAST
@given(
    st.sampled_from(["run.json", "trials.csv", "timings.csv"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=40)), min_size=1, max_size=4),
)
@example("run.json", [(0.0, 0, b"[" * 100_000)])
@example("run.json", [(0.0, 0, b'{"schema": ' + b"9" * 5000 + b"}")])
@example("timings.csv", [(0.5, 0, b'"')])
@example("trials.csv", [(0.0, 10**6, b"")])
@example("trials.csv", [(0.999999, 1, b"\r")])
def test_files_with_other_bytes(
    contents: list[Content], name: str, damage: list[tuple[float, int, bytes]]
) -> None:
    content = contents[0][name]
    for share, removed, inserted in damage:
        start = int(share * len(content))
        content = content[:start] + inserted + content[start + removed :]
    attempt(contents[0] | {name: content})


def stored() -> bytes:
    """The bytes of stored arrays."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, keep=np.array(["labels"]), labels=np.arange(40), U=np.eye(4))
    return buffer.getvalue()


ARRAYS = stored()


@FAST
@given(
    st.lists(
        st.tuples(st.integers(0, len(ARRAYS)), st.integers(0, 30), st.binary(max_size=20)),
        min_size=1,
        max_size=4,
    )
)
@example([(0, len(ARRAYS), b"\x80\x04\x95")])
def test_stored_arrays_with_other_bytes(damage: list[tuple[int, int, bytes]]) -> None:
    content = ARRAYS
    for start, removed, inserted in damage:
        content = content[:start] + inserted + content[start + removed :]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.npz"
        path.write_bytes(content)
        said = ""
        try:
            found = load_arrays(path)
        except NmfreproError as error:
            said = str(error)
        else:
            assert all(isinstance(each, np.ndarray) for each in found.values())
        assert "\n" not in said
