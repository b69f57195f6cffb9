"""Nearest neighbour and the linear SVM on features of a split's images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..metrics import Metric, recognition_rate
from .draws import Split

METRICS = {
    "nn": Metric(
        "NN",
        "share of test samples whose nearest training sample is of their class; no matching",
        chosen_by="nn_validation",
        counted=True,
    ),
    "nn_validation": Metric("NN, validation", "as NN, on the validation samples"),
    "svm": Metric(
        "SVM",
        "share of test samples that the support vector machine gives their class; no matching",
        chosen_by="svm_validation",
        counted=True,
    ),
    "svm_validation": Metric("SVM, validation", "as SVM, on the validation samples"),
}
CLASSIFIERS = ("nn", "svm")
MULTICLASS = ("one-vs-one", "one-vs-rest")


def rates(
    names: Iterable[str], features: np.ndarray, svm_c: float, svm_multiclass: str, y: np.ndarray, split: Split
) -> dict[str, float]:
    """Recognition rates by metric, of these classifiers on the test and, where there are, validation images.

    Parameters
    ----------
    names : iterable of str
        Of `CLASSIFIERS`.
    features : ndarray, shape (n, d)
        Of all images.
    svm_c : float
    svm_multiclass : str
        One of `MULTICLASS`.
    y : ndarray of int, shape (n,)
    split : Split
    """
    found: dict[str, float] = {}
    for name in names:
        train = features[split.train]
        model = classifier(name, svm_c, svm_multiclass, train).fit(train, y[split.train])
        for metric, images in ((name, split.test), (METRICS[name].chosen_by, split.validation)):
            if len(images):
                found[metric] = recognition_rate(y[images], model.predict(features[images]))
    return found


def classifier(name: str, svm_c: float, svm_multiclass: str, train: np.ndarray) -> Any:
    """An untrained classifier of scikit-learn: "nn" or "svm".

    The SVM's features are divided by the root of the mean squared length of the training features, since the
    scale of a basis is free in most methods and C would mean something else in each of them.
    """
    if name == "nn":
        from sklearn.neighbors import KNeighborsClassifier  # here, so that reading a spec needs none of it

        return KNeighborsClassifier(n_neighbors=1, algorithm="brute", metric="euclidean")
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    # C / s² with unscaled features is the same problem as C with features divided by s.
    scale = float(np.mean(np.einsum("ij,ij->i", train, train)))
    machine = SVC(kernel="linear", C=svm_c / scale)
    return machine if svm_multiclass == "one-vs-one" else OneVsRestClassifier(machine)
