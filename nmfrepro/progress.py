"""Progress of trials: a bar on a terminal, now and then a line in a log or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Sized
from types import TracebackType
from typing import Any, Self

# Seconds between two lines of a log.
INTERVAL = 30.0


def progress(name: str, trials: Sized) -> Any:
    """A context manager that is told of finished trials by ``update(n)``; it writes to stderr.

    Parameters
    ----------
    name : str
        Of the spec.
    trials : sized
        What is to run.
    """
    from tqdm import tqdm

    if sys.stderr.isatty():
        return tqdm(total=len(trials), desc=f"  {name}", unit="trial", smoothing=0.05, dynamic_ncols=True)
    return Lines(name, len(trials))


class Lines:
    """Progress where carriage returns are of no use: at most a line every `INTERVAL` seconds."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total, self._done = name, total, 0

    def __enter__(self) -> Self:
        self._start = self._last = time.monotonic()
        return self

    def update(self, n: int, /) -> None:
        """Told of every finished trial."""
        self._done += n
        now = time.monotonic()
        if now - self._last >= INTERVAL and self._done < self._total:
            self._last = now
            left = (now - self._start) / self._done * (self._total - self._done)
            text = f"  {self._name}: {self._done} of {self._total} trials, about {duration(left)} left"
            print(text, file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Say nothing more: how a run ended is told by who started it."""


def duration(seconds: float) -> str:
    """Seconds as people say them: 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
