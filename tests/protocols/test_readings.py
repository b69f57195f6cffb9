"""Both readings of the same fits."""

import numpy as np
import pytest
from protocolparts import BLOCKS, method

from nmfrepro import factorize, metrics
from nmfrepro.core import seeds
from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import Expected
from nmfrepro.protocols import Task
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.protocols.clusters import kmeans, read_clusters
from nmfrepro.protocols.draws import draw_classes
from nmfrepro.protocols.readings import Readings

TASK = {"k": 2, "draw": 0}


def task(name, **parameters):
    return Task(TASK, method(name, **parameters), FitSettings(max_iter=30), 7)


def protocol(cls=Readings, **options):
    return build(cls, {"clusters": [2]} | options, "protocol")


@pytest.mark.parametrize("name", ["nmf", "kmeans", "nsdr"])
def test_the_scores_are_those_of_two_runs(samples, name):
    both = protocol(restarts=3).run(task(name), samples).metrics
    argmax = protocol(Clustering).run(task(name), samples).metrics
    other = protocol(Clustering, assign={"kmeans": {"restarts": 3}}).run(task(name), samples).metrics
    assert {key: value for key, value in both.items() if not key.endswith("_kmeans")} == pytest.approx(
        argmax, nan_ok=True
    )
    assert both["accuracy_kmeans"] == other["accuracy"]
    assert both["nmi_kmeans"] == other["nmi"]


def test_each_reading_chooses_by_its_own_scores(samples):
    grid = {"mu": [0.0, 0.01, 100.0]}
    outcome = protocol(choose=grid).run(task("nlcf"), samples)
    members = draw_classes(samples, 7, "blocks", 2, 0)
    notes = [each for each in outcome.notes if "chose" in each]
    for end, note in zip(("", "_kmeans"), notes, strict=True):
        assert note.startswith(f"on other draws chose mu{end} = ")
        mu = float(note.rpartition("= ")[2])
        fit = factorize(samples.X[members].T, "nlcf", 2, seed=outcome.fit_seed, max_iter=30, mu=mu)
        seed = seeds.derive("reader", 7, "blocks", 2, 0)
        clusters = kmeans(fit.embedding, 2, 10, seed) if end else np.argmax(fit.embedding, axis=1)
        assert outcome.metrics[f"accuracy{end}"] == metrics.accuracy(samples.y[members], clusters)


def test_labels_are_within_the_images_that_are_drawn():
    protocol(images=4, labelled=4).check(BLOCKS, [task("cnmf").algorithm])
    with pytest.raises(SpecError, match="labelled has 5 of each class, but the smallest class has 4"):
        protocol(images=4, labelled=5).check(BLOCKS, [task("cnmf").algorithm])


def test_at_most_so_many_images_of_a_class(samples):
    few, all_ = protocol(images=4), protocol(images=400)
    members = few._images(samples, draw_classes(samples, 7, "blocks", 2, 0), (7, "blocks", 2, 0))
    assert np.unique(samples.y[members], return_counts=True)[1].tolist() == [4, 4]
    assert few.run(task("nmf"), samples).arrays["samples"].tolist() == members.tolist()
    assert few.run(task("kmeans"), samples).arrays["samples"].tolist() == members.tolist()
    assert all_.run(task("nmf"), samples).metrics == pytest.approx(
        protocol().run(task("nmf"), samples).metrics, nan_ok=True
    )


def test_draws_of_the_same_classes_are_the_same_where_all_their_images_are_taken():
    found = [protocol(images=images).whole_classes({}, (20, 30)) for images in (None, 30, 29)]
    assert found == [True, True, False]


def test_assign_is_refused():
    with pytest.raises(SpecError, match="leave assign out"):
        protocol(assign="kmeans")


def test_encodings_that_differ_by_rounding_leave_clusters_empty_without_a_warning() -> None:
    """Scikit-learn's warning reached the terminal with --quiet; the note on used clusters says it."""
    encodings = np.repeat([[1.0, 2.0], [5.0, 1.0]], 6, axis=0) * (1 + 3e-16 * np.arange(12)[:, None])
    assert len(np.unique(encodings, axis=0)) == 12
    clusters = kmeans(encodings, 6, 2, 0)
    assert len(set(clusters)) < 6
    assert not set(clusters[:6]) & set(clusters[6:])


def test_more_clusters_than_classes_are_noted():
    """Encodings of methods on images have k² entries, all of which their largest may be."""
    found = factorize(np.eye(6), "nmf", 6, max_iter=50, seed=1)
    clusters, notes = read_clusters(found, 4, None, 0)
    assert len(set(clusters)) == 6
    assert notes == ("6 clusters are used for 4 classes: encodings have more entries than k",)


def test_more_clusters_than_a_side_has_pixels_are_refused_where_there_are_no_such_factors():
    digits, nine = Expected(1797, 10, 174, 64, (8, 8)), {"clusters": [9]}
    for cls in (Clustering, Readings):
        for name in ("ntf", "nmsf", "twodnmf"):
            protocol(cls, **nine).check(digits, [task(name).algorithm])
        protocol(cls, **nine).check(digits, [task("glram", l1=8, l2=4).algorithm])
        with pytest.raises(
            SpecError, match="clusters has k = 9, but glram: l1 = 9 exceeds the images' 8 rows"
        ):
            protocol(cls, **nine).check(digits, [task("glram").algorithm])
