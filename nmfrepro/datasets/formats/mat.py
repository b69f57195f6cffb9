"""MATLAB files: version 4 to 7.2 through scipy, 7.3 through h5py (`hdf5`)."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from ...errors import DataError
from .guard import MAX_BYTES, check_size, regular_file
from .hdf5 import is_hdf5, read_hdf5
from .variables import Variables, flatten

_WITHOUT_SIZE = ("struct", "cell", "char", "object", "function", "opaque")
# What scipy raises on damaged files; it promises no single kind.
_FAULTS = (
    AssertionError, AttributeError, EOFError, LookupError, MemoryError, NotImplementedError, OSError,
    OverflowError, RecursionError, TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
_COMPRESSED = 15  # the tag of a zlib-compressed element in version 5


def read_mat(path: Path) -> Variables:
    """All variables of a .mat file, structs as paths ("AllSet.X"), sparse matrices as dense ones.

    Raises
    ------
    DataError
        If the file is damaged, is something else, or claims absurd sizes.
    """
    import scipy.io
    from scipy.io.matlab import MatReadError

    regular_file(path)
    if is_hdf5(path):
        return read_hdf5(path)
    try:
        for name, shape, kind in scipy.io.whosmat(str(path)):
            if kind not in _WITHOUT_SIZE:
                check_size(shape, path, f"variable {name}")
        _check_inflated_size(path)
        contents: dict[str, Any] = scipy.io.loadmat(str(path), squeeze_me=False, struct_as_record=True)
    except (MatReadError, *_FAULTS) as error:
        raise DataError(
            f"{path} is damaged or no MATLAB file ({error or type(error).__name__}); fetch it again"
        ) from None
    return flatten({name: value for name, value in contents.items() if not name.startswith("__")}, path)


def _check_inflated_size(path: Path) -> None:
    """Refuse a version 5 file whose compressed elements unfold to more than is read, without keeping them."""
    with path.open("rb") as stream:
        header = stream.read(128)
        if header[126:128] not in (b"IM", b"MI"):
            return
        order = "<" if header[126:128] == b"IM" else ">"
        total = 0
        while len(tag := stream.read(8)) == 8:
            kind, size = struct.unpack(f"{order}II", tag)
            if kind != _COMPRESSED:
                stream.seek(size, 1)
                continue
            inflate = zlib.decompressobj()
            while size > 0 and (piece := stream.read(min(size, 2**16))):
                size -= len(piece)
                while piece:
                    total += len(inflate.decompress(piece, 2**20))
                    piece = inflate.unconsumed_tail
                    if total > MAX_BYTES:
                        raise DataError(
                            f"{path} unfolds to more than the {MAX_BYTES // 2**30} GiB that are read"
                        )
