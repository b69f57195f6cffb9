"""Progress of trials: a bar on a terminal, now and then a line in a log or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

# Seconds between two lines of a log.
INTERVAL = 30.0


class Workload:
    """Trials that are to run, and how long the rest of them will take.

    Trials are started long ones first, so their number says little of the time: the rest is taken to need as
    long per unit of weight as the finished trials of the same column did.

    Parameters
    ----------
    weights : sequence of (str, float)
        Column and weight of every trial, in the order they are started.
    """

    def __init__(self, weights: Sequence[tuple[str, float]]) -> None:
        self.weights, self.done = weights, 0
        self._left: dict[str, float] = {}
        for column, weight in weights:
            self._left[column] = self._left.get(column, 0.0) + weight
        self._took = dict.fromkeys(self._left, (0.0, 0.0))

    def finished(self, column: str, weight: float, seconds: float) -> None:
        """Count a finished trial."""
        self.done += 1
        self._left[column] -= weight
        past, weights = self._took[column]
        self._took[column] = past + seconds, weights + weight

    def left(self, elapsed: float) -> float:
        """Seconds that the rest will take if it goes on as in the `elapsed` seconds so far."""
        seconds, weights = (sum(each) for each in zip(*self._took.values(), strict=True))
        rest = 0.0
        for column, weight in self._left.items():
            past, counted = self._took[column]
            rest += weight * (past / counted if counted else seconds / weights)
        return elapsed * rest / seconds if seconds else 0.0


def progress(name: str, work: Workload) -> Any:
    """A context manager that is told of finished trials by ``update(n)``; it writes to stderr.

    Parameters
    ----------
    name : str
        Of the spec.
    work : Workload
        Is told of a finished trial before the progress is.
    """
    return (Bar if sys.stderr.isatty() else Lines)(name, work)


class _Timed:
    def __init__(self, name: str, work: Workload) -> None:
        self._name, self._work = name, work

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        return self

    def _left(self) -> str:
        return f"about {duration(self._work.left(time.monotonic() - self._start))} left"


class Bar(_Timed):
    """A bar of tqdm."""

    def __enter__(self) -> Self:
        from tqdm import tqdm

        self._bar = tqdm(
            total=len(self._work.weights),
            desc=f"  {self._name}",
            dynamic_ncols=True,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} trials, {elapsed}{postfix}",
        )
        return super().__enter__()

    def update(self, n: int, /) -> None:
        """Told of every finished trial."""
        over = self._work.done == len(self._work.weights)
        self._bar.set_postfix_str("" if over else self._left(), refresh=False)
        self._bar.update(n)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Leave the bar as it is: how a run ended is told by who started it."""
        self._bar.close()


class Lines(_Timed):
    """Progress where carriage returns are of no use: at most a line every `INTERVAL` seconds."""

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return super().__enter__()

    def update(self, n: int, /) -> None:
        """Told of every finished trial."""
        now = time.monotonic()
        if now - self._last >= INTERVAL and self._work.done < len(self._work.weights):
            self._last = now
            text = f"  {self._name}: {self._work.done} of {len(self._work.weights)} trials, {self._left()}"
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
