"""GNMF with labels in its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.problem import Problem
from .engine.base import Look
from .engine.plain import Array
from .gnmf import GNMF

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class SemiGNMF(GNMF):
    """GNMF whose graph knows the labels: the semi-supervised rival in the CNMF paper.

    Two labelled samples are joined with weight 1 if their classes agree and not at all if they differ; every
    other pair keeps its weight in the graph of nearest neighbours.  Objective and updates are GNMF's.
    Without labels it is GNMF.
    """

    name = "semi_gnmf"
    paper = (
        "Liu, Wu, Li, Cai and Huang, Constrained nonnegative matrix factorization for image representation, "
        "IEEE Trans. Pattern Analysis and Machine Intelligence 34(7), 2012, after Cai et al. 2011"
    )
    cites = ("liu2012cnmf", "cai2011gnmf")
    look = Look(colour="green", marker="v", dash="-.")
    objective_text = GNMF.objective_text
    uncertain = (
        *GNMF.uncertain,
        "The CNMF paper asks only for some large weight between samples of a class; 1 is Cai's default.",
        "Whether neighbours keep their edges where a sample is unlabelled is not stated: they do, as in "
        "Cai's program.",
    )
    needs_labels = True

    def graph(self, problem: Problem) -> csr_array:
        """The weights, rewritten where both samples are labelled."""
        assert problem.labels is not None
        return with_labels(super().graph(problem), problem.labels)


def with_labels(W: csr_array, labels: Array) -> csr_array:
    """The weights W with 1 between labelled samples of one class and 0 between those of two.

    That is W − KWK + CCᵀ − K, K the diagonal of which samples are labelled and C (n × c) their classes.

    Parameters
    ----------
    W : csr_array, shape (n, n)
    labels : ndarray of int, shape (n,)
        Class codes, −1 = unlabelled.
    """
    from scipy.sparse import csr_array, diags_array  # here, so that listing the algorithms needs no SciPy

    known = labels >= 0
    C = csr_array((labels[:, None] == np.unique(labels[known])).astype(float))
    K = diags_array(known.astype(float))
    return W - K @ W @ K + (C @ C.T - K)
