"""The results folder: torn, mixed, doubled, locked, full and unwritable files."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from storedrows import COLUMNS, KEYS, fill, make_cells, make_row, make_run, run_json

from nmfrepro.core import files
from nmfrepro.core.errors import ResultsError
from nmfrepro.results import folder as store
from nmfrepro.results import lines as journal
from nmfrepro.results.record import EnvironmentRecord, StoredRecord
from nmfrepro.results.store import Store


def test_a_row_is_there_as_soon_as_it_is_added(tmp_path: Path) -> None:
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        for number, key in enumerate(KEYS, start=1):
            opened.add(make_row(key))
            assert len(store.read(tmp_path).frame) == number  # beside the run that goes on


def test_every_row_names_the_commit_that_made_it(tmp_path: Path) -> None:
    for commit, keys in (("aaa", KEYS[:2]), ("bbb+", KEYS)):
        run = make_run(environment={"nmfrepro": "0.1.0", "commit": commit})
        fill(tmp_path, keys, run)
    versions = [trial.version for trial in store.read(tmp_path).trials]
    assert versions == ["0.1.0+aaa"] * 2 + ["0.1.0+bbb+"] * (len(KEYS) - 2)


def test_a_stored_row_that_was_computed_here_is_of_here_though_the_run_was_killed(tmp_path: Path) -> None:
    elsewhere = StoredRecord("elsewhere", (EnvironmentRecord("0.1.0", "bbb"),), tuple(KEYS[:3]))
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        opened.take(elsewhere, {key: make_row(key, version="0.1.0+bbb") for key in KEYS[:3]})
        opened.tidy()
    run = make_run(environment={"nmfrepro": "0.1.0", "commit": "aaa"})
    with Store(tmp_path, run, COLUMNS) as opened:  # of which there is no tidy
        opened.release(KEYS[:2])
        for key in KEYS[:2]:
            opened.add(make_row(key))
    with Store(tmp_path, run, COLUMNS) as opened:
        assert opened.run.stored[0].trials == (KEYS[2],)
    assert [each.version[6:] for each in store.read(tmp_path).trials[:3]] == ["aaa", "aaa", "bbb"]


@pytest.mark.parametrize("cut", ["trials.csv", "timings.csv"])
def test_cut_at_every_byte_of_the_last_row_and_resumed(tmp_path: Path, cut: str) -> None:
    whole = fill(tmp_path)
    path = tmp_path / cut
    content = path.read_bytes()
    last_line = content.rstrip(b"\n").rindex(b"\n") + 1
    for length in range(last_line, len(content)):
        path.write_bytes(content[:length])
        if cut == "trials.csv":
            found = store.read(tmp_path)
            assert len(found.frame) == len(KEYS) - 1
            assert found.torn == (length > last_line)
        with Store(tmp_path, make_run(), COLUMNS) as opened:
            assert opened.torn == (cut == "trials.csv" and length > last_line)
        assert fill(tmp_path) == whole


def test_cut_anywhere_keeps_all_whole_rows(tmp_path: Path) -> None:
    whole = fill(tmp_path)
    for length in range(0, len(whole), 7):
        (tmp_path / "trials.csv").write_bytes(whole[:length])
        kept = max(whole[:length].count(b"\n") - 1, 0)
        assert len(store.read(tmp_path).frame) == kept
    assert fill(tmp_path) == whole


@pytest.mark.parametrize("nuls", [1, 63, 4096])
def test_nul_bytes_of_a_power_cut_are_a_torn_row(tmp_path: Path, nuls: int) -> None:
    whole = fill(tmp_path)
    path = tmp_path / "trials.csv"
    lines = whole.splitlines(keepends=True)
    for tail in (b"\0" * nuls, lines[-1][:9] + b"\0" * nuls, lines[-1][:9] + b"\0" * nuls + b"\n"):
        path.write_bytes(b"".join(lines[:-1]) + tail)
        found = store.read(tmp_path)
        assert (len(found.frame), found.torn) == (len(KEYS) - 1, True)
        assert fill(tmp_path) == whole


def replace_line(path: Path, number: int, *lines: str) -> None:
    """Put lines in the place of one (counted from 1)."""
    content = path.read_text().splitlines()
    content[number - 1 : number] = lines
    path.write_text("\n".join(content) + "\n")


GOOD = journal.format_rows(COLUMNS, [make_cells(KEYS[2])]).splitlines()[1]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("", ""),
        ("x", ""),
        (GOOD[:-20], ""),
        (GOOD + GOOD, ""),
        (",".join(COLUMNS), ""),
        (GOOD.replace(KEYS[2], KEYS[2][:-1]), ""),
        (GOOD.replace(KEYS[2], KEYS[2][:-1] + "G"), ""),
        (GOOD.replace(",ok,", ",,"), "status and error"),
        (GOOD.replace(",ok,", ",failed,"), "status and error"),
        (GOOD.replace(",ok,", ",ok,why"), ""),
        (GOOD.replace("0.5", "0.x"), "accuracy is no number"),
        (GOOD.replace("0.5", "nan"), "accuracy is no number"),
        (GOOD.replace(",30,1,", ",,1,"), "n_iter or converged is empty"),
        (GOOD.replace(",30,1,", ",30,0.5,"), "converged is neither 0 nor 1"),
        (GOOD.replace("0.5", "1_0"), "accuracy is no number"),
        (GOOD.replace("0.5", "1e999"), "accuracy is no number"),
        (GOOD.replace("0.5", "٣"), "accuracy is no number"),
        (GOOD.replace("nmf", "n\tmf"), "control characters"),
        (GOOD.replace('"{', '{"', 1), ""),
        (GOOD.replace(",30,", ',"30'), ""),
    ],
)
def test_a_malformed_line_is_an_error_with_its_number(tmp_path: Path, bad: str, why: str) -> None:
    fill(tmp_path)
    replace_line(tmp_path / "trials.csv", 4, bad)
    for use in (lambda: store.read(tmp_path), lambda: fill(tmp_path)):
        with pytest.raises(ResultsError, match=rf"trials.csv:4: .*{why}.*remove that line"):
            use()
    # What it asks for helps.
    replace_line(tmp_path / "trials.csv", 4)
    assert len(store.read(tmp_path).frame) == len(KEYS) - 1


def test_two_rows_mixed_by_two_writers_are_an_error(tmp_path: Path) -> None:
    fill(tmp_path)
    lines = (tmp_path / "trials.csv").read_text().splitlines()
    replace_line(tmp_path / "trials.csv", 3, lines[2][:40] + lines[3], lines[2][40:], "")
    with pytest.raises(ResultsError, match=r"trials.csv:3: .*remove that line"):
        store.read(tmp_path)


def test_bytes_that_are_no_text_are_an_error_with_their_line(tmp_path: Path) -> None:
    whole = fill(tmp_path)
    (tmp_path / "trials.csv").write_bytes(whole.replace(b"NMF", b"\xff\xfe", 1))
    with pytest.raises(ResultsError, match=r"trials.csv:2: not UTF-8 text"):
        store.read(tmp_path)


# The third was found by fuzzing: tables need more of a row.
@pytest.mark.parametrize("header", ["", "key", "key,label,status,error", "a,b", ",".join(COLUMNS[1:])])
def test_a_wrong_header_is_an_error_and_fresh_mends_it(tmp_path: Path, header: str) -> None:
    whole = fill(tmp_path)
    replace_line(tmp_path / "trials.csv", 1, header)
    broken = (tmp_path / "trials.csv").read_bytes()
    with pytest.raises(ResultsError, match=r"trials.csv:1: .*run with fresh$"):
        fill(tmp_path)
    with Store(tmp_path, make_run(), COLUMNS, fresh=True):
        pass
    assert (tmp_path / "trials.before-fresh-1.csv").read_bytes() == broken
    assert fill(tmp_path) == whole


def test_fresh_never_overwrites_what_was_set_aside_before(tmp_path: Path) -> None:
    fill(tmp_path)
    whole = {name: (tmp_path / name).read_bytes() for name in ("trials.csv", "timings.csv", "run.json")}
    for number in (1, 2):
        with Store(tmp_path, make_run(), COLUMNS, fresh=True) as opened:
            assert opened.rows == {}
            opened.add(make_row(KEYS[0], f"0.{number}"))
    assert b"0.1" in (tmp_path / "trials.before-fresh-2.csv").read_bytes()
    for name, content in whole.items():  # times, which are the results of some, are no less than rows
        assert (tmp_path / name.replace(".", ".before-fresh-1.")).read_bytes() == content


def test_a_trial_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    whole = fill(tmp_path)
    lines = whole.splitlines(keepends=True)
    (tmp_path / "trials.csv").write_bytes(whole + lines[2] + lines[3])
    assert len(store.read(tmp_path).frame) == len(KEYS)
    assert fill(tmp_path) == whole


def test_dropped_trials_leave_nothing(tmp_path: Path) -> None:
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        for key in KEYS:
            opened.add(replace(make_row(key), arrays=b"arrays"))
        opened.drop(KEYS[2:])
    assert list(store.read_trials(tmp_path).by_key) == KEYS[:2]
    assert sorted(path.stem for path in (tmp_path / "arrays").iterdir()) == KEYS[:2]
    assert len((tmp_path / "timings.csv").read_text().splitlines()) == 3


def test_run_json_knows_no_row_that_is_gone_whenever_a_run_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = files.replace, list[int]()

    def looked_at(path: Path, content: str | bytes, otherwise: str) -> None:
        real(path, content, otherwise)
        if (tmp_path / "run.json").exists():
            run = store.read_run(tmp_path)
            there = store.read_edited(tmp_path, run).by_key
            assert run.rows.keys() <= {key for key, row in there.items() if row.times.key}
            seen.append(len(run.rows))

    monkeypatch.setattr(files, "replace", looked_at)
    fill(tmp_path)
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        opened.release(KEYS[:1])
        opened.add(make_row(KEYS[0], "0.75"))
        opened.drop(KEYS[1:3])
        elsewhere = StoredRecord("elsewhere", (EnvironmentRecord("0.1.0", "bbb"),), (KEYS[1],))
        opened.take(elsewhere, {KEYS[1]: make_row(KEYS[1])})
        opened.tidy()
    fill(tmp_path, KEYS[:1], make_run(KEYS[:1]))
    with Store(tmp_path, make_run(), COLUMNS, fresh=True) as opened:
        opened.add(make_row(KEYS[0]))
        opened.tidy()
    assert {0, len(KEYS), len(KEYS) - 2} <= {*seen}


def test_a_second_run_refuses_the_folder_by_name(tmp_path: Path) -> None:
    with Store(tmp_path, make_run(), COLUMNS) as first:
        first.add(make_row(KEYS[0]))
        before = (tmp_path / "trials.csv").read_bytes()
        with pytest.raises(ResultsError, match=rf"^{tmp_path}: another run is writing here"):
            Store(tmp_path, make_run(), COLUMNS).__enter__()
        assert (tmp_path / "trials.csv").read_bytes() == before
    fill(tmp_path)


@pytest.mark.parametrize("native", [True, False])
def test_whoever_holds_the_folder_is_named_and_how_to_free_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, native: bool
) -> None:
    if not native:  # a network file system

        def refuse(*arguments: object) -> None:
            raise OSError(errno.ENOSYS, "Function not implemented")

        monkeypatch.setattr("fcntl.flock", refuse)
    with Store(tmp_path, make_run(), COLUMNS):
        (tmp_path / ".writer").write_text("77 on elsewhere since 2026-11-28T19:00:00+00:00\n")
        with pytest.raises(ResultsError, match=r"process 77 on elsewhere since .* remove .*\.lock"):
            Store(tmp_path, make_run(), COLUMNS).__enter__()
    fill(tmp_path)


def test_half_written_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "arrays").mkdir()
    left = [tmp_path / ".trials.csv.1.tmp", tmp_path / "arrays" / ".a.npz.1.tmp"]
    for path in left:
        path.touch()
    fill(tmp_path)
    assert not any(path.exists() for path in left)


def test_files_deleted_during_a_run_cost_no_results(tmp_path: Path) -> None:
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        opened.add(make_row(KEYS[0]))
        (tmp_path / "trials.csv").unlink()
        with pytest.raises(ResultsError, match=r"trials.csv: cannot be written \(No such file"):
            opened.add(make_row(KEYS[1]))
        opened.tidy()
    assert list(store.read_trials(tmp_path).by_key) == KEYS[:1]


def test_a_folder_that_was_removed_during_a_run_is_not_said_to_keep_trials(tmp_path: Path) -> None:
    with Store(tmp_path / "x", make_run(), COLUMNS) as opened:
        opened.add(make_row(KEYS[0]))
        shutil.rmtree(tmp_path / "x")
        with pytest.raises(ResultsError) as caught:
            opened.add(make_row(KEYS[1]))
    assert str(caught.value).startswith(f"{tmp_path / 'x'}: this folder was removed during the run")
    assert "kept" not in str(caught.value)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """A small file system in memory at `folder`; skips where that is not allowed."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root on Linux")
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(folder)], capture_output=True)
    if done.returncode:
        pytest.skip(f"mounting a small file system is not allowed here: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_the_finished_trials(tmp_path: Path) -> None:
    keys = [f"{number:016x}" for number in range(10, 2000)]
    run = make_run(keys)
    whole = fill(tmp_path / "elsewhere", keys[:200], run)
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "-o", "size=2m"):
        fill(disk / "x", keys[:3], run)
        full = disk / "full"
        with Store(disk / "x", run, COLUMNS) as opened:
            free = os.statvfs(disk)
            full.write_bytes(bytes(free.f_bavail * free.f_frsize - 65536))
            added: list[str] = []
            with pytest.raises(ResultsError, match=r"cannot be written \(No space left on device\)"):
                add_all(opened, keys[3:], added)
        assert 0 < len(added) < 1900
        found = store.read(disk / "x")
        assert (len(found.frame), found.torn) == (3 + len(added), False)
        # No room for anything: the next run says so and the rows stay.
        with pytest.raises(ResultsError, match=r"No space left on device.*finished trials are kept"):
            fill(disk / "x", [], run)
        assert len(store.read(disk / "x").frame) == 3 + len(added)
        full.unlink()
        assert fill(disk / "x", keys[:200], run)[: len(whole)] == whole


def add_all(opened: Store, keys: list[str], added: list[str]) -> None:
    """Add trials and note which were."""
    for key in keys:
        opened.add(make_row(key))
        added.append(key)


def test_a_file_that_cannot_be_replaced_at_the_end_is_not_said_to_lose_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path, make_run(), COLUMNS) as opened:
        opened.add(make_row(KEYS[1]))
        monkeypatch.setattr(os, "replace", failing)
        with pytest.raises(ResultsError, match=r"trials.csv: cannot be written .*; finished trials are kept"):
            opened.tidy()
    assert list(store.read_trials(tmp_path).by_key) == KEYS[1:2]


def test_a_row_that_fits_only_in_part_is_cut_off_again(tmp_path: Path) -> None:
    fill(tmp_path, KEYS[:3])
    before = (tmp_path / "trials.csv").read_bytes()
    # A limit on file sizes, in a process of its own, stops a write in the middle as a quota does.
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), str(len(before) + 30)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "cannot be written (File too large)" in ended.stdout, ended.stderr
    assert (tmp_path / "trials.csv").read_bytes() == before


LIMITED = """
import resource, sys
from pathlib import Path
from nmfrepro.core.errors import ResultsError
from nmfrepro.results.lines import Journal
from storedrows import COLUMNS, KEYS, make_cells
path, size = Path(sys.argv[1]) / "trials.csv", int(sys.argv[2])
journal = Journal(path, COLUMNS, [make_cells(key) for key in KEYS[:3]])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    journal.append(make_cells(KEYS[3]))
except ResultsError as error:
    print(error)
"""


def test_read_only_results_can_be_read_and_are_refused_by_name(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk):
        whole = fill(disk / "x")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert len(store.read(disk / "x").frame) == len(KEYS)
        with pytest.raises(ResultsError, match=r"x.*: cannot be written \(Read-only file system\)"):
            fill(disk / "x")
        with pytest.raises(ResultsError, match=r"y: cannot be written \(Read-only file system\)"):
            fill(disk / "y")
        assert (disk / "x" / "trials.csv").read_bytes() == whole


def test_a_folder_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match=r"file/x: cannot be written"):
        fill(tmp_path / "file" / "x")


def test_replacing_a_file_leaves_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    files.replace(path, "old")
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, failing)
            with pytest.raises(ResultsError, match=r"a.txt: cannot be written .*nothing was changed"):
                files.replace(path, "new")
        assert path.read_text() == "old"
    files.replace(path, "neu ü")
    assert path.read_text(encoding="utf-8") == "neu ü"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def failing(*arguments: object) -> None:
    """What a broken disk says."""
    raise OSError(5, "Input/output error")


RUN = json.dumps(run_json())


DAMAGED = r"run\.json: damaged.*; run the spec again"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "not a results folder"),
        *((text, DAMAGED) for text in ("", "{", "[]", "[" * 100_000, RUN[: len(RUN) // 2])),
        ({"schema": "1"}, DAMAGED),
        ({"trials": [1]}, DAMAGED),
        ({"spec": {"algorithms": []}}, DAMAGED),
        (
            {"spec": {"algorithms": [{"label": "NMF", "algorithm": "nmf", "parameters": {}, "fit": 3}]}},
            DAMAGED,
        ),
        ({"coordinates": []}, DAMAGED),
        ({"spec": {"metrics": []}}, DAMAGED),
        ({"cells": None}, DAMAGED),
        ({"cells": [1] * len(KEYS)}, DAMAGED),
        ({"cells": [{"k": 2, "draw": 0}]}, DAMAGED),
        ({"cells": [{"k": "2", "draw": 0}] * len(KEYS)}, DAMAGED),
        ({"spec": {"title": None}}, DAMAGED),
        ({"dataset": {}}, DAMAGED),
        ({"dataset": {"notes": 3}}, DAMAGED),
        ({"spec": {"protocol": 3}}, DAMAGED),
        ({"environment": None}, DAMAGED),
        ({"spec": {"name": "../outside"}}, "'../outside' is no name of a run"),
        ({"spec": {"name": "a\n\\input{b}"}}, "is no name of a run"),
    ],
)
def test_a_damaged_run_json_is_one_line(
    tmp_path: Path, content: str | dict[str, Any] | None, message: str
) -> None:
    fill(tmp_path)
    path = tmp_path / "run.json"
    path.unlink()
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(run_json(**content)))
    with pytest.raises(ResultsError, match=message) as caught:
        store.read(tmp_path)
    assert "\n" not in str(caught.value)
    fill(tmp_path)  # running again mends it
    assert len(store.read(tmp_path).frame) == len(KEYS)


@pytest.mark.parametrize("fresh", [False, True])
def test_results_of_a_later_version_are_not_written_over(tmp_path: Path, fresh: bool) -> None:
    fill(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(run_json(schema=store.SCHEMA + 1)))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("[!.]*.*")}
    for use in (
        store.read,
        store.read_before,
        lambda folder: Store(folder, make_run(), fresh=fresh).__enter__(),
    ):
        with pytest.raises(ResultsError, match="use the version that made it"):
            use(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("[!.]*.*")} == before
