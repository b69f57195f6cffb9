"""Habits of a command line: completion, no colours, quiet, progress in logs, jobs in containers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commandline import invoke, nmfrepro
from tiny import write_spec

from nmfrepro import __version__
from nmfrepro.cli import COMMANDS, EXIT_CODES
from nmfrepro.runs import progress as shown
from nmfrepro.runs.progress import Progress


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """A function that gives what bash offers at the end of a line, with the script that --help names."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "nmfrepro"
    command.write_text(f"#!{sys.executable}\nfrom nmfrepro.cli import main\nmain()\n")
    command.chmod(0o755)
    source = 'eval "$(_NMFREPRO_COMPLETE=bash_source nmfrepro)"'
    assert source in EXIT_CODES
    path = os.pathsep.join([str(folder), os.environ["PATH"]])

    def offers(line: str) -> list[str]:
        words = line.split(" ")
        script = [
            source,
            "complete -p nmfrepro >&2",
            f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}",
            "_nmfrepro_completion nmfrepro",
            r"printf '%s\n' ${COMPREPLY[@]}",
        ]
        done = subprocess.run(
            [bash, "-c", "\n".join(script)],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "-F _nmfrepro_completion nmfrepro" in done.stderr
        return done.stdout.split()

    return offers


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("nmfrepro ta", ["table"]),
        ("nmfrepro c", [verb for verb in COMMANDS if verb.startswith("c")]),
        ("nmfrepro run --sm", ["--smoke"]),
        ("nmfrepro run digits_s", ["digits_smoke"]),
        ("nmfrepro fit faces.mat -a nlc", ["nlcf", "nlcf_g"]),
        ("nmfrepro list exp", ["experiments"]),
    ],
)
def test_bash_completes(complete: Callable[[str], list[str]], line: str, offered: list[str]) -> None:
    assert sorted(complete(line)) == sorted(offered)


def test_a_log_gets_no_carriage_returns_and_no_colours(tmp_path: Path) -> None:
    spec = str(write_spec(tmp_path))
    done = nmfrepro("run", spec, "--jobs", "1", "--results", str(tmp_path), FORCE_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert "6 of 6 trials" in done.stderr
    assert not {"\r", "\x1b"} & set(done.stderr + done.stdout)
    quiet = nmfrepro("run", spec, "--jobs", "1", "--results", str(tmp_path), "--fresh", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    wrong = nmfrepro("run", "nowhere.yaml", "--quiet", NO_COLOR="1")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("Error: nowhere.yaml: ")
    assert nmfrepro("--version").stdout == f"nmfrepro, version {__version__}\n"


def test_long_runs_tell_a_log_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(shown.time, "monotonic", lambda: now)
    with Progress("orl", {str(n): ("NMF", 1.0) for n in range(400)}) as log:
        for key in log.weights:
            now += 1.0
            log.finished(key, 1.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "  orl: 30 of 400 trials, about 6 min 10 s left"
    assert len(lines) == 13


def test_the_start_of_workers_is_not_taken_for_the_time_of_a_trial(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(shown.time, "monotonic", lambda: now)
    with Progress("orl", {str(n): ("NMF", 1.0) for n in range(49)}) as log:
        now += 31.0  # thirty seconds to start, one for the trial
        log.finished("0", 1.0)
    assert capsys.readouterr().err == "  orl: 1 of 49 trials, about 48 s left\n"


def test_the_time_left_knows_that_long_trials_came_first() -> None:
    trials = [("NMF", 10.0)] * 2 + [("PCA", 10.0)] * 2 + [("NMF", 1.0)] * 30
    work = Progress("orl", {str(n): trial for n, trial in enumerate(trials)}, shown=False)
    for key, seconds in (("0", 20.0), ("1", 20.0), ("2", 1.0), ("3", 1.0)):
        work.finished(key, seconds)
    # Thirty trials at two seconds a unit of weight, two workers: 42 seconds of work took 21.
    assert work.left(21.0) == pytest.approx(30.0)
    # The first small one took a tenth of a second, not two: the others are held to be like it.
    work.finished("4", 0.1)
    assert work.left(21.05) == pytest.approx(1.45)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_trials_without_a_weight_are_alike(weight: float) -> None:
    """A protocol of a user's may say anything."""
    work = Progress("own", {str(n): ("NMF", weight) for n in range(4)}, shown=False)
    work.finished("0", 2.0)
    assert work.left(2.0) == pytest.approx(6.0)


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Progress("orl", dict.fromkeys("abc", ("NMF", 1.0))) as bar:
        bar.finished("a", 0.5)
    assert "33%" in (said := capsys.readouterr().err)
    assert "1/3 trials" in said
    assert "left" in said


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_as_many_jobs_as_cores_that_may_be_used() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from nmfrepro.runs.workers import available_cores; print(available_cores())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_containers_share_of_processors_is_what_jobs_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    from joblib.externals.loky.backend import context

    from nmfrepro.runs.workers import available_cores

    monkeypatch.setattr(context, "_cpu_count_cgroup", lambda count: 1.0)
    assert available_cores() == 1


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["run", "digits_smoke", "--results", ""], "the argument behind --results"),
        (["run", "digits_smoke", "--results="], "--results"),
        (["clean", "--yes", ""], "the argument behind --yes"),
        (["data", "list", "--data-dir", ""], "the argument behind --data-dir"),
        (["fit", "", "-a", "nmf"], "the argument behind fit"),
    ],
)
def test_an_empty_path_is_not_the_current_folder(
    arguments: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes from a variable of the shell that is not set."""
    monkeypatch.chdir(tmp_path)
    done = invoke(*arguments)
    assert done.exit_code == 2
    assert f"Error: {what} is empty; give a value, or leave it out" in done.output
    assert list(tmp_path.iterdir()) == []
