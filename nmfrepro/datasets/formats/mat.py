"""MATLAB files: version 4 to 7.2 through scipy, 7.3 through h5py (`hdf5`)."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import scipy.io
from scipy.io.matlab import MatlabOpaque, matfile_version, varmats_from_mat

from ...core.errors import one_line
from .guard import regular_file
from .hdf5 import is_hdf5, read_hdf5
from .variables import Variables, flatten


def read_mat(path: Path) -> Variables:
    """All variables of a .mat file, structs as paths ("AllSet.X"), sparse matrices as dense ones.

    Anything may happen on a damaged file: to be called through `quarantined`.
    """
    if is_hdf5(regular_file(path)):
        return read_hdf5(path)
    content, found = BytesIO(path.read_bytes()), dict[str, Any]()
    with warnings.catch_warnings():
        # scipy warns of bytes it cannot make sense of, and of doubled names in version 4, and goes on.
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", UserWarning)
        # Variable by variable, since scipy gives all objects one name.
        parts = varmats_from_mat(content) if matfile_version(content)[0] else [("", content)]
        for _, part in parts:
            for name, value in scipy.io.loadmat(part, struct_as_record=True, spmatrix=False).items():
                if isinstance(value, MatlabOpaque):
                    if "s0" in value.dtype.names:  # before scipy 1.18, which gives the variable its name
                        name, kind = (value[0][each].decode("ascii", "replace") for each in ("s0", "s2"))
                    else:
                        kind = value[0]["_Class"]
                    value = f"a MATLAB object of class {one_line(kind)}"
                found[name] = value
    return flatten({name: value for name, value in found.items() if not name.startswith("__")})
