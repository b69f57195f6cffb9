"""NumPy's files: no pickles, no allocation before the size is known."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.formats import npz
from nmfrepro.datasets.formats.quarantine import quarantined
from nmfrepro.datasets.formats.tables import kind_of

X = np.arange(12.0).reshape(3, 4)
read_npz, read_npy = partial(quarantined, npz.read_npz), partial(quarantined, npz.read_npy)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.npz"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_any_layout(path: Path, save):
    save(
        path,
        X=X,
        F=np.asfortranarray(X),
        big=X.astype(">f4"),
        y=np.array(["anna", "bob", "bob"]),
        k=np.array(3),
    )
    found = read_npz(path)
    for name in ("X", "F", "big"):
        assert found[name].tolist() == X.tolist()
    assert found["y"].tolist() == ["anna", "bob", "bob"]
    assert found["k"].shape == ()


def test_a_single_array(tmp_path: Path):
    np.save(tmp_path / "f.npy", X)
    assert read_npy(tmp_path / "f.npy").tolist() == X.tolist()


def test_sparse_matrices_are_refused_in_those_words(path: Path):
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(X))
    with pytest.raises(
        DataError, match=r"is a sparse matrix of scipy \(save_npz\), which is not read; save it"
    ):
        read_npz(path)
    market = path.with_suffix(".mtx")
    scipy.io.mmwrite(market, scipy.sparse.csr_matrix(X))
    with pytest.raises(DataError, match=r"f\.mtx is a sparse matrix in Matrix Market's format, which is not"):
        kind_of(market)


class Payload:
    """What a pickle could do on loading."""

    def __reduce__(self):
        return (print, ("executed",))


def test_pickles_are_never_loaded(path: Path, capsys: pytest.CaptureFixture[str]):
    np.savez(path, X=X, y=np.array([Payload()], dtype=object))
    with pytest.raises(DataError, match="variable y holds pickled Python objects, which are never loaded"):
        read_npz(path)
    assert capsys.readouterr().out == ""


def member(header: str, body: bytes = bytes(96)) -> bytes:
    text = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("latin1") + body


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            member("{'descr': '<f8', 'fortran_order': False, 'shape': (999999, 999999)}"),
            "needs more memory|damaged",
        ),
        (member("{'descr': '<f8', 'fortran_order': False, 'shape': (4000, 4000)}"), "damaged"),
        (member("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}", bytes(50)), "damaged"),
        pytest.param(
            member("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4)}"),
            "damaged",
            marks=pytest.mark.skipif(np.__version__ < "2.4", reason="numpy 2.2 takes -3 for what is left: 3"),
        ),
        (member("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4)}"), "pickled"),
        (member("__import__('os')"), "damaged"),
        (member("{'descr': ('"), "damaged"),
        (b"not an array", "damaged"),
    ],
)
def test_headers_that_lie_are_refused(path: Path, data: bytes, message: str):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", data)
    with pytest.raises(DataError, match=r"f\.npz.*" + message):
        read_npz(path)
    single = path.with_name("f.npz.npy")
    single.write_bytes(data)
    with pytest.raises(DataError, match=message):
        read_npy(single)


def test_damaged_archives_are_refused(path: Path):
    np.savez(path, X=X)
    whole = path.read_bytes()
    for data in (whole[: len(whole) // 2], whole.replace(X.tobytes()[40:60], bytes(20))):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"f\.npz is damaged or not"):
            read_npz(path)


def test_other_members_are_passed_over(path: Path):
    buffer = io.BytesIO()
    np.save(buffer, X)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "x")
        archive.writestr("X.npy", buffer.getvalue())
    assert list(read_npz(path)) == ["X"]
