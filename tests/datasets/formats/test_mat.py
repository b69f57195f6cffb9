"""MATLAB files of every version, and damaged ones."""

from __future__ import annotations

import importlib.util
import os
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions
from nmfrepro.datasets.definition import Reading
from nmfrepro.datasets.formats import mat, quarantine, tables
from nmfrepro.datasets.formats.arrange import arrange
from nmfrepro.datasets.formats.quarantine import quarantined

FEA = np.arange(12.0).reshape(3, 4)
GND = np.array([[1.0], [2.0], [2.0]])
read_mat = partial(quarantined, mat.read_mat)


def read_table(path: Path, layout: DatasetOptions) -> Reading:
    return quarantined(lambda file: arrange(tables.read_variables(file), layout, file), path)


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are reached soon."""
    monkeypatch.setattr(quarantine, "SECONDS", 2)
    monkeypatch.setattr(quarantine, "MEMORY", 100 * 2**20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.mat"


@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize("packed", [False, True])
def test_versions_4_and_5(path: Path, version: str, packed: bool):
    scipy.io.savemat(path, {"fea": FEA, "gnd": GND}, format=version, do_compression=packed and version == "5")
    found = read_mat(path)
    assert found["fea"].tolist() == FEA.tolist()
    assert found["gnd"].tolist() == GND.tolist()


def test_structs_cells_text_and_sparse_matrices(path: Path):
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = np.zeros((2, 2, 3)), np.ones((2, 2, 1))
    names = np.empty((3, 1), dtype=object)
    names[:, 0] = ["anna", "bob", "bob"]
    scipy.io.savemat(
        path,
        {
            "AllSet": {"X": FEA, "inner": {"y": GND}},
            "facedat": cells,
            "gnd": names,
            "sparse": scipy.sparse.csc_matrix(FEA),
        },
    )
    found = read_mat(path)
    assert found["AllSet.X"].tolist() == FEA.tolist()
    assert found["AllSet.inner.y"].tolist() == GND.tolist()
    assert [cell.shape for cell in found["facedat"]] == [(2, 2, 3), (2, 2, 1)]
    assert found["gnd"].tolist() == ["anna", "bob", "bob"]
    assert found["sparse"].tolist() == FEA.tolist()


@pytest.fixture
def v73(path: Path) -> Path:
    """A MATLAB 7.3 file: HDF5 after a head of 512 bytes, axes reversed."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        file["fea"] = FEA.T
        file["gnd"] = GND.T
        file["set/X"] = FEA.T
        sparse = scipy.sparse.csc_matrix(FEA)
        group = file.create_group("sparse")
        group.attrs["MATLAB_sparse"] = 3
        group["data"], group["ir"], group["jc"] = sparse.data, sparse.indices, sparse.indptr
        for i, name in enumerate(("anna", "bob", "bob")):
            text = file.create_dataset(f"#refs#/{i}", data=np.array([[ord(c)] for c in name], np.uint16))
            text.attrs["MATLAB_class"] = np.bytes_(b"char")
        names = file.create_dataset("names", (1, 3), dtype=h5py.ref_dtype)
        for i in range(3):
            names[0, i] = file[f"#refs#/{i}"].ref
        file["elsewhere"] = h5py.ExternalLink("/etc/hostname", "/")
        file["circle"] = h5py.SoftLink("/")
    data = bytearray(path.read_bytes())
    data[:6] = b"MATLAB"
    path.write_bytes(data)
    return path


def test_version_73_reads_as_the_others_do(v73: Path):
    found = read_mat(v73)
    assert sorted(found) == ["fea", "gnd", "names", "set.X", "sparse"]
    for name in ("fea", "set.X", "sparse"):
        assert found[name].tolist() == FEA.tolist()
    assert found["gnd"].tolist() == GND.tolist()
    assert found["names"].tolist() == ["anna", "bob", "bob"]


def test_version_73_without_h5py_says_what_to_do(v73: Path, monkeypatch: pytest.MonkeyPatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "h5py" else find(name, *a)
    )
    with pytest.raises(DataError, match=r"7\.3 file: install h5py \(pip install h5py\).*-v7"):
        read_mat(v73)


def test_version_73_cut_off(v73: Path):
    v73.write_bytes(v73.read_bytes()[:2000])
    with pytest.raises(DataError, match=r"f\.mat is damaged or not what it seems"):
        read_mat(v73)


def opaque(name: bytes, kind: bytes) -> bytes:
    """An object as MATLAB writes it, such as a string."""

    def words(*all_words: bytes) -> bytes:
        return b"".join(struct.pack("<2I", 1, len(word)) + word + bytes(-len(word) % 8) for word in all_words)

    inner = struct.pack("<4I", 6, 8, 13, 0) + struct.pack("<6I", 5, 8, 1, 1, 1, 0)
    inner += struct.pack("<3I", 6, 4, 0xDD000000) + bytes(4)
    body = struct.pack("<4I", 6, 8, 17, 0) + words(name, b"MCOS", kind)
    body += struct.pack("<2I", 14, len(inner)) + inner
    return struct.pack("<2I", 14, len(body)) + body


@pytest.mark.parametrize("packed", [False, True])
def test_a_string_object_is_named_and_the_rest_is_read(path: Path, packed: bool):
    scipy.io.savemat(path, {"fea": FEA, "gnd": GND}, do_compression=packed)
    plain, added = path.read_bytes(), opaque(b"people", b"string")
    if packed:
        added = struct.pack("<2I", 15, len(zlib.compress(added))) + zlib.compress(added)
    path.write_bytes(plain + added)
    found = read_table(path, DatasetOptions())
    assert found.X.tolist() == FEA.tolist()
    assert found.labels.tolist() == [1, 2, 2]
    assert found.notes == ("not read: people (a MATLAB object of class string)",)
    with pytest.raises(
        DataError, match="people is not read, since it is a MATLAB object of class string; save"
    ):
        read_table(path, DatasetOptions(label_key="people"))
    # Never read as labels, though it has a name of labels and another variable would fit.
    scipy.io.savemat(path, {"fea": FEA, "other": GND})
    path.write_bytes(path.read_bytes() + opaque(b"gnd", b"string"))
    with pytest.raises(DataError, match="gnd is not read, since it is a MATLAB object of class string"):
        read_table(path, DatasetOptions())


def test_complex_numbers_are_never_cut_to_their_real_part(path: Path):
    for kind in ("4", "5"):
        scipy.io.savemat(path, {"fea": FEA + 1j, "other": FEA, "gnd": GND}, format=kind)
        with pytest.raises(
            DataError, match=r"fea is not read, since it is complex numbers|fea and other could"
        ):
            read_table(path, DatasetOptions())
        scipy.io.savemat(path, {"fea": FEA, "gnd": GND * 1j}, format=kind)
        with pytest.raises(DataError, match="gnd is not read, since it is complex numbers"):
            read_table(path, DatasetOptions())


def test_values_that_lie_in_other_files_are_refused(path: Path, tmp_path: Path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret").write_bytes(FEA.tobytes())
    with h5py.File(path, "w") as file:
        file.create_dataset("fea", FEA.shape, "f8", external=[(tmp_path / "secret", 0, FEA.nbytes)])
    with pytest.raises(DataError, match=r"f\.mat: fea takes its values from elsewhere \(external storage, "):
        read_mat(path)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = FEA
    layout = h5py.VirtualLayout(FEA.shape, "f8")
    layout[...] = h5py.VirtualSource(tmp_path / "other.h5", "x", FEA.shape)
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("fea", layout)
    with pytest.raises(DataError, match=r"f\.mat: fea takes its values from elsewhere"):
        read_mat(path)


@pytest.mark.parametrize("matlab", [False, True])
def test_pictures_in_hdf5_stand_upright_whoever_wrote_them(path: Path, matlab: bool):
    h5py = pytest.importorskip("h5py")
    stack = np.arange(24.0).reshape(4, 2, 3)
    with h5py.File(path, "w") as file:
        # MATLAB shows h x w x n and stores the axes the other way round; others store what they show.
        file["images"] = np.moveaxis(stack, 0, 2).T if matlab else stack
        if matlab:
            file["images"].attrs["MATLAB_class"] = np.bytes_(b"double")
        file.create_dataset("labels", data=["anna", "bob", "bob", "cleo"], dtype=h5py.string_dtype())
    found = read_table(path, DatasetOptions())
    assert found.X.tolist() == stack.reshape(4, 6).tolist()
    assert found.image_shape == (2, 3)
    assert found.labels.tolist() == ["anna", "bob", "bob", "cleo"]


def test_a_string_object_of_version_73_is_named(path: Path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["fea"], file["gnd"] = FEA, GND
        file["people"] = np.array([[0xDD000000, 2, 1, 1, 1, 1]], dtype=np.uint32)
        file["people"].attrs["MATLAB_class"] = np.bytes_(b"string")
        file["people"].attrs["MATLAB_object_decode"] = np.int32(3)
    found = read_table(path, DatasetOptions())
    assert found.labels.tolist() == [1, 2, 2]
    assert found.notes == ("not read: people (a MATLAB object of class string)",)


def test_an_empty_missing_or_odd_file_is_refused_by_name(path: Path, tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        read_mat(path)
    path.touch()
    with pytest.raises(DataError, match=r"f\.mat is empty"):
        read_mat(path)
    with pytest.raises(DataError, match="not a regular file, but a folder"):
        read_mat(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.mat")
        with pytest.raises(DataError, match="not a regular file"):
            read_mat(tmp_path / "pipe.mat")


def outcome(path: Path) -> tuple[dict, str]:
    """What a file holds, or the message it is refused with."""
    try:
        return read_mat(path), ""
    except DataError as error:
        return {}, str(error)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_cut_anywhere_is_one_clean_error_or_unharmed(path: Path, packed: bool):
    scipy.io.savemat(path, {"fea": FEA, "gnd": GND}, do_compression=packed)
    whole = path.read_bytes()
    for length in range(1, len(whole), 7):
        path.write_bytes(whole[:length])
        found, message = outcome(path)
        assert all(np.array_equal(value, {"fea": FEA, "gnd": GND}[name]) for name, value in found.items())
        assert found or (str(path) in message and "\n" not in message)


@pytest.mark.usefixtures("tight")
def test_absurd_sizes_take_no_memory(path: Path):
    # version 4: type, rows, columns, imaginary, length of the name
    path.write_bytes(struct.pack("<5i", 0, 40_000, 40_000, 0, 4) + b"fea\0" + bytes(64))
    with pytest.raises(DataError, match=r"f\.mat (is damaged|needs more memory)"):
        read_mat(path)
    scipy.io.savemat(path, {"fea": scipy.sparse.csc_matrix((10**6, 10**6))})
    with pytest.raises(
        DataError, match=r"f\.mat needs more memory .* shape \(1000000, 1000000\).* cut into parts"
    ):
        read_mat(path)
    scipy.io.savemat(path, {"set": {"X": np.zeros((1000, 25_000))}}, do_compression=True)
    with pytest.raises(
        DataError, match=r"f\.mat needs more memory than a reader may take, 0\.\d+ GiB or half"
    ):
        read_mat(path)


@pytest.mark.usefixtures("tight")
def test_values_that_were_never_written_take_no_memory(path: Path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("fea", (3, 10**9), "f8", fillvalue=3)
    with pytest.raises(DataError, match=r"f\.mat needs more memory"):
        read_mat(path)


def damage_element_type(path: Path) -> bytes:
    """scipy 1.17 looks the type up without a bound and ends the process."""
    scipy.io.savemat(path, {"s": scipy.sparse.csc_matrix(FEA)})
    whole = path.read_bytes()
    first_index = whole.index(bytes([5, 0, 0, 0, 44, 0, 0, 0]))
    return whole[: first_index + 1] + b"\xd7" + whole[first_index + 2 :]


def damage_cells(path: Path) -> bytes:
    """Found by the coverage-guided fuzz: scipy makes an array of 16 million structs of nothing."""
    scipy.io.savemat(path, {"s": {"x": 1.0}})
    whole = path.read_bytes()
    axes = whole.index(struct.pack("<4I", 5, 8, 1, 1))
    return whole[: axes + 8] + struct.pack("<2I", 2**24, 1) + whole[axes + 16 :]


def damage_columns(path: Path) -> bytes:
    """Found by the coverage-guided fuzz: scipy 1.17 goes from header to header in a circle."""
    scipy.io.savemat(path, {"fea": FEA, "gnd": GND}, format="4")
    whole = path.read_bytes()
    second = whole.index(struct.pack("<2i", 3, 1), 24)
    return whole[: second + 4] + struct.pack("<i", -4) + whole[second + 8 :]


@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("damage", [damage_element_type, damage_cells, damage_columns])
def test_what_breaks_a_library_is_one_line(path: Path, damage: Callable[[Path], bytes]):
    path.write_bytes(damage(path))
    with pytest.raises(
        DataError, match=r"f\.mat (is damaged|takes more than 2 seconds|needs more memory).*; .*"
    ):
        read_mat(path)


def test_sparse_indices_outside_the_matrix_are_refused(path: Path):
    scipy.io.savemat(path, {"s": scipy.sparse.csc_matrix(np.eye(3))})
    whole = path.read_bytes()
    rows = whole.index(struct.pack("<3i", 0, 1, 2))
    path.write_bytes(whole[:rows] + struct.pack("<3i", 0, 1, 10**8) + whole[rows + 12 :])
    with pytest.raises(DataError, match=r"f\.mat.* is damaged"):
        read_mat(path)


def test_bytes_of_a_damaged_file_stay_out_of_the_message(path: Path):
    """Found by the coverage-guided fuzz: scipy quotes names with line breaks in them."""
    scipy.io.savemat(path, {"f\nea": FEA}, format="4")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(DataError, match="is damaged or not what it seems") as caught:
        read_mat(path)
    assert str(caught.value).isprintable()
