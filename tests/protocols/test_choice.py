"""Parameters chosen on draws that take no part in what is reported."""

import itertools
import re

import numpy as np
import pytest
from protocolparts import BLOCKS, method

from nmfrepro import factorize, metrics
from nmfrepro.core import seeds
from nmfrepro.core.errors import FitError, SpecError
from nmfrepro.core.options import build
from nmfrepro.core.problem import FitSettings
from nmfrepro.protocols import Task
from nmfrepro.protocols.choice import choose
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.protocols.draws import draw_classes

GRID = {"mu": [0.0, 0.1, 100.0]}


def protocol(**options):
    return build(Clustering, {"clusters": [2]} | options, "protocol clustering")


def task(name="nlcf", draw=0, **parameters):
    return Task({"k": 2, "draw": draw}, method(name, **parameters), FitSettings(max_iter=30), 7)


def test_the_best_mean_is_taken_and_the_earlier_of_equals():
    scores = {0.0: [0.5, 0.9], 0.1: [0.8, 0.7], 1.0: [0.7, 0.8]}
    grids = {"mu": (0.0, 0.1, 1.0)}
    ((chosen, note),) = choose(grids, method("nlcf"), 2, lambda each, i: {"nmi": scores[each.mu][i]}, "nmi")
    assert (chosen.mu, note) == (0.1, "on other draws chose mu = 0.1")

    def fails(each, i):
        if each.mu != 1.0:
            raise FitError("collapsed")
        return {"nmi": 0.1}

    assert choose(grids, method("nlcf"), 2, fails, "nmi")[0][0].mu == 1.0
    with pytest.raises(FitError, match="no combination of mu can be fitted; the last: always"):
        choose(grids, method("nlcf"), 1, lambda each, i: (_ for _ in ()).throw(FitError("always")), "nmi")


def test_the_reported_fit_is_that_of_the_value_chosen(samples):
    outcome = protocol(choose=GRID).run(task(), samples)
    (note,) = [each for each in outcome.notes if "chose" in each]
    value = float(note.rpartition("= ")[2])
    members = draw_classes(samples, 7, "blocks", 2, 0)
    again = factorize(samples.X[members].T, "nlcf", 2, seed=outcome.fit_seed, max_iter=30, mu=value)
    assert again.objective[-1] == outcome.objective
    plain = protocol().run(task(mu=value), samples)
    assert plain.metrics == outcome.metrics  # the same draw and start as without a choice: pairs stay pairs


def test_the_choice_is_made_by_the_scores_on_the_other_draws(samples):
    outcome = protocol(choose=GRID, choose_draws=2).run(task(draw=1), samples)
    means = {}
    for mu in GRID["mu"]:
        found = []
        for number in range(2):
            members = draw_classes(samples, 7, "blocks", 2, 1, number, stream="choice")
            seed = seeds.derive("fit", "choice", 7, "blocks", 2, 1, number)
            fit = factorize(samples.X[members].T, "nlcf", 2, seed=seed, max_iter=30, mu=mu)
            found.append(metrics.accuracy(samples.y[members], fit.embedding.argmax(axis=1)))
        means[mu] = np.mean(found)
    assert any(f"chose mu = {max(means, key=means.get):g}" in note for note in outcome.notes)


def test_draws_of_other_classes_share_no_image(samples):
    for draw in range(5):
        reported = draw_classes(samples, 7, "blocks", 2, draw)
        apart = np.unique(samples.y[reported])
        other = draw_classes(samples, 7, "blocks", 2, draw, 0, stream="choice", apart=apart)
        assert not set(reported) & set(other)
        assert len(np.unique(samples.y[other])) == 2


@pytest.mark.parametrize(("k", "n_classes"), [(2, 4), (2, 3), (4, 5), (5, 9), (6, 7), (7, 7)])
def test_the_note_says_how_many_classes_draws_have_in_common_at_least(k, n_classes):
    """Where nearly all classes are drawn, draws to choose on are nearly the reported one."""
    draws = [set(each) for each in itertools.combinations(range(n_classes), k)]
    least = min(len(one & other) for one, other in itertools.product(draws, repeat=2))
    own = protocol(choose=GRID, clusters=[2, k] if k > 2 else [2])
    (note,) = own.notes_on([9] * n_classes)
    said = f"takes no part in it, but at k = {k} shares at least {least} class"
    assert (said in note) == (0 < least < n_classes)
    assert note.endswith("it." if least in (0, n_classes) else "with every other.")
    (note,) = protocol(choose=GRID, clusters=[2, 6, 7]).notes_on([9] * 7)  # of all classes nothing is drawn
    assert "at k = 6 shares at least 5 classes" in note
    (note,) = protocol(choose=GRID, clusters=own.clusters, choose_from="classes").notes_on([9] * n_classes)
    assert note.endswith("takes no part in it.")


def test_keys_change_for_the_methods_concerned_only():
    plain, choosing = protocol(), protocol(choose=GRID)
    assert choosing.identity(method("nmf")) == plain.identity(method("nmf"))
    assert choosing.identity(method("nlcf")) != plain.identity(method("nlcf"))
    assert choosing.identity(method("nlcf")) != protocol(choose=GRID, choose_draws=5).identity(method("nlcf"))
    assert choosing.weight(task()) == 10 * choosing.weight(task("nmf"))


def test_choices_that_cannot_be_made_are_refused():
    with pytest.raises(SpecError, match=r"no listed algorithm has all the parameters of choose \(mu\)$"):
        protocol(choose=GRID).check(BLOCKS, [method("nmf")])
    with pytest.raises(SpecError, match="k = 4, but with 4 classes choose needs k <= 3"):
        protocol(choose=GRID, clusters=[4]).check(BLOCKS, [method("nlcf")])
    with pytest.raises(SpecError, match="k = 3, but with 4 classes choose needs k <= 2"):
        protocol(choose=GRID, clusters=[3], choose_from="classes").check(BLOCKS, [method("nlcf")])
    with pytest.raises(SpecError, match="choose_draws does nothing without choose: leave it out"):
        protocol(choose_draws=2)
    own = {"gnmf": {"weights": ["binary", "heat"], "width": [1, 2]}}
    with pytest.raises(SpecError, match="choose of gnmf with weights = binary, width = 1: width belongs to"):
        protocol(choose=own).check(BLOCKS, [method("gnmf")])
    with pytest.raises(SpecError, match="choose of mu must be a list"):
        protocol(choose={"mu": 1})


def test_methods_may_have_their_own_values(samples):
    own = {"nlcf": GRID, "gnmf": {"lam": [1.0, 100.0], "neighbors": [1, 2]}}
    both = [method("nlcf"), method("gnmf"), method("nmf")]
    protocol(choose=own).check(BLOCKS, both)
    assert protocol(choose=own).identity(method("nlcf")) == protocol(choose=GRID).identity(method("nlcf"))
    assert (
        protocol(choose=own).run(task(), samples).metrics
        == protocol(choose=GRID).run(task(), samples).metrics
    )
    assert protocol(choose=own).weight(task("gnmf")) == 13 * protocol(choose=own).weight(task("nmf"))
    assert any("nlcf mu of 0, 0.1, 100" in each for each in protocol(choose=own).notes_on([9] * 4))
    with pytest.raises(SpecError, match="choose names gnmf, which is not listed"):
        protocol(choose=own).check(BLOCKS, [method("nlcf")])
    with pytest.raises(SpecError, match="nlcf has no parameter lam"):
        protocol(choose={"nlcf": {"lam": [1]}}).check(BLOCKS, [method("nlcf")])
    with pytest.raises(SpecError, match="not both"):
        protocol(choose={"nlcf": GRID, "lam": [1]})
    hint = re.escape("(mu, lam, neighbors); give each method its own, as {nlcf: {mu: […]}, gnmf: {lam: […], ")
    with pytest.raises(SpecError, match=hint):
        protocol(choose=GRID | own["gnmf"]).check(BLOCKS, both)
