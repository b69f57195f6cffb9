"""Ctrl-C and SIGTERM while trials are run, on this machine or elsewhere."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Self

from ..results.record import TrialRecord


class Interrupts:
    """Counts Ctrl-C while active: one asks to finish the running trials, two to stop now, as SIGTERM does."""

    def __init__(self) -> None:
        self.count, self._told = 0, False
        self.signal = 0  # that which ended the work, if any did
        # There is something to receive when one has come, so that a wait for it and workers ends.
        self.bell, self._ring = multiprocessing.Pipe(duplex=False)

    def __enter__(self) -> Self:
        # Signals reach the main thread only; elsewhere (a notebook's helper thread) Ctrl-C stays as it is.
        self._active = threading.current_thread() is threading.main_thread()
        if self._active:
            self._old = {each: signal.signal(each, self._note) for each in (signal.SIGINT, signal.SIGTERM)}
        return self

    def heed(self, work: Iterable[TrialRecord]) -> Iterator[TrialRecord]:
        """The trials of some work; one whose method has raised KeyboardInterrupt counts as Ctrl-C."""
        for each in work:
            if each.status == "missing":
                self.count, self.signal = max(self.count, 1), self.signal or signal.SIGINT
            else:
                yield each

    def tell(self, announce: Callable[[str], None]) -> None:
        """Say, once, what the first one asked for."""
        if self.count and not self._told:
            announce("Finishing the running trials; Ctrl-C again stops now.")
            self._told = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.signal = max(self.signal, number)
        if number == signal.SIGTERM:  # of a batch system, which soon kills
            self.count = max(self.count, 2)
        if self.count <= 2:  # nobody listens to more, and a full pipe would block
            self._ring.send_bytes(b"!")

    def __exit__(self, *exception: object) -> None:
        if self._active:
            for number, old in self._old.items():
                signal.signal(number, old or signal.SIG_DFL)  # None: not of Python
        self._ring.close()
        self.bell.close()


def ended_by(number: int) -> BaseException:
    """What work ends in after a signal: KeyboardInterrupt for Ctrl-C, for SIGTERM the exit code 143."""
    return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)
