"""nmfrepro reproduces the experiments of five papers on nonnegative matrix factorization of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["factorize"]

if TYPE_CHECKING:
    from .factorization import factorize


def __getattr__(name: str) -> object:
    # `import nmfrepro` alone loads nothing heavy: the command line must answer --help at once.
    if name in __all__:
        from . import factorization

        return getattr(factorization, name)
    raise AttributeError(f"module 'nmfrepro' has no attribute {name!r}")
