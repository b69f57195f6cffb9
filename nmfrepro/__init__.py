"""nmfrepro reproduces the experiments of five papers on nonnegative matrix factorization of images.

From Python: `factorize` computes one factorization, `run` runs a spec; `table`, `compare`, `stats`, `plot`
and `report` show its results, `reference` has those that come with nmfrepro, `load_dataset` reads images,
`estimators` has every method but k-means for scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = [
    "compare",
    "estimators",
    "factorize",
    "kkt_residual",
    "load_dataset",
    "metrics",
    "plot",
    "reference",
    "report",
    "run",
    "stats",
    "table",
]

if TYPE_CHECKING:
    from . import estimators, metrics
    from .commands import compare, load_dataset, plot, report, run, stats, table
    from .factorization import factorize, kkt_residual
    from .results.reference import reference

_HOMES = {
    "commands": ("compare", "load_dataset", "plot", "report", "run", "stats", "table"),
    "factorization": ("factorize", "kkt_residual"),
    "results.reference": ("reference",),
}


def __getattr__(name: str) -> object:
    # `import nmfrepro` alone loads nothing heavy: the command line must answer --help at once.
    if name in ("estimators", "metrics"):
        return importlib.import_module(f".{name}", __name__)
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f".{home}", __name__), name)
    raise AttributeError(f"module 'nmfrepro' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
