"""Draws, splits and labelled images."""

import numpy as np
import pytest

from nmfrepro.core.errors import SpecError
from nmfrepro.protocols import Samples, draws


def test_a_split_takes_every_image_once(samples):
    split = draws.draw_split(samples.y, 4, True, 7, "blocks", 4, 0)
    everyone = np.concatenate([split.train, split.validation, split.test])
    assert sorted(everyone) == list(range(len(samples.y)))
    for code in range(samples.n_classes):
        assert [int(np.sum(samples.y[part] == code)) for part in vars(split).values()] == [4, 2, 3]


def test_without_validation_the_rest_is_for_the_test(samples):
    split = draws.draw_split(samples.y, 4, False, 7, "blocks", 4, 0)
    assert len(split.validation) == 0
    assert len(split.test) == 4 * 5


def test_splits_differ_from_draw_to_draw_and_repeat_by_name(samples):
    first, again, second = (draws.draw_split(samples.y, 4, False, 7, "blocks", 4, d) for d in (0, 0, 1))
    assert np.array_equal(first.train, again.train)
    assert not np.array_equal(first.train, second.train)


def test_images_of_drawn_classes(samples):
    chosen = draws.draw_images(samples, 3, 2, 7, "blocks", 0)
    assert len(chosen) == 6
    assert np.unique(samples.y[chosen], return_counts=True)[1].tolist() == [2, 2, 2]
    classes = draws.draw_classes(samples, 7, "blocks", 3, 0)
    assert set(chosen) <= set(classes)
    assert np.array_equal(draws.draw_images(samples, 3, 0, 7, "blocks", 0), classes)


@pytest.mark.parametrize(
    ("labelled", "size", "count"), [("10%", 10, 1), ("10%", 11, 1), ("10%", 15, 2), ("10%", 3, 1), (2, 10, 2)]
)
def test_labelled_share_is_rounded_half_up(labelled, size, count):
    assert draws.labelled_count(labelled, size) == count


@pytest.mark.parametrize("text", ["10", "0%", "110%", "ten%", "-5%"])
def test_a_text_that_is_no_share_is_refused(text):
    with pytest.raises(SpecError, match="count or a share"):
        draws.labelled_count(text, 10)


def test_labelled_images_carry_their_code_and_the_others_none(samples):
    known = draws.draw_labels(samples.y, 2, 7, "blocks", 4, 0)
    marked = known >= 0
    assert np.array_equal(known[marked], samples.y[marked])
    assert np.bincount(known[marked]).tolist() == [2, 2, 2, 2]
    assert np.all(known[~marked] == -1)


def test_the_classes_of_a_draw_are_named_as_they_were_labelled(samples):
    named = Samples(samples.identity, samples.X, samples.y, None, ("a", "b", "c d", 7))
    chosen = draws.draw_classes(named, 7, "blocks", 2, 0)
    codes = sorted(set(named.y[chosen]))
    assert named.named(chosen) == "; ".join(str(named.classes[code]) for code in codes)
    assert named.named(np.arange(len(named.y))) == "all"
