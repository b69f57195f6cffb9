"""The public call: factorize a matrix by any method of the registry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import algorithms
from .algorithms.engine.base import OF_STACKS, Algorithm, Direct, Iterative
from .algorithms.engine.fast import kkt
from .algorithms.engine.solver import Run, StackedRun, check_run, first_factors, solve, solve_each
from .core import seeds
from .core.errors import DataError, FitError, Setting, SpecError, in_keywords
from .core.magnitude import check_magnitude
from .core.options import build, given_options, options_of
from .core.problem import Fit, FitSettings, Problem, require_image_shape, two_sides
from .core.threads import one_thread

OF_DATA = ("labels", "image_shape")  # arguments beside X


@in_keywords()
def factorize(
    X: npt.ArrayLike,
    algorithm: str | type[Algorithm] | Algorithm,
    k: int,
    *,
    seed: int = 0,
    restarts: int | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    order: str | None = None,
    inner: dict[str, int] | str | None = None,
    solver: str | None = None,
    init: Mapping[str, np.ndarray] | str | None = None,
    labels: npt.ArrayLike | None = None,
    image_shape: tuple[int, int] | None = None,
    dtype: str = "float64",
    trace_every: int = 10,
    **parameters: Any,
) -> Fit:
    """Factorize X and return the best of `restarts` random starts by objective.

    Parameters
    ----------
    X : array_like, shape (m, n) or (n, rows, columns)
        Features × samples, one column per image; or the images themselves, whose shape is then known.
        A `Dataset` has rows as samples: pass ``data.X.T``.
    algorithm : str or type or Algorithm
        A name from ``nmfrepro list algorithms``, a method's class, or an instance with its parameters.
    k : int
        Columns of the basis, at least 1; a `UserWarning` asks where X has fewer samples.
    seed : int
        Names the random streams, at least 0; the same seed gives the same fit, whatever whole-number type it
        has.
    restarts : int, optional
        The method's own number if not given: 1 for all that improve random factors.
    inner : str or dict
    dtype : str
    trace_every : int
        How it is run: see `FitSettings`.
    tol : float, optional
        Relative decrease of the objective at which a restart stops; 0, never, if not given.
    max_iter : int, optional
        Iterations (passes over X) at most; 1000 if not given.  Methods whose iterations are bounded otherwise
        (kmeans) or that have none (pca) pass it over.
    order : {"UV", "VU"}, optional
        Which factor the printed updates move first; UV if not given.
    solver : {"printed", "fast"}, optional
        The paper's own updates, or the same objective by the fast solver, for methods whose factors' problems
        are quadratic (``nmfrepro show NAME`` says which).  Not given: fast where the method has it, but
        printed where `max_iter`, `order`, `inner` or `init` says which iterations to run, and where their
        number is part of the method.  ``fit.notes`` says when it was fast, with how far the fit is from a
        stationary point, and what kept it from being so.
    init : mapping of str to ndarray, optional
        First factors, with the keys and shapes of ``fit.factors``; with ``max_iter=N, tol=0`` exactly N
        printed iterations run.  For kmeans the word "random" or "k-means++".
    labels : array_like of int, shape (n,), optional
        Partial labels of semi-supervised methods; −1 = unlabelled.
    image_shape : (rows, columns), optional
        For methods that treat samples as matrices, pixels row by row.
    **parameters
        The method's own, see ``nmfrepro show NAME``.

    Returns
    -------
    Fit

    Raises
    ------
    SpecError
        For an unknown method or parameter, or a value out of range.
    DataError
        For data that the method is not defined on, naming the first bad entry.
    FitError
        If the factorization cannot be computed.

    Examples
    --------
    >>> import numpy as np
    >>> from nmfrepro import factorize
    >>> X = np.random.default_rng(0).random((30, 20))
    >>> fit = factorize(X, "nlcf", k=4, mu=0.1, restarts=3, max_iter=50)
    >>> fit.factors["U"].shape, fit.embedding.shape
    ((30, 4), (20, 4))
    """
    seed = seeds.whole(seed, low=0)
    cls = algorithms.get(algorithm)
    own = options_of(cls)
    for theirs, ours in (("n_components", "k"), ("random_state", "seed")):  # as scikit-learn calls them
        if theirs in parameters and theirs not in own:
            raise SpecError(f"factorize calls {theirs} ", Setting(ours))
    # What is a parameter of the method, and for others a setting of the fit.
    if "init" in own and isinstance(init, str):
        parameters["init"], init = init, None
    asked = {"restarts": restarts, "max_iter": max_iter, "tol": tol, "order": order, "solver": solver}
    asked = {name: value for name, value in asked.items() if value is not None}
    parameters |= {name: asked.pop(name) for name in own if name in asked}
    method = configured(algorithm, parameters, ("seed", *options_of(FitSettings), "init", *OF_DATA))
    if isinstance(init, str):
        raise SpecError(f"algorithm {cls.name}: init must be a mapping of first factors, not {init!r}")
    given = {"inner": inner, "dtype": dtype, "trace_every": trace_every} | asked
    settings, notes = settings_of(cls, given, "factorize", init)
    problem = make_problem(X, k, labels=labels, image_shape=image_shape, dtype=settings.dtype)
    # k counts rows and columns in methods on images, and clusters where no basis is in the features' space.
    m = problem.m if cls.basis is not None else k
    short = [f"{count} {what}" for count, what in ((m, "features"), (problem.n, "samples")) if count < k]
    if short and not cls.needs_image_shape:
        hint = f"k is {k} and X has {' and '.join(short)}; X is features × samples: was X.T meant?"
        if problem.n < k:  # more components than features can be meant, more than samples hardly
            warnings.warn(hint, stacklevel=3)  # before a fit that may take hours
        notes = (*notes, hint)
    found = fit(method, problem, settings, seed, init)
    return replace(found, notes=(*found.notes, *notes))


def configured(
    algorithm: str | type[Algorithm] | Algorithm, parameters: dict[str, Any], also: Iterable[str]
) -> Algorithm:
    """A method by its name, class or instance; an instance has its parameters already.

    `also` are the caller's own arguments, for messages.

    Raises
    ------
    SpecError
        For an unknown method or parameter, or a value out of range.
    """
    cls = algorithms.get(algorithm)
    if isinstance(algorithm, Algorithm):
        for name in parameters:
            what = f"{cls.name} is an instance, which has its parameters already; leave {name} out"
            raise SpecError(what, option=name)
        parameters = given_options(algorithm)
    method: Algorithm = build(cls, parameters, f"algorithm {cls.name}", also)
    return method


def settings_of(
    cls: type[Algorithm], given: dict[str, Any], what: str, init: Mapping[str, np.ndarray] | None = None
) -> tuple[FitSettings, tuple[str, ...]]:
    """How a method is run, from the settings that a caller gives; `what` is configured, for messages.

    The solver where none is asked for is fast, unless `max_iter`, `order`, `inner` or `init` says which
    iterations to run; a note then says so.

    Raises
    ------
    SpecError
        For a value that is not allowed, and an order, counts of updates or a solver for a method that has no
        such choice.
    """
    asked = {name: given.get(name) for name in ("order", "inner", "max_iter")} | {"init": init}
    said = [name for name, value in asked.items() if value is not None]
    fast = "solver" in cls.fit_settings and not cls.fixed_budget and cls.has_fast()
    default = "fast" if fast and not said else "printed"
    settings: FitSettings = build(FitSettings, {"solver": default} | given, what)
    for name in OF_STACKS:
        if name not in cls.fit_settings and getattr(settings, name) != getattr(FitSettings(), name):
            raise SpecError(f"{cls.name} computes its factors in its own way and takes no {name}")
    if not fast or not said or "solver" in given:
        return settings, ()
    # The other two say how a printed update runs.
    instead = "" if {"order", "inner"} & set(said) else ', or ask for the solver "fast"'
    because = f"printed updates because of {', '.join(said)}"
    return settings, (f"{because}; leave that out{instead}, for a minimum",)


@in_keywords()
def kkt_residual(
    X: npt.ArrayLike,
    algorithm: str | type[Algorithm] | Algorithm,
    factors: Mapping[str, np.ndarray],
    *,
    labels: npt.ArrayLike | None = None,
    image_shape: tuple[int, int] | None = None,
    **parameters: Any,
) -> dict[str, float]:
    """How far factors are from a stationary point of a method's objective.

    Every entry is compared with its own best nonnegative value while the others of its factor are as they
    are; the Karush–Kuhn–Tucker conditions hold where none differs.

    Parameters
    ----------
    X : array_like, shape (m, n)
        Features × samples.
    algorithm : str or type or Algorithm
        A method with a fast solver: its name, class or an instance.
    factors : mapping of str to ndarray
        As in ``fit.factors``, however they were found.
    labels, image_shape, **parameters
        As for `factorize`.

    Returns
    -------
    dict of str to float
        By factor, the largest difference as a share of the factor's largest entry; free of units.

    Raises
    ------
    SpecError
        If the method's problems are not quadratic, or factors are missing or of another shape.

    Examples
    --------
    >>> import numpy as np
    >>> from nmfrepro import factorize, kkt_residual
    >>> X = np.random.default_rng(0).random((30, 20))
    >>> fit = factorize(X, "nmf", k=3)
    >>> max(kkt_residual(X, "nmf", fit.factors).values()) < 1e-3
    True
    """
    method = configured(algorithm, parameters, OF_DATA)
    if not isinstance(method, Iterative) or not method.has_fast():
        raise SpecError(f"{method.name} has no fast solver, and so no KKT residual here")
    name, axes = next(iter(method.factors.items()))
    if name not in factors or np.ndim(factors[name]) != len(axes):
        raise SpecError(f"{method.name}: factors need {name}, a matrix, as in fit.factors")
    k = np.shape(factors[name])[axes.index("k")]
    problem = make_problem(X, k, labels=labels, image_shape=image_shape)
    check(method, problem, FitSettings())
    run = StackedRun(method, problem, [first_factors(method, problem, 0, 0, factors, "factors")], [])
    return {name: float(value[0]) for name, value in kkt(method, run.stack).items()}


def fit(
    method: Algorithm,
    problem: Problem,
    settings: FitSettings,
    seed: int,
    init: Mapping[str, np.ndarray] | None = None,
    progress: Callable[[int], object] = lambda count: None,
    ends: Callable[[Run], bool] = lambda run: False,
) -> Fit:
    """Run a configured method on a problem; what `factorize` and the protocols share.

    `init` holds first factors in their public shapes; for `progress` and `ends` of iterative methods see
    `nmfrepro.algorithms.engine.solver.solve`.

    Raises
    ------
    SpecError, DataError
        As `check`, and for first factors that do not fit the method or its restarts.
    FitError
        If the factorization cannot be computed.
    """
    if init is not None and settings.restarts > 1 and isinstance(method, Iterative):
        raise SpecError("init gives one start: use it with restarts=1")
    settings = settings.used_by(method.fit_settings)
    check(method, problem, settings)
    if init is not None and isinstance(method, Direct):
        raise SpecError(f"algorithm {method.name} takes no init")
    with one_thread(problem.X.size * problem.k):
        if isinstance(method, Direct):
            given: Any = method.fit(problem, settings, seed)
            if not isinstance(given, Fit):
                wanted = "fit must return a Fit(factors, encodings, objective=…) of nmfrepro.method"
                raise FitError(f"{method.name}: {wanted}, not {type(given).__name__}")
            result = given
        else:
            assert isinstance(method, Iterative)
            result = solve(method, problem, settings, seed, init, progress, ends)
    if result.embedding is None and result.labels is None:
        raise FitError(f"{method.name}: there are neither encodings nor labels")
    for what, rows in (("the encodings have", result.embedding), ("the labels have", result.labels)):
        if rows is not None and len(rows) != problem.n:
            shape = " x ".join(map(str, rows.shape))
            raise FitError(f"{method.name}: {what} shape {shape}, but there are {problem.n} samples")
    if result.embedding is not None:
        if np.iscomplexobj(result.embedding):
            raise FitError(f"{method.name}: the encodings are complex numbers")
        if not np.isfinite(result.embedding).all():
            raise FitError(f"{method.name}: the encodings are not finite")
    return replace(result, notes=(*result.notes, *method.problem_notes(problem)))


def fit_each(
    methods: Sequence[Algorithm], problem: Problem, settings: FitSettings, seed: int
) -> list[Fit | FitError]:
    """`fit` of one method with several settings, or why it failed.

    They are stacked, and then the same to rounding, where they differ in what the method `varies` alone.

    Raises
    ------
    SpecError, DataError
        As `fit`.
    """
    settings = settings.used_by(methods[0].fit_settings)
    for method in methods:
        check(method, problem, settings)
    iterative = [method for method in methods if isinstance(method, Iterative) and method.stacked]
    if len(iterative) == len(methods) and settings.restarts == 1 and settings.solver == "printed":
        first = iterative[0]
        same = {name: getattr(first, name) for name in first.varies}
        if all(replace(each, **same) == first for each in iterative):
            with suppress(FitError):  # of one that takes the others with it
                return solve_each(iterative, problem, settings, seed)
    found: list[Fit | FitError] = []
    for method in methods:
        try:
            found.append(fit(method, problem, settings, seed))
        except FitError as error:
            found.append(error)
    return found


def make_problem(
    X: npt.ArrayLike,
    k: int,
    *,
    labels: npt.ArrayLike | None = None,
    image_shape: tuple[int, int] | None = None,
    dtype: str = "float64",
) -> Problem:
    """Check the input and bring it into a `Problem` of the type to work in; copied only where need be.

    Raises
    ------
    DataError
        If X is not a finite matrix, its squares leave the range of `dtype`, or the labels do not fit it.
    SpecError
        If k or the image shape is impossible.
    """
    if hasattr(X, "toarray"):
        raise DataError("X is a sparse matrix, which the methods do not take; give X.toarray()")
    try:
        given = np.asanyarray(X)
        if given.dtype == object:  # float() would drop the imaginary part of NumPy's complex numbers
            numbers = given.astype(complex)
            given = numbers if numbers.imag.any() else numbers.real
        if np.iscomplexobj(given) or np.ma.isMaskedArray(given):
            raise DataError("X must be a plain matrix of real numbers, neither complex nor masked")
        if given.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError, OverflowError):
        raise DataError("X must be a matrix of real numbers, features × samples") from None
    # A narrower type would make some entries infinite, and others zero: X is judged as it was given.
    given = np.asarray(given)
    if given.ndim not in (2, 3) or 0 in given.shape:
        wanted = "a matrix, features × samples, or images (samples, rows, columns)"
        raise DataError(f"X must be {wanted}, not of shape {given.shape}")
    if given.ndim == 3:
        sides = given.shape[1:]
        if image_shape is not None and two_sides(image_shape) != sides:
            raise SpecError(f"image_shape is {image_shape}, but the images of X are {sides}; leave it out")
        given, image_shape = given.reshape(len(given), -1).T, sides
    if not np.isfinite(given).all():
        feature, sample = np.argwhere(~np.isfinite(given))[0]
        value = given[feature, sample]
        raise DataError(f"X holds {value} at {_place(feature, sample)}: mend or drop that sample")
    check_magnitude(given, dtype=dtype)
    matrix = np.asarray(given, dtype=dtype, order="C")
    k = seeds.whole(k, "k", low=1)
    if image_shape is not None:
        image_shape = two_sides(image_shape)
        if image_shape[0] * image_shape[1] != matrix.shape[0]:
            raise SpecError(f"image_shape {image_shape} does not have the {matrix.shape[0]} pixels of X")
    codes = None
    if labels is not None:
        codes = np.asarray(labels)
        whole = codes.shape == (matrix.shape[1],) and np.issubdtype(codes.dtype, np.integer)
        if not whole or codes.min() < -1:
            swapped = codes.shape == matrix.shape[:1]
            hint = "; as many are given as X has rows: give X.T, features × samples" if swapped else ""
            wanted = f"{matrix.shape[1]} whole numbers, -1 for unlabelled samples"
            raise DataError(f"labels must be {wanted}{hint}")
    return Problem(matrix, k, image_shape, codes)


def _place(feature: int, sample: int) -> str:
    """An entry of X by its indices, as messages of files count."""
    return f"feature {feature + 1} of sample {sample + 1} (counted from 1)"


def check(method: Algorithm, problem: Problem, settings: FitSettings) -> None:
    """Refuse what a method is not defined for.

    Raises
    ------
    DataError
        For negative data where the method needs nonnegative, naming the entry.
    SpecError
        For missing or unused labels, a missing image shape, or a tolerance where the budget is fixed.
    """
    if not method.signed and problem.X.min() < 0:
        feature, sample = np.argwhere(problem.X < 0)[0]
        value = problem.X[feature, sample]
        raise DataError(
            f"X holds {value:g} at {_place(feature, sample)}; {method.name} needs data >= 0: "
            "give it before it is centred, or use semi_nmf, which takes negative data"
        )
    if method.needs_labels and problem.labels is None:
        raise SpecError(f"{method.name} is semi-supervised: give labels (-1 = unlabelled)")
    if problem.labels is not None and not method.needs_labels:
        raise SpecError(f"{method.name} is unsupervised and takes no labels")
    if method.needs_image_shape:
        require_image_shape(problem.image_shape, method.name)
    check_run(type(method), settings)
    method.check_settings(settings)
    method.check_problem(problem)
