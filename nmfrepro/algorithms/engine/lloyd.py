"""Lloyd's iterations of k-means, and what all methods that cluster by them ask of their data."""

import warnings
from typing import Any

import numpy as np

from ...core.errors import SpecError
from ...core.problem import Problem
from ...core.threads import one_thread
from .plain import Array


def require_samples(name: str, problem: Problem) -> None:
    """Raise `SpecError` where the method of that name would have fewer samples than clusters."""
    if problem.k > problem.n:
        raise SpecError(f"{name}: k = {problem.k} clusters need as many samples, and X has {problem.n}")


def lloyd(samples: Array, k: int, seed: int, **settings: Any) -> Any:
    """scikit-learn's k-means, fitted to samples as rows (n × m); fewer distinct ones leave clusters empty."""
    from sklearn.cluster import KMeans  # here, so that listing the algorithms stays quick
    from sklearn.exceptions import ConvergenceWarning

    # Several threads add what they have to the centers as they end: the last bits differ from run to run.
    with warnings.catch_warnings(), one_thread():
        # It says that distinct samples are fewer than k, which is seen in the clusters that are used.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, random_state=seed % 2**32, **settings).fit(np.ascontiguousarray(samples))
