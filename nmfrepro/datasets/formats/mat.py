"""MATLAB files: version 4 to 7.2 through scipy, 7.3 through h5py (`hdf5`)."""

from __future__ import annotations

import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

from ...core.errors import DataError, one_line, reason
from .guard import check_size, regular_file
from .hdf5 import is_hdf5, read_hdf5
from .mat5 import check_skeleton
from .variables import Variables, flatten

_WITHOUT_SIZE = ("struct", "cell", "char", "object", "function", "opaque")
# What scipy raises on damaged files; it promises no single kind.
_FAULTS = (
    AssertionError, AttributeError, EOFError, LookupError, MemoryError, NameError, OSError, OverflowError,
    RuntimeError, TypeError, ValueError, Warning, struct.error, zlib.error,
)  # fmt: skip


def read_mat(path: Path) -> Variables:
    """All variables of a .mat file, structs as paths ("AllSet.X"), sparse matrices as dense ones.

    Raises
    ------
    DataError
        If the file is damaged, is something else, or claims absurd sizes.
    """
    import scipy.io
    from scipy.io.matlab import MatReadError, MatReadWarning

    regular_file(path)
    if is_hdf5(path):
        return read_hdf5(path)
    check_skeleton(path)
    try:
        for name, shape, kind in scipy.io.whosmat(str(path)):
            if kind not in _WITHOUT_SIZE:
                check_size(shape, path, f"variable {one_line(name)}")
        with warnings.catch_warnings():
            # scipy warns of bytes it cannot make sense of and goes on; only doubled names are harmless.
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("error", UserWarning)
            warnings.simplefilter("ignore", MatReadWarning)
            contents: dict[str, Any] = scipy.io.loadmat(str(path), struct_as_record=True, spmatrix=False)
    except (MatReadError, *_FAULTS) as error:
        raise DataError(f"{path} is damaged or no MATLAB file ({reason(error)}); fetch it again") from None
    return flatten({name: value for name, value in contents.items() if not name.startswith("__")}, path)
