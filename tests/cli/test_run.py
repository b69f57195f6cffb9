"""`nmfrepro run`, run and broken off as users and systems do it."""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from commandline import nmfrepro
from tiny import run_here, write_data, write_spec

from nmfrepro.algorithms.nmf import NMF
from nmfrepro.analysis.tables import make_table
from nmfrepro.core.errors import FitError
from nmfrepro.core.typed import from_json
from nmfrepro.results import folder as store
from nmfrepro.results.record import RunRecord
from nmfrepro.runs import workers
from nmfrepro.views.comparison import caveats
from nmfrepro.views.report import collect

# Four trials: of each method one for either draw, in turns.
SLOW = """\
dataset: {file: tiny.npz, scale: grey, levels: 255}
protocol: {kind: clustering, clusters: [2], repeats: 2}
fit: {restarts: 3, max_iter: 100, tol: 0}
algorithms: [nmf, gated]
seed: 1
"""
# A method that says which process runs it and waits for a go, if there is a folder for such signs.
GATED = '''
import os, time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nmfrepro.algorithms import Direct
from nmfrepro.core.problem import Fit

@dataclass(frozen=True)
class Gated(Direct):
    """Labels by the brightest pixel."""

    name: ClassVar[str] = "gated"
    title: ClassVar[str] = "Gated"

    def fit(self, problem, settings, seed):
        if "GATE" in os.environ:
            gate = Path(os.environ["GATE"])
            (gate / "running").write_text(f"{os.getpid()}\\n")
            while not (gate / "go").exists():
                time.sleep(0.01)
        return Fit({}, None, problem.X.argmax(axis=0) % problem.k, np.array([problem.X.sum()]))
'''
posix = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are POSIX's")
FINISHING = "Finishing the running trials; Ctrl-C again stops now."


def command(folder: Path, *arguments: str) -> list[str]:
    """The command line that runs the slow spec."""
    return [sys.executable, "-m", "nmfrepro", "run", str(folder / "slow.yaml"), *arguments]


def environment(folder: Path, **changes: str) -> dict[str, str]:
    """The environment of a child process, with coverage and other tests' settings left out."""
    inherited = {name: value for name, value in os.environ.items() if name not in workers.THREADS}
    return inherited | {"NMFREPRO_PLUGINS": str(folder / "gated.py")} | changes


def write_slow(folder: Path) -> None:
    """The slow spec, its data and its method."""
    write_spec(folder, SLOW, "slow.yaml")
    (folder / "gated.py").write_text(GATED)


def run_to_the_end(folder: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the slow spec."""
    return subprocess.run(
        command(folder, "--results", str(folder), *arguments),
        env=environment(folder, **changes),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


def rows(folder: Path) -> bytes:
    """trials.csv of the slow spec."""
    return (folder / "slow" / "trials.csv").read_bytes()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run without anything special."""
    folder = tmp_path_factory.mktemp("unbroken")
    write_slow(folder)
    ended = run_to_the_end(folder, "--jobs", "1")
    assert ended.returncode == 0, ended.stderr
    return folder


class Started:
    """A run of the slow spec in a process group of its own: one row is there, the second trial runs."""

    def __init__(self, folder: Path) -> None:
        write_slow(folder)
        self.folder = folder
        self.process = subprocess.Popen(
            command(folder, "--results", str(folder), "--jobs", "1"),
            env=environment(folder, GATE=str(folder)),
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while not (
            self._running() and (folder / "slow" / "trials.csv").exists() and rows(folder).count(b"\n") == 2
        ):
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def _running(self) -> str:
        path = self.folder / "running"
        return path.read_text() if path.exists() else ""

    @property
    def worker(self) -> int:
        """The process that runs the trial."""
        return int(self._running())

    def interrupt(self) -> None:
        """Ctrl-C, which a terminal sends to all processes of a command."""
        os.killpg(self.process.pid, signal.SIGINT)

    def hear(self, words: str) -> None:
        """Wait until the run has said something."""
        assert self.process.stderr is not None
        while line := self.process.stderr.readline():
            if words in line:
                return
        raise AssertionError(f"the run never said {words!r}")

    def go(self) -> None:
        """Let trials end."""
        (self.folder / "go").touch()

    def end(self) -> tuple[int, str]:
        """The exit code, and what was said since."""
        _, said = self.process.communicate(timeout=60)
        assert "Traceback" not in said
        return self.process.returncode, said


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """A run in the middle; it is ended after a minute, so that nobody waits for it in vain."""
    run = Started(tmp_path)
    watch = threading.Timer(60, run.process.kill)
    watch.start()
    yield run
    watch.cancel()
    watch.join()
    run.process.kill()
    run.process.wait()
    assert run.process.stderr is not None
    run.process.stderr.close()


@posix
def test_ctrl_c_once_finishes_the_running_trial_and_the_next_run_goes_on(
    started: Started, unbroken: Path
) -> None:
    started.interrupt()
    started.hear(FINISHING)  # while the trial runs, not after it
    assert rows(started.folder).count(b"\n") == 2
    started.go()
    code, said = started.end()
    assert code == 130
    assert "Interrupted: 2 of 4 trials (2 computed" in said
    kept = rows(started.folder).splitlines()
    assert kept == rows(unbroken).splitlines()[:3]
    ended = run_to_the_end(started.folder)
    assert ended.returncode == 0
    assert "4 of 4 trials (2 computed" in ended.stderr
    assert rows(started.folder) == rows(unbroken)


@posix
def test_ctrl_c_twice_stops_now_and_keeps_what_was_finished(started: Started, unbroken: Path) -> None:
    started.interrupt()
    started.hear(FINISHING)
    started.interrupt()
    code, said = started.end()  # though the trial would run for ever
    assert code == 130
    assert "Interrupted: 1 of 4 trials (1 computed" in said
    assert rows(started.folder).splitlines() == rows(unbroken).splitlines()[:2]
    assert run_to_the_end(started.folder).returncode == 0
    assert rows(started.folder) == rows(unbroken)


@posix
@pytest.mark.parametrize("whom", [os.kill, os.killpg])  # the run alone, as `kill` does, or all its processes
def test_sigterm_stops_now_and_says_that_the_same_command_goes_on(
    started: Started, unbroken: Path, whom: Callable[[int, int], None]
) -> None:
    whom(started.process.pid, signal.SIGTERM)
    code, said = started.end()
    assert code == 128 + signal.SIGTERM
    assert "Interrupted: 1 of 4 trials (1 computed" in said
    assert "the same command goes on where this one stopped" in said
    assert rows(started.folder).splitlines() == rows(unbroken).splitlines()[:2]


@posix
def test_a_run_killed_with_9_loses_no_finished_trial(started: Started, unbroken: Path) -> None:
    started.process.kill()
    assert started.end()[0] == -signal.SIGKILL
    assert rows(started.folder).splitlines() == rows(unbroken).splitlines()[:2]
    ended = run_to_the_end(started.folder)
    assert ended.returncode == 0
    assert "4 of 4 trials (3 computed" in ended.stderr
    assert rows(started.folder) == rows(unbroken)


@posix
def test_a_worker_killed_with_9_costs_its_trial_and_the_exit_code_says_so(
    started: Started, unbroken: Path
) -> None:
    os.kill(started.worker, signal.SIGKILL)
    started.go()
    code, said = started.end()
    assert code == 1
    assert "3 of 4 trials, 1 failed" in said
    assert "--status failed" in said
    frame = store.read(started.folder / "slow").frame
    (error,) = frame.loc[frame["status"] == "failed", "error"]
    assert error == "the worker process died (SIGKILL, as when the system is out of memory)"
    assert run_to_the_end(started.folder).returncode == 0
    assert rows(started.folder) == rows(unbroken)


def test_a_second_run_into_the_folder_is_refused_and_the_first_is_not_disturbed(
    started: Started, unbroken: Path
) -> None:
    second = run_to_the_end(started.folder)
    assert second.returncode == 2
    folder = re.escape(f"{started.folder}/slow")
    assert re.fullmatch(
        rf"Error: {folder}: another run is writing here \(process \d+ on .* since .*\); wait for it, or give "
        rf"--results another folder; if that process has ended, remove {folder}/\.lock",
        second.stderr.splitlines()[-1],
    )
    started.go()
    assert started.end()[0] == 0
    assert rows(started.folder) == rows(unbroken)


def test_workers_threads_hash_seed_locale_and_folder_change_no_byte(tmp_path: Path, unbroken: Path) -> None:
    write_slow(tmp_path)
    other = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    threads = dict.fromkeys(workers.THREADS, "8")
    ended = run_to_the_end(tmp_path, "--jobs", "2", **other, **threads)
    assert ended.returncode == 0, ended.stderr
    assert rows(tmp_path) == rows(unbroken)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names a kernel of x86-64")
def test_another_blas_kernel_gives_the_same_to_rounding(unbroken: Path) -> None:
    kernel = environment(unbroken, OPENBLAS_CORETYPE="Prescott")
    ended = nmfrepro("verify", unbroken / "slow", "--all", "--jobs", "1", **kernel)
    # Seeds and drawn samples must be equal to the letter, the objective and metrics within the tolerances.
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"\n  4 the same|\n  \d the same(, \d the same)? to rounding", ended.stdout)


Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None, main: Invoke) -> Invoke:
    """`nmfrepro run` right here, in a folder with the tiny spec."""
    monkeypatch.chdir(tmp_path)
    write_spec(tmp_path)
    return partial(main, "run")


@pytest.mark.parametrize("elsewhere", [("--dask", "tcp://host:8786"), ("--submit", "slurm")])
def test_a_dry_run_is_of_this_machine(invoke: Invoke, elsewhere: tuple[str, str]) -> None:
    code, _, err = invoke("tiny.yaml", "--dry-run", *elsewhere)
    assert code == 2
    assert f"leave it out, or {elsewhere[0]}" in err


def test_a_run_says_which_data_how_it_ended_and_what_is_next(invoke: Invoke) -> None:
    code, out, err = invoke("tiny.yaml")
    assert (code, out) == (0, "")
    assert re.search(r"tiny: tiny\n  data +.*tiny.npz.* \(24 images, 3 classes, sha256 [0-9a-f]{12}\)", err)
    assert re.search(
        r"  6 of 6 trials \(6 computed in [\d.]+ s\)\n  next: nmfrepro table results/tiny\n$", err
    )
    again = invoke("tiny.yaml", "--quiet")
    assert again == (0, "", "")


@pytest.mark.parametrize("mode", ["--fresh", "--dry-run"])
def test_that_the_protocol_chooses_in_the_place_of_a_given_value_is_told(invoke: Invoke, mode: str) -> None:
    settings = ("protocol.clusters=[2]", "protocol.repeats=1", "protocol.choose={mu: [0.5, 1]}")
    code, _, err = invoke("tiny.yaml", mode, *(word for each in settings for word in ("--set", each)))
    assert (code, err.count("\n  note    chosen trial by trial, not as given: mu = 0.1 of NLCF\n")) == (0, 1)


def test_a_dry_run_writes_nothing_and_counts_what_is_missing(invoke: Invoke, tmp_path: Path) -> None:
    code, out, _ = invoke("tiny.yaml", "--dry-run", "--jobs", "2")
    assert code == 0
    assert re.search(r"NMF +3 trials +about [\d.]+ s of one core", out)
    assert re.search(r"6 trials to run, 0 already there; about [\d.]+ s with 2 workers", out)
    about = "estimated from short probes, without the start of the workers, a few seconds"
    assert out.endswith(f" ({about})\n")
    early = invoke("tiny.yaml", "--dry-run", "--set", "fit.tol=0.001", "--set", "fit.max_iter=200")[1]
    assert early.endswith(f" ({about}; less where tol ends fits early)\n")
    assert not (tmp_path / "results").exists()
    invoke("tiny.yaml", "--only", "nmf")
    assert "3 trials to run, 3 already there" in invoke("tiny.yaml", "--dry-run")[1]
    assert "6 trials to run, 0 already there" in invoke("tiny.yaml", "--dry-run", "--fresh")[1]
    assert "0 trials to run, 6 already there" in (invoke("tiny.yaml"), invoke("tiny.yaml", "--dry-run"))[1][1]
    rows = tmp_path / "results" / "tiny" / "trials.csv"
    rows.write_text(rows.read_text().replace(",0.1.0", ",0.1.1", 1))
    for further in ([], ["--dry-run"]):  # which refuses what the run would refuse
        code, _, err = invoke("tiny.yaml", *further)
        assert (code, "not as it was written, by its digest in run.json" in err) == (2, True)


def test_a_dry_run_says_what_the_folder_held_as_the_run_would(invoke: Invoke, tmp_path: Path) -> None:
    invoke("tiny.yaml")
    assert " held " not in invoke("tiny.yaml", "--dry-run")[1]
    write_data(tmp_path, seed=1)
    out = invoke("tiny.yaml", "--dry-run")[1]
    (told,) = [line for line in out.splitlines() if line.startswith("  note    results/tiny held other data")]
    assert " held " not in invoke("tiny.yaml", "--dry-run", "--fresh")[1]
    assert told in invoke("tiny.yaml")[2].splitlines()


def test_only_says_what_it_left(invoke: Invoke) -> None:
    code, _, err = invoke("tiny.yaml", "--only", "n*f*", "--only", "nlcf")
    assert code == 0
    code, _, err = invoke("tiny.yaml", "--only", "nmf", "--set", "seed=5")
    assert (code, "3 trials of other columns are not run yet" in err) == (0, True)
    code, _, err = invoke("tiny.yaml", "--only", "gnmf")
    assert (code, err.splitlines()[-1]) == (
        2,
        "Error: --only gnmf matches no column; did you mean NMF? allowed: NMF, NLCF",
    )


def test_the_profile_adds_up(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    # In a worker nothing else runs; here other threads of the tests' process would count, too.
    monkeypatch.setattr(time, "process_time", time.perf_counter)
    code, out, _ = invoke("tiny.yaml", "--profile", "--quiet")
    seconds = {name: float(value) for name, value in re.findall(r"(\w+) +([\d.]+) s", out)}
    assert code == 0
    parts = [seconds[name] for name in ("draw", "fit", "read", "score", "other")]
    assert sum(parts) == pytest.approx(seconds["trials"], abs=0.04)


def test_a_smoke_run_has_a_folder_of_its_own(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("tiny.yaml", "--smoke")[0] == 0
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["tiny-smoke"]


def test_what_set_replaced_is_told_and_changes_no_key(invoke: Invoke, tmp_path: Path) -> None:
    sets = ("--set", "protocol.clusters=[2, 3]", "--set", "fit.restarts=2")  # as the file has them
    invoke("tiny.yaml")
    plain = store.read(tmp_path / "results" / "tiny")
    code, _, err = invoke("tiny.yaml", *sets)
    assert (code, "(0 computed" in err) == (0, True)
    results = store.read(tmp_path / "results" / "tiny")
    assert results.run.trials == plain.run.trials
    assert results.run.overrides == ("protocol.clusters=[2, 3]", "fit.restarts=2")
    note = "Replaced on the command line: protocol.clusters=[2, 3]; fit.restarts=2."
    assert note in make_table(results).notes
    assert note in caveats(results, "test")
    assert not any("Replaced" in each for each in make_table(plain).notes)
    again = collect([results.folder])[0].commands[0]
    sets = "--set 'protocol.clusters=[2, 3]' --set fit.restarts=2"
    assert again == f"nmfrepro run tiny.yaml {sets} --results {results.folder.parent}"
    content = results.run.to_json()
    del content["overrides"]  # as written by earlier versions
    assert from_json(RunRecord, content).overrides == ()


def test_failed_trials_are_exit_code_1_also_when_they_are_kept(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def collapse(*arguments: object) -> None:
        raise FitError("collapsed: every encoding is zero")

    monkeypatch.setattr(NMF, "embedding", collapse)
    code, _, err = invoke("tiny.yaml")
    assert (code, "3 of 6 trials, 3 failed (6 computed" in err) == (1, True)
    code, _, err = invoke("tiny.yaml", "--quiet")  # which leaves out all but errors
    assert (code, err.startswith("  3 of 6 trials, 3 failed (3 computed")) == (1, True)
    code, _, err = invoke("tiny.yaml", "--keep-failed")
    assert (code, "(0 computed" in err) == (1, True)
    # What was not asked for now does not count.
    assert invoke("tiny.yaml", "--only", "nlcf")[0] == 0


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_trials_that_nobody_has_answered_are_exit_code_1(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, quiet: tuple[str, ...]
) -> None:
    # As where a batch system has ended a job.
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", lambda trials, *rest: run_here(trials[1:], *rest))
    code, _, err = invoke("tiny.yaml", *quiet)
    assert (code, "5 of 6 trials (5 computed" in err) == (1, True)
    assert err.endswith("  the same command goes on where this one stopped\n")


def test_bad_input_is_exit_code_2_before_any_work(invoke: Invoke, tmp_path: Path) -> None:
    write_spec(tmp_path, "algorithms: [nfm]", "bad.yaml")
    code, _, err = invoke("tiny.yaml", "bad.yaml")
    assert code == 2
    assert err.startswith("Error: bad.yaml:1:1: a spec needs seed")
    assert not (tmp_path / "results").exists()
    assert invoke("missing.yaml")[0] == 2
    assert invoke("tiny.yaml", "--jobs", "0")[0] == 2
    assert invoke()[0] == 2


def test_specs_that_would_share_a_folder_are_refused(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write_spec(tmp_path / "other")
    code, _, err = invoke("tiny.yaml", "other/tiny.yaml")
    assert code == 2
    assert err == "Error: 2 specs are called tiny and would share a results folder; rename one\n"
