"""k-means on the samples themselves, the baseline of the clustering tables."""

from dataclasses import dataclass

import numpy as np

from ..core import seeds
from ..core.errors import SpecError
from ..core.options import option
from ..core.problem import Fit, FitSettings, Problem
from .engine.base import Direct, Look
from .engine.lloyd import lloyd

# Lloyd's iterations per start at most; labels repeat long before.
MAX_ITER = 100


@dataclass(frozen=True)
class KMeans(Direct):
    """k-means clustering of the columns of X.

    Minimises ``O = Σ_i ‖x_i − c_label(i)‖²`` over k centers (m × k) and n labels by Lloyd's iterations: every
    sample goes to its nearest center, every center becomes the mean of its samples, until no label changes
    or for 100 iterations.  An emptied cluster takes the sample farthest from its center.  Of all starts the
    one with the lowest O is kept.  Computed by scikit-learn's ``KMeans(algorithm="lloyd", tol=0)``.

    There is no embedding: the method yields labels.
    """

    name = "kmeans"
    title = "Kmeans"
    paper = "Lloyd, Least squares quantization in PCM, IEEE Trans. Information Theory 28(2), 1982"
    cites = ("lloyd1982kmeans",)
    look = Look(colour="grey", marker=">", dash=":")
    objective_text = "Σ_i ‖x_i − c_label(i)‖²"
    uncertain = (
        "How many starts the printed k-means baselines used is not stated; one random start is nearest to "
        "the published ORL numbers, the best of ten scores six points more.",
        "Start: k different samples; k-means++, the habit of today's libraries, is init: k-means++.",
    )
    signed = True
    factors = {"centers": ("m", "k")}
    has_encodings = False
    has_labels = True

    init: str = option("random", choices=("random", "k-means++"), help="how the first centers are chosen")
    restarts: int = option(1, low=1, help="starts; the one with the lowest objective is kept")

    def check_problem(self, problem: Problem) -> None:
        """There must be at least k samples."""
        if problem.k > problem.n:
            what = f"k = {problem.k} clusters need as many samples, and X has {problem.n}"
            raise SpecError(f"{self.name}: {what}")

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """Cluster; fewer distinct samples than k leave clusters empty, which the notes say."""
        solver = lloyd(
            problem.X.T,
            problem.k,
            seeds.derive(seed, "start", "centers"),
            init=self.init,
            n_init=self.restarts,
            max_iter=MAX_ITER,
            tol=0,
        )
        found = len(np.unique(solver.labels_))
        return Fit(
            factors={"centers": np.ascontiguousarray(solver.cluster_centers_.T)},
            embedding=None,
            labels=solver.labels_.astype(np.int64),
            objective=np.array([solver.inertia_], dtype=np.float64),
            n_iter=int(solver.n_iter_),
            converged=bool(solver.n_iter_ < MAX_ITER),
            notes=(f"only {found} of {problem.k} clusters have members",) if found < problem.k else (),
        )
