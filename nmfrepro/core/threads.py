"""How many threads the libraries of linear algebra and of k-means have."""

from __future__ import annotations

import functools
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

LARGE = 10**8
"""Entries of X times k from which on libraries keep their threads; in less work they wait for each other."""


def one_thread(work: int = 0) -> AbstractContextManager[object]:
    """One thread in the libraries loaded so far, as the workers of a run have, unless the work is large.

    `work` is entries of X times k, where many may have more threads.
    """
    if work >= LARGE:
        return nullcontext()
    return _libraries("sklearn.cluster" in sys.modules).limit(limits=1)


@functools.cache
def _libraries(of_kmeans: bool) -> ThreadpoolController:
    """All that are loaded, those of scikit-learn's k-means too where it is."""
    import scipy.linalg  # noqa: F401  # its BLAS is another than NumPy's
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
