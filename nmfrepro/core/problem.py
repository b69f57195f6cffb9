"""What an algorithm is given, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import seeds
from .errors import FitError, Setting, SpecError
from .options import key_values, option
from .terminal import counted

Shape = tuple[int, int] | None  # rows and columns of an image; None where a sample is no picture


@dataclass(frozen=True)
class Problem:
    """One matrix to factorize.

    Attributes
    ----------
    X : ndarray, shape (m, n)
        Features × samples, one column per image, as in the papers; C-contiguous, read-only.
    k : int
        Columns of the basis.
    image_shape : (rows, columns) or None
        Shape of one sample as an upright image, pixels row by row; ``rows * columns == m``.
    labels : ndarray of int, shape (n,), or None
        Partial labels of semi-supervised methods: class codes, −1 = unlabelled.
    """

    X: np.ndarray
    k: int
    image_shape: Shape = None
    labels: np.ndarray | None = None

    def __post_init__(self) -> None:
        # A method that writes to its data would change those of the trials after it.
        for name in ("X", "labels"):
            if (array := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_only(array))

    @property
    def m(self) -> int:
        """Number of features."""
        return int(self.X.shape[0])

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.X.shape[1])


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to, of the same memory."""
    view = array[...]
    view.setflags(write=False)
    return view


# With tol > 0 a restart runs for so many iterations at least: random starts first sit on a plateau near the
# best rank-one fit, which was seen to be flattest after 20 to 40.
EARLIEST_STOP = 100
# The solvers besides the paper's updates.  A number is raised whenever its solver takes another path in that
# floating-point type: trials that were stored of it are then computed again.
SOLVER_REVISIONS = {"fast": {"float64": 2, "float32": 3}}


@dataclass(frozen=True)
class FitSettings:
    """How an iterative method is run; part of a trial's key."""

    # The bound is one for slips such as 1000000000000, whose starts fill the memory.
    restarts: int = option(1, low=1, high=100_000, help="random starts; that of lowest objective is kept")
    max_iter: int = option(1000, low=0, help="iterations (passes over X) at most")
    tol: float = option(
        0.0,
        low=0,
        high=1,
        help="relative decrease of the objective per recorded step at which a restart stops, after "
        f"{EARLIEST_STOP} iterations at the earliest; 0: never",
    )
    order: str = option("UV", choices=("UV", "VU"), help="which factor moves first; the papers print UV")
    inner: str | dict | None = option(  # type: ignore[type-arg]
        None,
        choices=("auto",),
        help="updates of each factor per pass, as {U: 2, V: 10}; auto: counts from the shapes where products "
        "with X can be kept; null: the printed order, one of each",
    )
    dtype: str = option("float64", choices=("float64", "float32"), help="floating-point type of the factors")
    solver: str = option(
        "printed",
        choices=("printed", *SOLVER_REVISIONS),
        help="printed: the paper's updates; fast: the same objective by extrapolated coordinate descent, for "
        "methods whose factors' problems are quadratic",
        later=True,
    )
    trace_every: int = option(10, low=1, help="iterations between two recorded objective values")

    @property
    def revision(self) -> list[str | int]:
        """The solver as a trial's key has it beside the method's revision; empty for the paper's updates."""
        numbers = SOLVER_REVISIONS.get(self.solver)
        return [self.solver, numbers[self.dtype]] if numbers else []

    def used_by(self, names: Iterable[str]) -> FitSettings:
        """The settings of these names, all others at their defaults: what is in no key decides nothing."""
        return FitSettings(**{name: getattr(self, name) for name in names})

    def identity(self, names: Iterable[str]) -> dict[str, Any]:
        """The settings of these names as they stand in a trial's key."""
        return key_values(self, names)


@dataclass(frozen=True)
class Fit:
    """A factorization and how it was found.

    Attributes
    ----------
    factors : dict of str to ndarray
        Raw factors after the last iteration; keys and shapes are the method's own.
    embedding : ndarray, shape (n, d), or None
        The encodings that are clustered or classified, after the method's reading rule: NMF's are of basis
        vectors of unit length, say.  What multiplies to X is in `factors`.
    labels : ndarray of int, shape (n,), or None
        Cluster codes, of methods that yield them themselves.
    objective : ndarray
        Trace: the value before any update, every `trace_every` iterations, and the exact last value.
    n_iter : int
    converged : bool
        Whether a rule of the method ended the run; with ``tol=0`` never that of an iterative method.
    restart : int
        Which start was kept.
    notes : tuple of str
        What a reader must know: the fast solver, restarts left out, what the method notes.

    Raises
    ------
    FitError
        If the factors are no dict, or an array has another number of axes.
    """

    factors: dict[str, np.ndarray]
    embedding: np.ndarray | None
    labels: np.ndarray | None = None
    objective: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_iter: int = 0
    converged: bool = False
    restart: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # A method of a user's may give anything.
        factors: Any = self.factors
        if not isinstance(factors, Mapping):
            raise FitError(f"factors must be a dict of arrays, not {type(factors).__name__}")
        taken: dict[str, Any] = {"factors": {name: np.asanyarray(values) for name, values in factors.items()}}
        for name, axes in (("embedding", 2), ("labels", 1), ("objective", 1)):
            given = getattr(self, name)
            if given is None and name != "objective":
                continue
            taken[name] = np.asarray(given)
            if taken[name].ndim != axes or np.ma.isMaskedArray(given):
                got = f"{type(given).__name__} of shape {taken[name].shape}"
                raise FitError(f"{name} must be a {'vector' if axes == 1 else 'matrix'}, not {got}")
        notes: Any = self.notes
        if isinstance(notes, str):
            taken["notes"] = (notes,)
        for name, value in taken.items():
            object.__setattr__(self, name, value)

    @property
    def shapes(self) -> str:
        """The factors with their shapes: "U 1024 × 8, V 80 × 8"."""
        return ", ".join(f"{name} {' × '.join(map(str, each.shape))}" for name, each in self.factors.items())

    def __repr__(self) -> str:
        """A few lines: the factors' shapes, the objective, what a reader must know."""
        lines = [f"Fit: {self.shapes}"]
        if self.objective.size:
            ended = f"{counted(self.n_iter, 'iteration')}{', converged' if self.converged else ''}"
            lines.append(f"objective {self.objective[-1]:.6g} after {ended}; restart {self.restart}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def two_sides(image_shape: Any, low: int = 1) -> tuple[int, int]:
    """Rows and columns as Python's whole numbers, or a `SpecError`: two numbers of at least `low`."""
    try:
        rows, columns = image_shape
        return seeds.whole(rows, low=low), seeds.whole(columns, low=low)
    except (TypeError, ValueError, SpecError):
        wanted = f"(rows, columns), two whole numbers >= {low}"
        raise SpecError(f"image_shape must be {wanted}, not {image_shape!r}") from None


def require_image_shape(image_shape: Shape, what: str) -> tuple[int, int]:
    """The (rows, columns) of the images, or a `SpecError` that says what needs them."""
    if image_shape is None:
        shape = Setting("image_shape", "ROWSxCOLUMNS", "(rows, columns)")
        raise SpecError(f"{what} works on images as matrices: give ", shape)
    return image_shape
