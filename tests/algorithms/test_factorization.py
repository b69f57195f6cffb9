"""What `factorize` refuses before it starts."""

from __future__ import annotations

import numpy as np
import pytest

from nmfrepro import factorize
from nmfrepro.algorithms import get
from nmfrepro.core.errors import DataError, FitError

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("matrix", [X + 1j, np.ma.masked_greater(X, 9)], ids=["complex", "masked"])
def test_what_numpy_would_drop_in_silence_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(DataError, match="neither complex nor masked"):
        factorize(matrix, "nmf", 2, max_iter=2)


def test_complex_encodings_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get("nmf"), "embedding", lambda method, factors, problem: 1j * factors["V"])
    with pytest.raises(FitError, match="the encodings are complex"):
        factorize(X, "nmf", 2, max_iter=2)
