"""Lloyd's iterations of k-means, for all that cluster by them."""

import warnings
from typing import Any

import numpy as np

from ...core.threads import one_thread
from .plain import Array


def lloyd(samples: Array, k: int, seed: int, **settings: Any) -> Any:
    """scikit-learn's k-means, fitted to samples as rows (n × m); fewer distinct ones leave clusters empty."""
    from sklearn.cluster import KMeans  # here, so that listing the algorithms stays quick
    from sklearn.exceptions import ConvergenceWarning

    # Several threads add what they have to the centers as they end: the last bits differ from run to run.
    with warnings.catch_warnings(), one_thread():
        # It says that distinct samples are fewer than k, which is seen in the clusters that are used.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, random_state=seed % 2**32, **settings).fit(np.ascontiguousarray(samples))
