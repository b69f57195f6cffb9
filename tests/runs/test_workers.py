"""Workers: what misbehaves costs its own trial, and nothing outlives the run."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tiny import entry, make_spec, silent

from nmfrepro.core.errors import NmfreproError
from nmfrepro.protocols import Task
from nmfrepro.results.record import TrialRecord
from nmfrepro.runs import Prepared, RunOptions, attempts, prepare, run, workers
from nmfrepro.runs.attempts import Job
from nmfrepro.runs.interrupts import Interrupts
from nmfrepro.runs.record import untried
from nmfrepro.runs.workers import run_trials

TESTS = str(Path(__file__).parents[1])


def prepared(folder: Path, *does: str, timeout: float | None = None) -> Prepared:
    """One trial for each of what a method does."""
    entries = [entry("scripted", label=each, does=each) for each in does]
    return prepare(make_spec(folder, entries, protocol={"clusters": [3]}, timeout=timeout))


def run_all(ready: Prepared, jobs: int = 1) -> dict[str, TrialRecord]:
    """All trials by label."""
    found = run_trials(ready.plan, ready.job, jobs, Interrupts(), silent)
    return {each.label: each for each in found}


ENDINGS = {
    "threads": "",
    "bug": r"ZeroDivisionError: .* by zero \(tiny.py:\d+\)",
    "collapse": "collapsed: every encoding is zero",
    "memory": "out of memory",
    "kill": r"the worker process died \(SIGKILL, as when the system is out of memory\)",
    "exit": r"the worker process died \(exit code 3\)",
    "leave": r"SystemExit: of its own accord \(tiny.py:\d+\)",
    "signals": "",
    "limited memory": "out of memory",
    "nothing": "",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrialRecord]:
    """All ways to misbehave in one run, where variables ask for many threads."""
    with pytest.MonkeyPatch.context() as patch:
        for name in workers.THREADS:
            patch.setenv(name, "8")
        ready = prepared(tmp_path_factory.mktemp("workers"), *ENDINGS)
        found = run_all(ready, jobs=2)
        assert os.environ["OMP_NUM_THREADS"] == "8"
    return found


@pytest.mark.parametrize("does", ENDINGS)
def test_a_trial_that_misbehaves_costs_itself_only(finished: dict[str, TrialRecord], does: str) -> None:
    if does == "limited memory" and sys.platform != "linux":
        pytest.skip("limits on memory are Linux's")
    assert re.fullmatch(ENDINGS[does], finished[does].error)
    assert finished[does].failed == bool(ENDINGS[does])


def test_hanging_trials_end_at_their_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give = workers._Worker.give

    def give_and_wait_an_hour(self: workers._Worker, trial: Task) -> None:
        give(self, trial)
        assert self.deadline == self._since + 3600
        if trial.label != "nothing":
            self.deadline = self._since + 0.2

    monkeypatch.setattr(workers._Worker, "give", give_and_wait_an_hour)
    found = run_all(prepared(tmp_path, "hang", "spin", "nothing", timeout=3600), jobs=2)
    late = "took longer than the timeout of 3600 s"
    assert {label: each.error for label, each in found.items()} == {"hang": late, "spin": late, "nothing": ""}


def test_the_time_for_which_a_run_is_stopped_is_not_its_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock goes on by two hours while a trial runs, as where Ctrl-Z stops run and workers."""
    heard, clock, away = workers._heard_from, time.monotonic, list[float]()

    def stopped(crew: list[workers._Worker], interrupts: Interrupts) -> list[workers._Worker]:
        if not away and any(worker.trial for worker in crew):
            away.append(7200.0)
        return heard(crew, interrupts)

    monkeypatch.setattr(workers, "_heard_from", stopped)
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=lambda: clock() + sum(away)))
    found = run_all(prepared(tmp_path, "nap", "nothing", timeout=3600))
    assert away
    assert {label: each.error for label, each in found.items()} == {"nap": "", "nothing": ""}


def test_where_trials_are_timed_libraries_are_loaded_before(tmp_path: Path) -> None:
    assert prepared(tmp_path, "nothing").job.libraries == ()
    assert "sklearn.cluster" in prepared(tmp_path, "nothing", timeout=9).job.libraries


def test_all_workers_are_gone_when_the_trials_are_done(finished: dict[str, TrialRecord]) -> None:
    assert len(finished) == len(ENDINGS)
    assert not multiprocessing.active_children()


def test_workers_use_one_thread_in_libraries_loaded_late_too(finished: dict[str, TrialRecord]) -> None:
    assert finished["threads"].notes == "[1]"


def test_workers_never_see_ctrl_c(finished: dict[str, TrialRecord]) -> None:
    assert finished["signals"].notes == "True"


def test_the_data_travels_once_per_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    monkeypatch.setattr(Job, "__getstate__", lambda self: (sent.append(1), vars(self))[1], raising=False)
    ready = prepare(make_spec(tmp_path, [entry("scripted")], protocol={"clusters": [2], "repeats": 9}))
    found = list(run_trials(ready.plan, ready.job, 2, Interrupts(), silent))
    assert len(found) == 9
    assert len(sent) == 2
    # A trial is a few hundred bytes, whatever the size of the data.
    assert max(len(pickle.dumps(trial)) for trial in ready.plan) < 1000


@pytest.mark.parametrize(
    ("keep", "names"),
    [
        ((), set()),
        (("labels",), {"labels", "samples"}),
        (("trace",), {"trace"}),
        (("factors",), {"first"}),
        (("labels", "trace", "factors"), {"labels", "samples", "trace", "first"}),
    ],
)
def test_only_arrays_that_are_kept_come_back(tmp_path: Path, keep: tuple[str, ...], names: set[str]) -> None:
    ready = prepared(tmp_path, "nothing")
    packed = attempts.attempt(ready.plan[0], Job(ready.spec.protocol, ready.samples, keep)).arrays
    stored = set(np.load(io.BytesIO(packed))) if packed else {"keep"}
    assert stored == {"keep", *names}


def test_a_worker_killed_while_it_starts_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, killed = workers._Worker.__init__, []

    def start_and_kill(self: workers._Worker, job: Job) -> None:
        start(self, job)
        if not killed:
            killed.append(self._process.pid)
            os.kill(self._process.pid, signal.SIGKILL)

    monkeypatch.setattr(workers._Worker, "__init__", start_and_kill)
    found = run_all(prepared(tmp_path, "nothing", "process"))
    assert killed
    assert [each.error for each in found.values()] == ["", ""]


def test_workers_that_cannot_start_end_the_run_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "serve", Ends())
    with pytest.raises(NmfreproError, match=r"cannot be started \(exit code 7\); what they wrote"):
        run_all(prepared(tmp_path, "nothing", "nap", "bug", "process"))
    assert not multiprocessing.active_children()


class Ends:
    """A worker's life that ends before it begins."""

    def __call__(self, pipe: object) -> None:
        """End."""
        os._exit(7)


def test_a_script_needs_no_guard_and_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {TESTS!r})
        from pathlib import Path
        import nmfrepro
        from tiny import make_spec
        print("once")
        spec = make_spec(Path({str(tmp_path)!r}))
        print(set(nmfrepro.run(spec, results={str(tmp_path)!r}, jobs=2)["status"]))
        """)
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines()[0] == "once"
    assert ended.stdout.count("once") == 1
    assert ended.stdout.splitlines()[-1] == "{'ok'}", ended.stderr


class Says:
    """A worker that says one thing."""

    alive = ready = True
    idle = False

    def __init__(self, answer: TrialRecord | NmfreproError) -> None:
        self.hear = lambda: answer

    def kill(self) -> None:
        """It is no process."""


def test_what_others_have_finished_is_kept_where_a_worker_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = prepared(tmp_path, "nothing", "nap")
    finished = untried(ready.plan[0])
    crew = [Says(NmfreproError("a worker has other plug-ins")), Says(finished)]
    monkeypatch.setattr(workers, "_start", lambda job: crew.pop(0))
    monkeypatch.setattr(workers, "_heard_from", lambda crew, interrupts: list(crew))
    work = run_trials(ready.plan, ready.job, 2, Interrupts(), silent)
    assert next(work) is finished
    with pytest.raises(NmfreproError, match="other plug-ins"):
        next(work)


def test_closing_early_ends_the_workers(tmp_path: Path) -> None:
    ready = prepared(tmp_path, "nothing", "hang")
    work = run_trials(ready.plan, ready.job, 2, Interrupts(), silent)
    assert next(work).label == "nothing"
    work.close()
    assert not multiprocessing.active_children()


def test_one_interrupt_finishes_what_runs_and_says_so(tmp_path: Path) -> None:
    ready = prepared(tmp_path, "nap", "nothing", "bug", "process")
    with Interrupts() as interrupts:
        said: list[str] = []
        work = run_trials(ready.plan, ready.job, 1, interrupts, said.append)
        first = next(work)
        os.kill(os.getpid(), signal.SIGINT)
        rest = list(work)
    # The second trial was already given to the worker when the first came back.
    assert [first.label, *(each.label for each in rest)] == ["nap", "nothing"]
    assert said == ["Finishing the running trials; Ctrl-C again stops now."]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_out_of_a_method_ends_the_run_as_ctrl_c_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], jobs: int
) -> None:
    ready = prepared(tmp_path, "nothing", "interrupt", "nap", "process", "bug")
    said: list[str] = []
    summary = run(ready, tmp_path / "results", RunOptions(jobs), announce=said.append)
    assert summary.interrupted
    assert 1 <= summary.present < summary.planned
    assert summary.failed == 0
    assert said == ["Finishing the running trials; Ctrl-C again stops now."]
    assert capfd.readouterr().err == ""


def test_two_interrupts_stop_now(tmp_path: Path) -> None:
    ready = prepared(tmp_path, "nothing", "hang", "bug")
    with Interrupts() as interrupts:
        work = run_trials(ready.plan, ready.job, 1, interrupts, silent)
        assert next(work).label == "nothing"
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert list(work) == []
    assert not multiprocessing.active_children()


def test_an_interrupt_ends_the_wait_for_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "POLL", 3600.0)
    ready = prepared(tmp_path, "nothing", "hang")
    with Interrupts() as interrupts:
        said: list[str] = []

        def say(line: str) -> None:
            said.append(line)
            os.kill(os.getpid(), signal.SIGINT)

        work = run_trials(ready.plan, ready.job, 1, interrupts, say)
        assert next(work).label == "nothing"
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert list(work) == []
    assert said == ["Finishing the running trials; Ctrl-C again stops now."]


@pytest.mark.skipif(os.name != "posix", reason="processes inherit signals on POSIX only")
def test_an_interrupt_while_a_worker_starts_is_not_lost() -> None:
    with Interrupts() as interrupts:
        with workers._without_interrupts():
            # To this thread: another one, of a BLAS say, would take at once what is sent to the process.
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            assert interrupts.count == 0
        assert interrupts.count == 1


def test_more_interrupts_than_anybody_listens_to_block_nothing() -> None:
    with Interrupts() as interrupts:
        for _ in range(100_000):
            interrupts._note(signal.SIGINT, None)
    assert interrupts.count == 100_000


def test_outside_the_main_thread_ctrl_c_is_left_alone(tmp_path: Path) -> None:
    before, results = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with Interrupts() as interrupts:
            ready = prepared(tmp_path, "nothing")
            results.extend(run_trials(ready.plan, ready.job, 1, interrupts, silent))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [each.error for each in results] == [""]
    assert signal.getsignal(signal.SIGINT) == before


@pytest.fixture
def run_with_a_spinning_worker(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A run whose worker computes for ever, and that worker's process id."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {TESTS!r})
        from pathlib import Path
        from tiny import entry, make_spec, silent
        from nmfrepro.runs import prepare
        from nmfrepro.runs.interrupts import Interrupts
        from nmfrepro.runs.workers import run_trials
        if __name__ == "__main__":
            entries = [entry("scripted", does="process"), entry("scripted", label="spin", does="spin")]
            spec = make_spec(Path({str(tmp_path)!r}), entries, protocol={{"clusters": [3]}})
            ready = prepare(spec)
            for each in run_trials(ready.plan, ready.job, 1, Interrupts()):
                print(each.notes, flush=True)
        """)
    )
    run = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    worker = int(run.stdout.readline())
    yield run, worker
    run.kill()
    run.wait()
    run.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_do_not_outlive_a_killed_run(
    run_with_a_spinning_worker: tuple[subprocess.Popen[str], int],
) -> None:
    run, worker = run_with_a_spinning_worker
    assert is_running(worker)
    run.kill()
    run.wait()
    deadline = time.monotonic() + 30
    while is_running(worker):
        assert time.monotonic() < deadline, "the worker computes on without its run"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
