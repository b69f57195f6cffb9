"""What every method promises, whatever it computes, tried on small data: `nmfrepro check-algorithm`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .algorithms import Algorithm, Direct, Iterative
from .core.errors import NmfreproError
from .core.options import Option, options_of
from .core.problem import Fit, FitSettings, Problem
from .factorization import factorize, fit
from .registry.plugins import failure_in_words

ROWS, COLUMNS, SAMPLES, K = 5, 6, 14, 3
# Two classes and three samples without a label.
LABELS = np.array([0, 0, 0, -1, 2, 2, 0, 2, -1, 2, 0, 2, -1, 0])
# As large as those of trials, which scikit-learn's random_state does not take.
SEED = 2**63 - 1
# What `factorize`, a spec or an estimator takes for something else than a parameter.
TAKEN = {"X", "algorithm", "k", "seed", "labels", "image_shape", "inner", "dtype", "trace_every"} | {
    *("name", "as", "fit", "n_components", "random_state")
}
PLAIN = ("update", "objective")
SCALES = tuple(10.0**power for power in range(-6, 7, 2))


@dataclass(frozen=True)
class Verdict:
    """Whether a promise is kept."""

    promise: str  # in one clause
    problem: str = ""  # where it is broken: the settings, and what came of them


class _BrokenError(Exception):
    """A promise is not kept; the text says where."""


def data(seed: int = 0) -> np.ndarray:
    """30 × 14 numbers in (0, 1), no two distances alike: images of 5 × 6 pixels as columns."""
    return np.random.default_rng(seed).random((ROWS * COLUMNS, SAMPLES))


def run(cls: type[Algorithm], X: np.ndarray, k: int = K, **more: Any) -> Fit:
    """`factorize` with all that the method cannot do without; 20 printed iterations unless said otherwise."""
    given: dict[str, Any] = {**cls.example, "max_iter": 20, "seed": SEED}
    if cls.needs_labels:
        given["labels"] = LABELS
    if cls.needs_image_shape:
        given["image_shape"] = (ROWS, COLUMNS)
    return factorize(X, cls.name, k, **given | more)


def verdicts(cls: type[Algorithm]) -> Iterator[Verdict]:
    """What became of every promise of a method that is known by its name: ours, or of a plug-in in use."""
    if absent := _absent(cls):
        what = f"{cls.__name__} has no {' and no '.join(absent)}; no other promise can be tried before"
        yield Verdict("what a method must have is written", what)
        return
    if wrong := _misdeclared(cls):
        yield Verdict("fields are options, with names of their own", wrong)
        return
    promises: list[tuple[str, Callable[[Any], None]]] = [
        ("factors and encodings have their shapes and type, and are finite; there is an objective", _shapes),
        ("the same seed gives the same bytes", _same_bytes),
        ("X is left as it is", _untouched),
        ("every allowed value of every parameter is computed, or refused in words", _parameters),
        ("data from 1e-6 to 1e6 is computed, or refused in words", _scales),
    ]
    if issubclass(cls, Direct):
        promises.append(("fit reads no settings but those that fit_settings names", _settings))
    if cls.codes_new_samples():
        promises.append(("new samples are coded, a row each (project)", _new_samples))
    if issubclass(cls, Iterative):
        if cls.stacked and not _unwritten(cls, PLAIN):
            promises.append(("both tiers compute the same (stacked = True)", _tiers))
        promises.append(("as many iterations as asked for, with a recorded objective each", _iterations))
        promises.append(("a component that is zero leaves all numbers finite", _dead_component))
        if not cls.signed:
            promises.append(("factors are nonnegative (signed = False)", _nonnegative))
        if cls.monotone:
            promises.append(("the objective never rises (monotone = True)", _descent))
    for promise, check in promises:
        problem = ""
        try:
            check(cls)
        except _BrokenError as broken:
            problem = str(broken)
        except NmfreproError as error:
            problem = f"refused: {error}"
        except (Exception, SystemExit) as failure:  # the border to a user's code: it breaks the promise
            problem = failure_in_words(failure)
        yield Verdict(promise, problem)


def _absent(cls: type[Algorithm]) -> list[str]:
    """What a class would have to write and does not; the plain tier's where it has nothing of the other."""
    if not issubclass(cls, Iterative):
        return _unwritten(cls, ["fit"], Direct)
    return _unwritten(cls, [*cls.stacked_updates(), "objectives"] if cls.stacked else PLAIN)


def _unwritten(cls: type[Algorithm], names: Iterable[str], base: type[Algorithm] = Iterative) -> list[str]:
    return [name for name in names if getattr(cls, name, None) is getattr(base, name, None)]


def _misdeclared(cls: type[Algorithm]) -> str:
    """Which field of a class cannot be set as a parameter."""
    known = options_of(cls)
    if loose := [each.name for each in fields(cls) if each.name not in known]:
        how = 'write option(DEFAULT, help="…") behind its type, or leave the type out'
        return f"{loose[0]} is a field but no option, so that no spec can set it; {how}"
    taken = [name for name in known if name in TAKEN]
    return (
        f"{taken[0]} is something else for specs or in Python; give the parameter another name"
        if taken
        else ""
    )


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise _BrokenError(text)


def _arrays(fit: Fit) -> dict[str, np.ndarray]:
    """All that a fit has found, by how it is called."""
    read = {"the encodings": fit.embedding, "the labels": fit.labels, "the objective": fit.objective}
    return fit.factors | {name: values for name, values in read.items() if values is not None}


def _finite(fit: Fit, where: str) -> None:
    for name, values in _arrays(fit).items():
        _require(bool(np.isfinite(values).all()), f"{where}: {name} has entries that are not finite")


def _configured(cls: type[Algorithm], X: np.ndarray) -> tuple[Algorithm, Problem]:
    image_shape = (ROWS, COLUMNS) if cls.needs_image_shape else None
    return cls(**cls.example), Problem(X, K, image_shape, LABELS if cls.needs_labels else None)


def _shapes(cls: type[Algorithm]) -> None:
    for dtype in ("float64", "float32"):
        X = data().astype(dtype)
        fit = run(cls, X, dtype=dtype)
        _finite(fit, dtype)
        _require(fit.objective.size > 0, "the objective has no value; give its last one at least")
        for name, values in fit.factors.items():
            text = f"of an X of type {dtype} {name} is of type {values.dtype}; give it that of X, X.dtype"
            _require(values.dtype == dtype, text)
        method, problem = _configured(cls, X)
        if cls.codes_on_basis():
            shape = np.shape(fit.factors.get(str(cls.basis), 0))
            coded = len(shape) == 2 and shape[0] == problem.m
            text = f"new samples of {problem.m} features cannot be coded on {cls.basis}, of shape {shape}"
            _require(coded, f"{text}; set basis to a factor m × k or to None, or write project")
        lengths = {"m": problem.m, "n": problem.n, "k": problem.k}
        if isinstance(method, Iterative):
            lengths = method.dimensions(problem)
        for name, axes in cls.factors.items():
            _require(name in fit.factors, f"the fit has no {name}, and factors says {axes}")
            shape, got = tuple(lengths.get(axis) for axis in axes), fit.factors[name].shape
            same = len(got) == len(shape) and all(
                due in (None, length) for due, length in zip(shape, got, strict=True)
            )
            _require(same, f"{name} is of shape {got}, and factors says {axes}: {shape}")


def _new_samples(cls: type[Algorithm]) -> None:
    method, problem = _configured(cls, data())
    codes = np.asarray(method.project(run(cls, data()).factors, data(1)[:, :2], problem.image_shape))
    text = f"project makes codes of shape {codes.shape} of two samples; it must give 2 × d"
    _require(codes.ndim == 2 and len(codes) == 2, text)
    _require(bool(np.isfinite(codes).all()), "the codes have entries that are not finite")


def _tiers(cls: type[Iterative]) -> None:
    method, problem = _configured(cls, data())
    plain = type(cls.__name__, (cls,), {"stacked": False})(**cls.example)
    fits = [fit(each, problem, FitSettings(max_iter=7, trace_every=1), SEED) for each in (method, plain)]
    stacked, plainly = map(_arrays, fits)
    for name in ("the objective", *fits[0].factors):
        off, size = (np.abs(each).max() for each in (stacked[name] - plainly[name], plainly[name]))
        _require(off <= 1e-9 * size, f"after 7 iterations {name} of update and of the stacked tier differ")


def _same_bytes(cls: type[Algorithm]) -> None:
    first, second = _arrays(run(cls, data())), _arrays(run(cls, data()))
    for name, values in first.items():
        _require(values.tobytes() == second[name].tobytes(), f"two runs with one seed differ in {name}")


def _untouched(cls: type[Algorithm]) -> None:
    X = data()
    run(cls, X)
    _require(bool(np.array_equal(X, data())), "X has other values after the fit")


def _parameters(cls: type[Algorithm]) -> None:
    run(cls, data())  # what is refused with its usual values is no matter of a parameter
    for name, option in options_of(cls).items():
        for value in _values(option, cls.example.get(name, option.default)):
            _computed_or_refused(cls, data(), f"{name} = {value!r}", **{name: value})


def _values(option: Option, usual: Any) -> list[Any]:
    """Values of a parameter that its option allows: its words, its bounds and some between and beyond."""
    tried: list[Any] = [*option.choices, *((True, False) if bool in option.types else ())]
    numbers = [option.low, option.high, 0, 1, 2, 3, 0.5, 1e-8, 1e-3, 1e3, 1e8]
    if isinstance(usual, (int, float)) and not isinstance(usual, bool):
        numbers += [usual, usual / 10, usual * 10]
    for number in numbers:
        if number is not None and float in option.types:
            tried.append(float(number))
        elif number is not None and int in option.types and float(number).is_integer() and number <= 100:
            tried.append(int(number))
    allowed = []
    for value in dict.fromkeys(tried):
        try:
            allowed.append(option.check(value))
        except NmfreproError:
            continue
    return allowed


def _scales(cls: type[Algorithm]) -> None:
    run(cls, data())
    for scale in SCALES:
        _computed_or_refused(cls, scale * data(), f"X times {scale:g}")


def _computed_or_refused(cls: type[Algorithm], X: np.ndarray, where: str, **more: Any) -> None:
    try:
        fit = run(cls, X, **more)
    except NmfreproError:
        return
    except Exception as failure:
        raise _BrokenError(f"{where}: {failure_in_words(failure)}") from failure
    _finite(fit, where)


def _settings(cls: type[Algorithm]) -> None:
    read: set[str] = set()

    class Watched(FitSettings):
        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

    method, problem = _configured(cls, data())
    assert isinstance(method, Direct)
    method.fit(problem, Watched(max_iter=20), SEED)
    unnamed = [name for name in options_of(FitSettings) if name in read - {*cls.fit_settings}]
    what = f"fit reads {', '.join(unnamed)} and gets the default, whatever a spec says"
    _require(not unnamed, f"{what}; write fit_settings = {(*cls.fit_settings, *unnamed)}")


def _iterations(cls: type[Algorithm]) -> None:
    fit = run(cls, data(), max_iter=7, trace_every=2)
    _require(fit.n_iter == 7, f"{fit.n_iter} iterations where 7 were asked for")
    recorded = math.ceil(7 / 2) + 1
    text = f"{len(fit.objective)} recorded values where {recorded} are due (0, 2, 4, 6, 7)"
    _require(len(fit.objective) == recorded, text)


def _dead_component(cls: type[Algorithm]) -> None:
    run(cls, data())
    first, emptied = run(cls, data(), max_iter=0).factors, {}
    for name, axes in cls.factors.items():
        if "k" in axes:
            emptied[name] = first[name].copy()
            np.moveaxis(emptied[name], axes.index("k"), 0)[0] = 0
    for changed in [*({name: values} for name, values in emptied.items()), emptied]:
        where = f"from a start with a component of {' and '.join(changed)} zero"
        try:
            fit = run(cls, data(), init=first | changed)
        except NmfreproError as error:
            raise _BrokenError(f"{where}: {error}") from error
        _finite(fit, where)


def _nonnegative(cls: type[Algorithm]) -> None:
    factors, method = run(cls, data()).factors, cls(**cls.example)
    assert isinstance(method, Iterative)
    for name in method.nonnegative:
        values = factors[name]
        _require(bool((values >= 0).all()), f"{name} has entries down to {values.min():.3g}")


def _descent(cls: type[Algorithm]) -> None:
    for k in (1, K):
        for zeros in (False, True):
            X = data(k)
            if zeros:
                X *= np.random.default_rng(2).random(X.shape) > 0.3
                X[4], X[:, 3] = 0, 0
            trace = run(cls, X, k, max_iter=200, trace_every=1).objective
            _falls(trace, X, f"k = {k}{', data with zeros' if zeros else ''}")
    for name, option in options_of(cls).items():
        for value in _values(option, cls.example.get(name, option.default)):
            if isinstance(value, (str, bool)):  # which may choose an update that rises
                continue
            try:
                trace = run(cls, data(), trace_every=1, **{name: value}).objective
            except Exception:  # which is for another promise to tell
                continue
            _falls(trace, data(), f"{name} = {value!r}")


def _falls(trace: np.ndarray, X: np.ndarray, where: str) -> None:
    rise = np.diff(trace)
    at = int(rise.argmax())
    _require(
        bool(rise[at] <= 1e-12 * (trace[0] + np.sum(X * X))),
        f"{where}: it rises from {trace[at]:.10g} to {trace[at + 1]:.10g} in iteration {at + 1}",
    )
