"""Readers in a child process: whatever happens to it, one line comes of it, and the parent goes on."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, load
from nmfrepro.datasets.formats import quarantine
from nmfrepro.datasets.formats.quarantine import quarantined

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and bounds that are reached soon."""
    monkeypatch.setattr(quarantine, "SECONDS", 1)
    monkeypatch.setattr(quarantine, "MEMORY", 200 * 2**20)
    np.savez(tmp_path / "f.npz", X=np.arange(12.0).reshape(6, 2), y=[1, 1, 1, 2, 2, 2])
    return tmp_path / "f.npz"


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The process numbers of the readers; other tests of the same process may have children of their own."""
    numbers: list[int] = []
    fork = os.fork

    def noted() -> int:
        number = fork()
        if number:
            numbers.append(number)
        return number

    monkeypatch.setattr(os, "fork", noted)
    return numbers


def assert_gone(children: list[int]) -> None:
    assert children
    for number in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(number, os.WNOHANG)


def spin(path: Path) -> None:
    while True:
        pass


def eat(path: Path) -> int:
    return sum(len(part) for part in [bytes(2**20) for _ in range(10_000)])


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (spin, "takes more than 1 seconds to read, out of proportion to its size"),
        (eat, "needs more memory than a reader may take, 0.195312 GiB or half of this machine's"),
        (lambda path: ctypes.string_at(0), r"reading it ends the reader \(SIGSEGV\)"),
        (lambda path: os.abort(), r"reading it ends the reader \(SIGABRT\)"),
        (lambda path: os.kill(os.getpid(), signal.SIGKILL), r"reading it ends the reader \(SIGKILL\)"),
        (lambda path: os._exit(3), r"reading it ends the reader \(no answer\)"),
        (lambda path: [][1], r"is damaged or not what it seems \(list index out of range\)"),
        (lambda path: sys.exit(1), "reading it ends the reader"),
        (lambda path: lambda: None, "reading it ends the reader"),
    ],
)
def test_whatever_ends_the_reader_is_one_line(
    path: Path,
    read: Callable[[Path], object],
    message: str,
    capfd: pytest.CaptureFixture[str],
    children: list[int],
) -> None:
    with pytest.raises(DataError, match=rf"f\.npz .*{message}") as caught:
        quarantined(read, path)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert_gone(children)


def test_a_reader_that_waits_is_ended_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quarantine, "PATIENCE", 1)
    with pytest.raises(DataError, match="takes more than 1 seconds to read"):
        quarantined(lambda path: time.sleep(600), path)


def test_answers_are_whole_whatever_their_size(path: Path) -> None:
    X = quarantined(lambda path: np.arange(2_000_000.0), path)
    np.testing.assert_array_equal(X, np.arange(2_000_000.0))
    X[0] = 1  # and no view of something that is gone


def test_an_interrupt_ends_the_reader(
    path: Path, monkeypatch: pytest.MonkeyPatch, children: list[int]
) -> None:
    monkeypatch.setattr(quarantine, "SECONDS", 600)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            quarantined(spin, path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert_gone(children)


def loaded(path: str) -> list[float]:
    return load(DatasetOptions(file=path, scale="none")).X[0].tolist()


def test_in_a_daemon_and_in_a_thread(path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(loaded, [str(path)]) == [[0.0, 1.0]]
    found: list[list[float]] = []
    thread = threading.Thread(target=lambda: found.append(loaded(str(path))))
    thread.start()
    thread.join()
    assert found == [[0.0, 1.0]]


@pytest.mark.parametrize("closing", ["", "<&- >&- 2>&-"])
def test_in_a_script_on_standard_input(path: Path, closing: str) -> None:
    script = f"""
from pathlib import Path
from nmfrepro.datasets import DatasetOptions, load
data = load(DatasetOptions(file={str(path)!r}, scale="none"))
Path({str(path.with_name("done"))!r}).write_text(str(data.X.tolist()))
"""
    if closing:
        path.with_name("s.py").write_text(script)
        command = ["sh", "-c", f'exec "$0" "$1" {closing}', sys.executable, str(path.with_name("s.py"))]
        subprocess.run(command, check=True)
    else:
        subprocess.run([sys.executable, "-"], input=script.encode(), check=True)
    assert path.with_name("done").read_text().startswith("[[0.0, 1.0]")


def test_without_fork_the_file_is_read_here(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert loaded(str(path)) == [0.0, 1.0]
    with pytest.raises(DataError, match=r"f\.npz is damaged or not what it seems \(list index"):
        quarantined(lambda path: [][1], path)
