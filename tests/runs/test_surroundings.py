"""Runs in odd surroundings: where processes, folders, streams and signals are not as usual."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import entry, make_spec, write_spec

from nmfrepro import runs as runner
from nmfrepro.core.errors import NmfreproError, SpecError
from nmfrepro.registry import plugins
from nmfrepro.results.folder import read
from nmfrepro.runs import prepare
from nmfrepro.runs.interrupts import Interrupts
from nmfrepro.runs.workers import run_trials

TESTS = str(Path(__file__).parents[1])
PACKAGE = str(Path(runner.__file__).parents[2])
posix = pytest.mark.skipif(os.name != "posix", reason="processes as POSIX has them")


def python(folder: Path, *words: str, shell: str = "", text: str = "") -> subprocess.CompletedProcess[str]:
    """Python in a folder, with this package and these tests to import; `shell` goes behind the command."""
    others = (plugins.VARIABLE, "PYTHONUNBUFFERED")  # with which what is written is seen at once
    inherited = {name: value for name, value in os.environ.items() if name not in others}
    command = " ".join([sys.executable, *words, shell])
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=inherited | {"PYTHONPATH": f"{PACKAGE}{os.pathsep}{TESTS}"},
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
    )


def present(folder: Path) -> int:
    """How many trials of the tiny spec there are."""
    return sum(trial.ok for trial in read(folder / "results" / "tiny").trials)


@posix
def test_a_copy_that_a_method_makes_of_its_worker_answers_nothing(tmp_path: Path) -> None:
    columns = [entry("scripted", label=each, does=each) for each in ("fork", "process", "nothing")]
    ready = prepare(make_spec(tmp_path, columns, protocol={"clusters": [2], "repeats": 3}))
    found = list(run_trials(ready.plan, ready.job, 1, Interrupts(), lambda line: None))
    assert [each.key for each in found] == [trial.key for trial in ready.plan]
    processes = {each.notes for each in found if each.label == "process"}
    assert processes == {found[0].times.worker}


def test_a_worker_with_another_plug_in_than_the_run_computes_nothing(tmp_path: Path) -> None:
    ready = prepare(make_spec(tmp_path))
    job = replace(ready.job, installation={**ready.job.installation, "plug-ins": "my_nmf.py (0123456789ab)"})
    with pytest.raises(NmfreproError, match=r"has plug-ins none, and here is my_nmf.py .*edit no file"):
        list(run_trials(ready.plan, job, 1, Interrupts(), lambda line: None))


def test_the_hash_of_a_plug_in_is_known_as_it_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path / "edited_later.py"))
    (tmp_path / "edited_later.py").write_text("value = 1")
    assert plugins.imported() == plugins.records()
    (tmp_path / "edited_later.py").write_text("value = 2")
    assert plugins.imported() != plugins.records()


SCRIPT = """
import nmfrepro
if __name__ == "__main__":
    print(len(nmfrepro.run("tiny.yaml", jobs=1)))
"""


def test_workers_do_not_import_from_the_working_folder(tmp_path: Path) -> None:
    write_spec(tmp_path)
    for name in ("signal", "types", "socket", "selectors"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not the one you want')")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "script.py").write_text(SCRIPT)
    ended = python(tmp_path, "bin/script.py")
    assert (ended.stdout, present(tmp_path)) == ("6\n", 6), ended.stderr


POOL = """
import multiprocessing, nmfrepro
def work(name):
    return len(nmfrepro.run(name, jobs=2))
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, ["tiny.yaml"])[0])
"""


JOBLIB = """
import joblib, nmfrepro
def work(name):
    return len(nmfrepro.run(name, jobs=2))
if __name__ == "__main__":
    print(joblib.Parallel(2)([joblib.delayed(work)("tiny.yaml")])[0])
"""


def test_a_script_from_standard_input_has_workers_too(tmp_path: Path) -> None:
    write_spec(tmp_path)
    ended = python(tmp_path, "-", text=SCRIPT)
    assert ended.stdout.splitlines()[-1] == "6", ended.stderr
    assert "trials run in this process" not in ended.stdout


@pytest.mark.parametrize("how", ["pool", "joblib"])
def test_where_no_worker_can_start_trials_run_here_and_it_is_said(tmp_path: Path, how: str) -> None:
    write_spec(tmp_path)
    (tmp_path / "script.py").write_text(JOBLIB if how == "joblib" else POOL)
    ended = python(tmp_path, "script.py")
    assert ended.stdout.splitlines()[-1] == "6", ended.stderr
    assert "trials run in this process" in ended.stdout
    assert present(tmp_path) == 6


@posix
@pytest.mark.parametrize("shell", ["2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_are_as_quiet(tmp_path: Path, shell: str) -> None:
    write_spec(tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)
    ended = python(tmp_path, "script.py", shell=shell)
    assert (ended.returncode, present(tmp_path)) == (0, 6)


def test_more_trials_than_anybody_means_are_counted_not_planned(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="more than 1000000 trials"):
        prepare(make_spec(tmp_path, protocol={"clusters": [2], "repeats": 10**9}))


THREADS = """
import sys, threading
import nmfrepro
main, found = sys.modules["__main__"], []
def work(name):
    found.append(len(nmfrepro.run("tiny.yaml", results=name, jobs=2)))
threads = [threading.Thread(target=work, args=(f"r{i}",)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(found, sys.modules["__main__"] is main)
"""


def test_runs_in_several_threads_start_their_workers_in_turn(tmp_path: Path) -> None:
    write_spec(tmp_path)
    (tmp_path / "script.py").write_text(THREADS)
    ended = python(tmp_path, "script.py")
    assert ended.stdout.splitlines()[-1] == "[6, 6, 6] True", ended.stderr
