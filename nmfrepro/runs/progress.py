"""Progress of trials: a bar on a terminal, now and then a line in a log or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Self

# Seconds between two lines of a log.
INTERVAL = 30.0
# The weight of a trial whose protocol gives it none.
WEIGHTLESS = 1e-9


class Progress:
    """Trials that are to run: which are done, and how long the rest of them will take.

    Trials are started long ones first, so their number says little of the time: the rest is taken to need as
    long per unit of weight as the lightest finished trials of the same column did, which are nearest to it.

    As a context manager it says on stderr how far it is: by a bar on a terminal, else by lines now and then.

    Parameters
    ----------
    name : str
        Of the spec.
    weights : mapping of str to (str, float)
        By key the column of every trial, and its weight.
    shown : bool
        Whether anything is said.
    """

    def __init__(self, name: str, weights: Mapping[str, tuple[str, float]], shown: bool = True) -> None:
        self.done = 0
        # Trials that a protocol gives no weight are alike, and next to nothing beside others.
        self.weights = {
            key: (column, weight if 0 < weight < float("inf") else WEIGHTLESS)
            for key, (column, weight) in weights.items()
        }
        self._name, self._shown = name, shown
        self._bar: Any = None
        self._left: dict[str, float] = {}
        for column, weight in self.weights.values():
            self._left[column] = self._left.get(column, 0.0) + weight
        self._seconds = 0.0  # of all finished trials, each on its own
        # Of each column: the lightest weight finished, and the seconds and weights of those trials.
        self._took = dict.fromkeys(self._left, (float("inf"), 0.0, 0.0))

    def __enter__(self) -> Self:
        self._begun = self._last = time.monotonic()
        if self._shown and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=len(self.weights),
                desc=f"  {self._name}",
                dynamic_ncols=True,
                bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} trials, {elapsed}{postfix}",
            )
        return self

    def finished(self, key: str, seconds: float) -> None:
        """Count a finished trial."""
        column, weight = self.weights[key]
        self.done += 1
        self._left[column] -= weight
        self._seconds += seconds
        lightest, past, weights = self._took[column]
        if weight < lightest:
            self._took[column] = weight, seconds, weight
        elif weight == lightest:
            self._took[column] = weight, past + seconds, weights + weight
        if self._shown:
            self._show()

    def _show(self) -> None:
        now, total = time.monotonic(), len(self.weights)
        if self.done == 1:  # workers take seconds to start, which say nothing of the trials
            self._begun = now - self._seconds
        left = "" if self.done == total else f"about {duration(self.left(now - self._begun))} left"
        if self._bar is not None:
            self._bar.set_postfix_str(left, refresh=False)
            self._bar.update()
        elif left and now - self._last >= INTERVAL:
            self._last = now
            print(f"  {self._name}: {self.done} of {total} trials, {left}", file=sys.stderr, flush=True)

    def left(self, elapsed: float) -> float:
        """Seconds that the rest will take if it goes on as in the `elapsed` seconds so far."""
        _, seconds, weights = (sum(each) for each in zip(*self._took.values(), strict=True))
        rest = 0.0
        for column, weight in self._left.items():
            _, past, counted = self._took[column]
            rest += weight * (past / counted if counted else seconds / weights)
        return elapsed * rest / self._seconds if self._seconds else 0.0

    def __exit__(self, *exception: object) -> None:
        """Leave the bar as it is: how a run ended is told by who started it."""
        if self._bar is not None:
            self._bar.close()


def duration(seconds: float) -> str:
    """Seconds as people say them: 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
