"""Which variable is which, and which way round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions
from nmfrepro.datasets.formats.arrange import arrange

PATH = Path("f.mat")
X = np.arange(12.0).reshape(3, 4)
Y = np.array([[1], [2], [2]])


def check(variables: dict, **layout) -> None:
    found = arrange(variables, DatasetOptions(**layout), PATH)
    assert found.X.tolist() == X.tolist()
    assert found.labels.tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    "variables",
    [
        {"fea": X, "gnd": Y},
        {"fea": X.T, "gnd": Y},
        {"X": X, "Y": Y.T},
        {"features": X.astype(np.uint8), "Label": Y.ravel()},
        {"AllSet.X": X.T, "AllSet.y": Y, "class_num": np.array([[2.0]])},
        {"anything": X, "other": Y},
        {"X": X, "fea": X, "Y": Y, "gnd": Y, "im_height": np.array(2)},
        {"mine": X, "gnd": Y, "fold": np.array([[1], [2]])},
        {"faces": X, "set.gnd": Y},
    ],
)
def test_what_is_unambiguous_is_recognised(variables: dict):
    check(variables)


def test_one_hot_labels_are_no_images():
    found = arrange({"X": X, "Y": np.array([[1, 0], [0, 1], [0, 1]])}, DatasetOptions(), PATH)
    assert found.labels.tolist() == [0, 1, 1]
    found = arrange({"a": X, "labels": np.array([[1, 0], [0, 1], [0, 1]])}, DatasetOptions(), PATH)
    assert found.X.tolist() == X.tolist()


def test_columns_taken_as_images_are_noted():
    assert "columns of fea are the images" in arrange({"fea": X.T, "gnd": Y}, DatasetOptions(), PATH).notes[0]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"a": X, "b": X + 1, "gnd": Y},
            r"a and b could be the images; say which with data_key.*b \(3 x 4\)",
        ),
        (
            {"fea": X, "gnd": Y, "labels": Y + 1},
            "gnd and labels could be the labels; say which with label_key",
        ),
        ({"fea": X, "p": Y, "q": Y + 1}, "p and q could be the labels"),
        (
            {"fea": X, "p": Y[:2]},
            r"no variable holds labels for fea; say which with label_key, or save .* alone.*fea \(3 x 4\)",
        ),
        ({"gnd": Y}, r"no variable holds a matrix of numbers.*; variables: gnd \(3 x 1\)"),
        ({"images": np.zeros((5, 2, 4, 3)), "y": np.arange(5)}, "of colour images, the mean of the channels"),
        ({"fea": [np.zeros((4, 5, 3))] * 3}, "fea has cells of 4 x 5 x 3, which are pictures in colour or"),
        ({"fea": [np.zeros((4, 5)), np.zeros((4, 5, 3))], "gnd": Y[:2]}, "pictures in colour or classes"),
        ({}, "variables: none"),
        (
            {"fea": X, "gnd": Y[:2]},
            r"gnd has not one label for every image of fea; variables: fea \(3 x 4\), gnd \(2",
        ),
        (
            {"fea": X[:, :3], "gnd": Y},
            "fea may have an image in each row .* or column .*; say which with orientation",
        ),
    ],
)
def test_what_is_ambiguous_is_asked_for(variables: dict, message: str):
    with pytest.raises(DataError, match=message):
        arrange(variables, DatasetOptions(), PATH)


def test_what_was_asked_for_can_be_given():
    check({"a": X, "b": X + 1, "p": Y, "q": Y + 1}, data_key="a", label_key="p")
    square = np.arange(9.0).reshape(3, 3)
    for orientation, expected in (("rows", square), ("columns", square.T)):
        found = arrange({"fea": square, "gnd": Y}, DatasetOptions(orientation=orientation), PATH)
        assert found.X.tolist() == expected.tolist()


def test_a_wrong_key_lists_the_names():
    with pytest.raises(
        DataError, match=r"no variable 'feat' \(data_key\); did you mean fea\? allowed: fea, gnd"
    ):
        arrange({"fea": X, "gnd": Y}, DatasetOptions(data_key="feat"), PATH)
    with pytest.raises(DataError, match="gnd is no matrix of numbers; give real"):
        arrange({"fea": X, "gnd": Y.ravel()}, DatasetOptions(data_key="gnd"), PATH)
    with pytest.raises(DataError, match=r"rgb is no matrix of numbers; .* of colour images, the mean"):
        arrange({"rgb": np.zeros((3, 4, 4, 3)), "gnd": Y}, DatasetOptions(data_key="rgb"), PATH)


def test_an_orientation_against_the_labels_is_refused():
    with pytest.raises(DataError, match="3 labels for 4 images"):
        arrange({"fea": X, "gnd": Y}, DatasetOptions(orientation="columns"), PATH)


def test_columns_of_pixels_are_turned_upright(pictures):
    variables = {"fea": pictures.by_columns, "gnd": pictures.labels}
    found = arrange(variables, DatasetOptions(image_shape="3x4", pixel_order="column"), PATH)
    assert found.X.tolist() == pictures.X.tolist()
    assert found.X.flags.c_contiguous
    with pytest.raises(DataError, match="image_shape needs pixel_order"):
        arrange(variables, DatasetOptions(image_shape="3x4"), PATH)
    with pytest.raises(DataError, match="5x4 has 20 pixels, its images 12"):
        arrange(variables, DatasetOptions(image_shape="5x4", pixel_order="row"), PATH)


def test_stacks_of_pictures(pictures):
    stack = pictures.X.reshape(-1, *pictures.shape)
    for data in (stack, np.moveaxis(stack, 0, 2)):
        found = arrange({"images": data, "labels": pictures.labels}, DatasetOptions(), PATH)
        assert found.X.tolist() == pictures.X.tolist()
        assert found.image_shape == pictures.shape
        same = arrange({"images": data, "labels": pictures.labels}, DatasetOptions(image_shape="3x4"), PATH)
        assert same.X.tolist() == pictures.X.tolist()
    cube = np.arange(27.0).reshape(3, 3, 3)
    with pytest.raises(DataError, match=r"images may have .*; say which with orientation"):
        arrange({"images": cube, "gnd": Y}, DatasetOptions(), PATH)
    assert arrange({"images": cube, "gnd": Y}, DatasetOptions(orientation="columns"), PATH).X[0].tolist() == [
        0, 3, 6, 9, 12, 15, 18, 21, 24
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["4x3", "2x6", "5x5"])
@pytest.mark.parametrize("form", ["stack", "cells"])
def test_a_shape_that_is_not_a_stacks_own_is_refused(pictures, form, shape):
    stack = np.moveaxis(pictures.X.reshape(-1, *pictures.shape), 0, 2)
    cells = {"facedat": [stack[:, :, :5], stack[:, :, 5:]]}
    variables = cells if form == "cells" else {"facedat": stack, "gnd": pictures.labels}
    with pytest.raises(DataError, match=f"image_shape is {shape}, but the pictures of facedat are 3x4"):
        arrange(variables, DatasetOptions(image_shape=shape, pixel_order="column"), PATH)


def test_a_cell_of_stacks_has_a_class_in_each_cell(pictures):
    stack = np.moveaxis(pictures.X.reshape(-1, *pictures.shape), 0, 2)
    cells = [stack[:, :, :5], stack[:, :, 5:14], stack[:, :, 14]]
    found = arrange({"facedat": cells}, DatasetOptions(), PATH)
    assert found.X.tolist() == pictures.X.tolist()
    assert np.bincount(found.labels).tolist() == [0, 5, 9, 1]
    with pytest.raises(DataError, match="no stacks of pictures of one size"):
        arrange({"facedat": [stack, stack[1:]]}, DatasetOptions(), PATH)


def test_a_cell_of_single_pictures_has_labels_of_its_own(pictures):
    cells = [*pictures.X.reshape(-1, *pictures.shape)]
    found = arrange({"images": cells, "gnd": pictures.labels[:, None]}, DatasetOptions(), PATH)
    assert found.X.tolist() == pictures.X.tolist()
    assert found.labels.tolist() == pictures.labels.tolist()
    assert found.notes == ()
    assert not arrange({"images": cells}, DatasetOptions(), PATH).labelled
