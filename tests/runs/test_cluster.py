"""Trials on a Dask cluster: a real scheduler and two worker processes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny import entry, make_spec, run_here, silent

import nmfrepro
from nmfrepro import protocols
from nmfrepro import runs as runner
from nmfrepro.core.errors import NmfreproError, SpecError
from nmfrepro.core.options import build
from nmfrepro.registry import plugins
from nmfrepro.results.folder import read_trials
from nmfrepro.results.record import TrialRecord
from nmfrepro.runs import Prepared, RunOptions, cluster, prepare, provenance
from nmfrepro.runs.attempts import Job
from nmfrepro.runs.execute import check_where
from nmfrepro.runs.interrupts import Interrupts

distributed = pytest.importorskip("distributed", reason="the cluster's tests need the extra nmfrepro[dask]")
TESTS = str(Path(__file__).parents[1])
NOWHERE = RunOptions(dask="tcp://127.0.0.1:1")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler that gives a trial up after two workers' deaths, and two workers that come back."""
    folder = tmp_path_factory.mktemp("cluster")
    contact = folder / "scheduler.json"
    inherited = {name: value for name, value in os.environ.items() if name != plugins.VARIABLE}
    environment = inherited | {
        # Workers import the method that misbehaves, and this very nmfrepro.
        "PYTHONPATH": os.pathsep.join((TESTS, str(Path(nmfrepro.__file__).parents[1]))),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }

    def dask(*arguments: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "dask",
            *arguments,
            "--no-dashboard",
            "--scheduler-file",
            str(contact),
        ]
        with open(folder / "log", "ab") as log:
            return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)

    here = ("--host", "127.0.0.1")
    processes = [dask("scheduler", *here, "--port", "0")]
    try:
        until(contact.exists)
        processes += [dask("worker", *here, "--nthreads", "1") for _ in range(2)]
        found = json.loads(contact.read_text())["address"]
        with distributed.Client(found, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield found
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(60)


def until(happened: Callable[[], bool]) -> None:
    """Wait for it."""
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def prepared(folder: Path, *does: str, repeats: int = 1, flag: Path | None = None) -> Prepared:
    """A trial, or more draws of it, for each of what a method does; once only, where there is a flag."""
    given = {"flag": str(flag)} if flag else {}
    entries = [entry("scripted", label=each, does=each, **given) for each in does]
    return prepare(make_spec(folder, entries, protocol={"clusters": [2], "repeats": repeats}))


def run_all(ready: Prepared, address: str) -> dict[str, TrialRecord]:
    """All trials by label."""
    found = cluster.run_on_cluster(ready.plan, ready.job, address, Interrupts(), silent)
    return {each.label: each for each in found}


def test_rows_are_the_same_bytes_as_on_this_machine(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry("nmf"), entry("nlcf", mu=0.1), entry("scripted", label="bug", does="bug")]
    ready = prepare(make_spec(tmp_path, entries))
    there = runner.run(ready, tmp_path / "there", RunOptions(dask=address), announce=silent)
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", run_here)
    here = runner.run(ready, tmp_path / "here", announce=silent)
    assert (there.folder / "trials.csv").read_bytes() == (here.folder / "trials.csv").read_bytes()
    assert (there.present, there.failed) == (6, 3)


def test_a_run_goes_on_where_it_was(address: str, tmp_path: Path) -> None:
    ready = prepared(tmp_path, "nothing", "process")
    some = runner.run(ready, tmp_path, RunOptions(dask=address, only=["nothing"]), announce=silent)
    rest = runner.run(ready, tmp_path, RunOptions(dask=address), announce=silent)
    none = runner.run(ready, tmp_path, NOWHERE, announce=silent)
    assert (some.computed, rest.computed, none.computed) == (1, 1, 0)


def test_linear_algebra_uses_one_thread(address: str, tmp_path: Path) -> None:
    ready = prepared(tmp_path, "threads")
    done = runner.run(ready, tmp_path, RunOptions(dask=address), announce=silent)
    assert [row.notes for row in read_trials(done.folder).by_key.values()] == ["[1]"]


def test_the_data_is_sent_once_and_unpacked_once_per_worker(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    monkeypatch.setattr(Job, "__getstate__", lambda self: (sent.append(1), vars(self))[1], raising=False)
    with distributed.Client(address, set_as_default=False) as client:
        client.run(cluster._unpacked.cache_clear)
        ready = prepared(tmp_path, "nap", repeats=6)
        found = list(cluster.run_on_cluster(ready.plan, ready.job, address, Interrupts(), silent))
        unpacked = client.run(cluster._unpacked.cache_info)
    assert [each.error for each in found] == [""] * 6
    assert len(sent) == 1
    assert [info.misses for info in unpacked.values()] == [1, 1]
    assert sum(info.hits for info in unpacked.values()) == 4
    assert len({each.times.worker for each in found}) == 2


def test_a_trial_whose_worker_dies_runs_again(address: str, tmp_path: Path) -> None:
    found = run_all(prepared(tmp_path, "kill", flag=tmp_path / "killed"), address)
    assert (tmp_path / "killed").exists()
    assert found["kill"].error == ""


def test_a_trial_that_kills_every_worker_fails_alone(address: str, tmp_path: Path) -> None:
    # Both workers die, and with them all that was sent to them.
    found = run_all(prepared(tmp_path, "kill", "nothing", "process"), address)
    assert {label: each.error for label, each in found.items()} == {
        "kill": "2 workers died while they ran it",
        "nothing": "",
        "process": "",
    }


def test_one_interrupt_finishes_what_runs_and_two_stop_now(address: str, tmp_path: Path) -> None:
    ready = prepared(tmp_path, "nap", repeats=8)
    with Interrupts() as interrupts:
        said: list[str] = []
        work = cluster.run_on_cluster(ready.plan, ready.job, address, interrupts, said.append)
        next(work)
        os.kill(os.getpid(), signal.SIGINT)
        assert 1 <= len(list(work)) <= 2
    assert said[1:] == ["Finishing the running trials; Ctrl-C again stops now."]
    with Interrupts() as interrupts:
        work = cluster.run_on_cluster(ready.plan, ready.job, address, interrupts, silent)
        next(work)
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert list(work) == []


def test_another_installation_on_a_worker_is_told(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "_code", lambda: "changed")
    with pytest.raises(NmfreproError, match=r"^the worker .* has nmfrepro .* \(code \w{12}\), and here is"):
        run_all(prepared(tmp_path, "nothing"), address)


def test_a_plug_in_that_workers_lack_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "my_own.py"
    own.write_text("")
    monkeypatch.setenv(plugins.VARIABLE, str(own))
    with pytest.raises(NmfreproError, match=r"has plug-ins none, and here is my_own\.py"):
        run_all(prepared(tmp_path, "nothing"), address)


def test_what_cannot_be_imported_on_the_cluster_is_one_line(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "work", Elsewhere())
    with pytest.raises(NmfreproError, match=r"^the cluster cannot run trials .*install nmfrepro") as told:
        run_all(prepared(tmp_path, "nothing"), address)
    assert "\n" not in str(told.value)


class Elsewhere:
    """A function that other processes do not find."""

    __name__ = "elsewhere"

    def __reduce__(self) -> Any:
        """As if it lay in a package that is only here."""
        return __import__, ("installed_only_here",)

    def __call__(self, *arguments: object) -> None:
        """Nothing."""


def test_where_no_scheduler_answers_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    answers = {
        "tcp://127.0.0.1:1": r"no scheduler answers there \(.*\)",
        "nonsense://x": "not the address of a scheduler; write tcp://host:8786",
    }
    for nowhere, answer in answers.items():
        with pytest.raises(NmfreproError, match=rf"^dask: {nowhere}: {answer}$"):
            run_all(prepared(tmp_path, "nothing"), nowhere)


def test_a_cluster_without_workers_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as empty,
        pytest.raises(NmfreproError, match=r"has no worker; start one with: dask worker"),
    ):
        run_all(prepared(tmp_path, "nothing"), empty.scheduler_address)


def test_a_scheduler_that_goes_away_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ready = prepared(tmp_path, "nap", repeats=4)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as local:
        work = cluster.run_on_cluster(ready.plan, ready.job, local.scheduler_address, Interrupts(), silent)
        assert next(work).error == ""
        local.close()
        with pytest.raises(NmfreproError, match=r"^dask: .*: the scheduler is gone .* goes on$"):
            list(work)
    assert "Traceback" not in capfd.readouterr().err


def test_without_distributed_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NmfreproError, match="pip install distributed"):
        run_all(prepared(tmp_path, "nothing"), "tcp://127.0.0.1:1")


def test_what_a_cluster_cannot_do_is_refused(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, timeout=9)
    with pytest.raises(SpecError, match=r"tiny\.yaml: timeout: .* add overrides: timeout=null"):
        check_where(spec, NOWHERE)
    timed = build(protocols.get("runtime"), {}, "protocol")
    with pytest.raises(SpecError, match="run it without dask"):
        check_where(replace(spec, timeout=None, protocol=timed), NOWHERE)
