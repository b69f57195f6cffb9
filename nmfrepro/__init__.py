"""nmfrepro reproduces the experiments of five papers on nonnegative matrix factorization of images.

From Python: `factorize` computes one factorization, `run` runs a spec, `table` reads its table.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["factorize", "kkt_residual", "reference", "run", "table"]

if TYPE_CHECKING:
    from .factorization import factorize, kkt_residual
    from .notebook import run, table
    from .results.reference import reference

_HOMES = {
    "factorize": "factorization",
    "kkt_residual": "factorization",
    "reference": "results.reference",
    "run": "notebook",
    "table": "notebook",
}


def __getattr__(name: str) -> object:
    # `import nmfrepro` alone loads nothing heavy: the command line must answer --help at once.
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module 'nmfrepro' has no attribute {name!r}")
