"""k-means on principal components, a baseline of clustering."""

from dataclasses import dataclass, replace

from ..core.options import option
from ..core.problem import Fit, FitSettings, Problem
from .engine.base import Look
from .kmeans import KMeans
from .pca import PCA


@dataclass(frozen=True)
class PCAKMeans(PCA):
    """k-means on the scores of the first k principal components; clusters are its labels.

    Components as `pca` has them; k-means++ starts, of which the one with the lowest cost is kept.
    """

    name = "pca_kmeans"
    title = "PCA + k-means"
    paper = "Ding and He, K-means clustering via principal component analysis, ICML 2004"
    cites = ("ding2004pcakmeans",)
    look = Look(colour="grey", marker="D", dash="--")
    objective_text = PCA.objective_text
    uncertain = ("k components, as the other methods; the paper's k clusters lie in k − 1.",)
    has_labels = True

    restarts: int = option(20, low=1, help="starts of the k-means; the one with the lowest cost is kept")

    check_problem = KMeans.check_problem  # at least k samples

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """Components, scores, and the clusters of the scores."""
        found = super().fit(problem, settings, seed)
        assert found.embedding is not None
        scores = replace(problem, X=found.embedding.T)
        clustered = KMeans(init="k-means++", restarts=self.restarts).fit(scores, settings, seed)
        return replace(found, labels=clustered.labels, notes=(*found.notes, *clustered.notes))
