"""Every factorization as a scikit-learn estimator, made from the registry: ``NLCF(n_components=8, mu=0.1)``.

Rows are samples, as everywhere in scikit-learn.  Methods with a basis that new samples can be coded on
(`InductiveEstimator`) transform them by nonnegative least squares, or by the method's own projection where it
has one (PCA, RICA, GLRAM, 2DNMF, NMSF).  `fit_transform` codes the training samples in the same way, so that
what follows in a pipeline sees one kind of feature; the encodings of the fit itself are in `embedding_`.
Methods whose encodings exist for the fitted samples only, because a graph or labels shape them or because
there is no such basis (`TransductiveEstimator`), offer fit and fit_transform, which returns those encodings.
"""

from __future__ import annotations

import copyreg
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from . import algorithms, factorization
from .algorithms import Algorithm
from .core import seeds
from .core.errors import SpecError, in_keywords, suggest
from .core.options import REQUIRED, Option, build, given_options, options_of
from .core.problem import FitSettings, two_sides

# Settings that may be None, for not given; of methods with more than one solver they are so by default: see
# `factorization.settings_of`.
NOT_GIVEN = ("max_iter", "order", "solver")
TYPES = (np.float64, np.float32)


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What all estimators share.  Codes come in the type of X, float32 or float64; `dtype` is the fit's.

    Attributes
    ----------
    factors_ : dict of str to ndarray
        Raw factors in the paper's shapes, as `nmfrepro.factorize` returns them.
    components_ : ndarray, shape (n_components, n_features)
        The basis, one component per row; only of methods that have one over the pixels of an image.
    embedding_ : ndarray, shape (n_samples, d)
        The encodings that the fit itself found, as they are clustered: NMF's are of basis vectors of unit
        length, say.  Samples are ``transform(X) @ components_``, or a product of `factors_`.
    objective_ : float
        The method's objective at the end.
    reconstruction_err_ : float
        ‖X − codes · components_‖ (Frobenius) over the training samples; only where there are components.
    n_iter_ : int
    notes_ : tuple of str
        What a reader of the fit must know: what the method notes, and whether the fast solver was used, which
        is the default where neither `max_iter` nor `order` nor `inner` is given, or which of these is.
    """

    algorithm: ClassVar[type[Algorithm]]
    _given: ClassVar[tuple[tuple[str, Any], ...]] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle finds the method by its name, and not always this class, which is made; a subclass it does.
        cls: Any = self.algorithm
        made = type(self) is _estimator(cls, self._given)
        how = (_blank, (cls, self._given)) if made else (copyreg.__newobj__, (type(self),))  # type: ignore[attr-defined]
        return (*how, self.__getstate__())

    @in_keywords()
    def _fit(self, X: npt.ArrayLike, y: npt.ArrayLike | None) -> np.ndarray:
        cls = self.algorithm
        if np.ma.isMaskedArray(X):  # scikit-learn would drop the mask
            raise ValueError(f"{type(self).__name__} takes no masked array; give X.filled(…) or drop samples")
        data = validate_data(self, X, dtype=TYPES, ensure_min_samples=2)
        self._refuse_negative(data, "fit")
        own = options_of(cls)
        method: Algorithm = build(cls, {name: getattr(self, name) for name in own}, type(self).__name__)
        given = {name: getattr(self, name) for name in cls.fit_settings if name not in own}
        given = {name: each for name, each in given.items() if name not in NOT_GIVEN or each is not None}
        settings, notes = factorization.settings_of(cls, given, type(self).__name__)
        seed = self.random_state
        if seed is None or isinstance(seed, np.random.RandomState):  # as everywhere in scikit-learn
            seed = int(check_random_state(seed).randint(2**31 - 1))
        seed = seeds.whole(seed, "random_state", low=0, more=", a RandomState or None")
        problem = factorization.make_problem(
            data.T,
            seeds.whole(self.n_components, "n_components", low=1),
            labels=self._labels(y) if cls.needs_labels else None,
            image_shape=self._image_shape(data),
            dtype=settings.dtype,
        )
        found = factorization.fit(method, problem, settings, seed)
        assert found.embedding is not None
        self.method_, self.factors_, self.embedding_ = method, found.factors, found.embedding
        self.objective_ = float(found.objective[-1]) if found.objective.size else float("nan")
        self.notes_ = (*found.notes, *notes)
        self.n_iter_ = max(found.n_iter, 1)
        self._n_features_out = found.embedding.shape[1]
        if cls.codes_on_basis():
            assert cls.basis is not None
            self.components_ = found.factors[cls.basis].T
        return data

    def _labels(self, y: npt.ArrayLike | None) -> np.ndarray:
        # scikit-learn's own words again.
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        labels = np.asarray(y)
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity; -1 marks unlabelled samples")
        check_classification_targets(y)
        if labels.dtype.kind in "USOb":
            texts = labels.astype(str)
            return np.where(texts == "-1", -1, np.unique(texts, return_inverse=True)[1])
        return labels.astype(int) if labels.dtype.kind == "f" else labels

    def _image_shape(self, data: np.ndarray) -> tuple[int, int] | None:
        """Rows and columns of an image; −1 for one of them, as in NumPy, is what is left of the features."""
        if not self.algorithm.needs_image_shape or self.image_shape is None:
            return None
        rows, columns = two_sides(self.image_shape, low=-1)
        if rows == -1 and columns > 0:
            return data.shape[1] // columns, columns
        if columns == -1 and rows > 0:
            return rows, data.shape[1] // rows
        return rows, columns

    def _refuse_negative(self, data: np.ndarray, method: str) -> None:
        # scikit-learn's own words, which its checks look for.
        if not self.algorithm.signed and (data < 0).any():
            raise ValueError(f"Negative values in data passed to {type(self).__name__}.{method}")

    def __getattr__(self, name: str) -> Any:
        """What a method does not have, in words."""
        lacks = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "transform":
            lacks += ": it codes the samples of its fit only; use fit_transform"
        elif name in ("components_", "inverse_transform", "reconstruction_err_") and (
            not self.algorithm.codes_on_basis() or (not inductive(self.algorithm) and name != "components_")
        ):
            lacks += ": only methods that code samples on a basis of images have it; see factors_"
        raise AttributeError(lacks)

    def __sklearn_tags__(self) -> Any:
        """That the data must be nonnegative, where it must."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.positive_only = not self.algorithm.signed
        tags.target_tags.required = self.algorithm.needs_labels
        return tags


class InductiveEstimator(Factorization):
    """A method that codes new samples on the basis it has learned."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None) -> Self:
        """Learn the basis; X is (n_samples, n_features), y is ignored."""
        self._learn(X)
        return self

    def fit_transform(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None) -> np.ndarray:
        """As `fit` and then `transform` of the same samples, which are coded once."""
        return self._learn(X)

    def transform(self, X: npt.ArrayLike) -> np.ndarray:
        """Codes of samples on the learned basis, (n_samples, d)."""
        check_is_fitted(self)
        data = validate_data(self, X, dtype=TYPES, reset=False)
        self._refuse_negative(data, "transform")
        return self._codes(data).astype(data.dtype, copy=False)

    @available_if(lambda self: self.algorithm.codes_on_basis())  # type: ignore[untyped-decorator]
    def inverse_transform(self, X: npt.ArrayLike) -> np.ndarray:
        """Samples (n_samples, n_features) that codes stand for: ``X @ components_``."""
        check_is_fitted(self)
        return check_array(X, dtype=TYPES) @ self.components_

    def _learn(self, X: npt.ArrayLike) -> np.ndarray:
        data = self._fit(X, None)
        codes = self._codes(data)
        if self.algorithm.codes_on_basis():
            self.reconstruction_err_ = float(np.linalg.norm(data - codes @ self.components_))
        return codes.astype(data.dtype, copy=False)

    def _codes(self, data: np.ndarray) -> np.ndarray:
        cls = self.algorithm
        coding = "nnls" if cls.codes_on_basis() else None
        return self.method_.project(self.factors_, data.T, self._image_shape(data), coding)


class TransductiveEstimator(Factorization):
    """A method whose encodings exist for the fitted samples only."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None) -> Self:
        """Factorize X; y holds labels, of numbers or text, where the method wants them (−1: unlabelled)."""
        self._fit(X, y)
        return self

    def fit_transform(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None) -> np.ndarray:
        """The encodings of the fitted samples, (n_samples, d)."""
        data = self._fit(X, y)
        return self.embedding_.astype(data.dtype, copy=False)


def inductive(cls: type[Algorithm]) -> bool:
    """Whether new samples can be coded: a projection, and encodings that neither graph nor labels shape."""
    return cls.codes_new_samples() and not (cls.transductive or cls.needs_labels)


@dataclass(frozen=True)
class _Parameter:
    """One argument of an estimator."""

    name: str
    default: Any  # `REQUIRED` where there is none
    types: tuple[type, ...]
    text: str  # what it means

    @classmethod
    def of(cls, option: Option, default: Any, more: str = "") -> Self:
        """An option of a method or of a fit, in Python's words."""
        text = f"{option.help} ({option.allowed})".replace("null", "None") + more
        return cls(option.name, default, option.types, text)


def _parameters(cls: type[Algorithm], given: Mapping[str, Any]) -> list[_Parameter]:
    """n_components, the method's own parameters with defaults as `given`, how it is run, the seed."""
    own = options_of(cls)
    run = {name: each for name, each in options_of(FitSettings).items() if name in cls.fit_settings}
    more = {}
    if "solver" in run:
        more = dict.fromkeys(NOT_GIVEN, "") | {
            "solver": "; None: fast where it can be and neither max_iter nor order nor inner is given",
            "max_iter": f"; None: {FitSettings().max_iter}",
        }
    found = [_Parameter("n_components", 2, (int,), "columns of the basis")]
    found += [_Parameter.of(each, given.get(name, each.default)) for name, each in own.items()]
    for name, each in run.items():
        if name not in own:
            found.append(_Parameter.of(each, None if name in more else each.default, more.get(name, "")))
    if cls.needs_image_shape:
        text = "(rows, columns) of an image; -1 for one of them is what is left of the features"
        found.append(_Parameter("image_shape", None, (tuple,), text))
    text = "names the random starts: a whole number >= 0, a RandomState or None"
    return [*found, _Parameter("random_state", 0, (int,), text)]


def _init(parameters: Sequence[_Parameter]) -> Callable[..., None]:
    """The initializer: n_components by position or by name, the others by name."""
    made = inspect.Parameter
    arguments = [made("self", made.POSITIONAL_OR_KEYWORD)]
    for i, each in enumerate(parameters):
        kind = made.KEYWORD_ONLY if i else made.POSITIONAL_OR_KEYWORD
        default = made.empty if each.default is REQUIRED else each.default
        arguments.append(made(each.name, kind, default=default))
    signature = inspect.Signature(arguments)
    known = [each.name for each in parameters]

    def __init__(self: Any, *args: Any, **values: Any) -> None:
        for name in values:
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; {suggest(name, known)}")
        for each in parameters:
            if each.default is REQUIRED and each.name not in values:
                raise TypeError(f"{type(self).__name__} needs {each.name}: {each.text}")
        bound = signature.bind(self, *args, **values)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


@functools.cache
def _estimator(cls: Any, given: tuple[tuple[str, Any], ...]) -> type[Factorization]:
    """The class for a method; `given` are values of its parameters that become defaults."""
    base = InductiveEstimator if inductive(cls) else TransductiveEstimator
    parameters = _parameters(cls, dict(given))
    content = {
        "__init__": _init(parameters),
        "__module__": __name__,
        "__doc__": _documentation(cls, parameters),
        "algorithm": cls,
        "_given": given,
    }
    return type(cls.__name__, (base,), content)


def _blank(cls: Any, given: tuple[tuple[str, Any], ...]) -> Factorization:
    """An estimator without its attributes, which pickle then gives it."""
    made = _estimator(cls, given)
    return made.__new__(made)


def of(algorithm: str | type[Algorithm] | Algorithm) -> type[Factorization]:
    """The estimator of a method, named as in specs, or given as its class or an instance.

    Parameters
    ----------
    algorithm : str or type or Algorithm
        The parameters of an instance are the estimator's defaults.

    Raises
    ------
    SpecError
        If there is no such method, or no estimator of it.
    """
    cls = algorithms.get(algorithm)
    if not cls.has_encodings:
        raise SpecError(f"{cls.name} has no estimator here; use scikit-learn's own")
    given = tuple(given_options(algorithm).items()) if isinstance(algorithm, Algorithm) else ()
    return _estimator(cls, given)  # type: ignore[arg-type]  # a class has a hash, whatever its instances have


def _documentation(cls: type[Algorithm], parameters: Sequence[_Parameter]) -> str:
    """A class's docstring: what the method is, its parameters, what fit leaves, an example."""
    lines = [*inspect.cleandoc(cls.__doc__ or cls.__name__).splitlines(), "", "Parameters", "----------"]
    for each in parameters:
        default = "" if each.default is REQUIRED else f", default={each.default!r}"
        types = ["None" if kind is NoneType else kind.__name__ for kind in each.types]
        lines += [f"{each.name} : {' or '.join(types)}{default}", f"    {each.text}"]
    shared = inspect.cleandoc(Factorization.__doc__ or "").split("\n\n", 1)[1]
    lines += ["", shared, "", "Examples", "--------"]
    names = {each.name for each in parameters}
    given = {name: value for name, value in cls.example.items() if name in names}
    given |= {"max_iter": 20} if "max_iter" in names else {}
    given |= {"image_shape": (3, 4)} if cls.needs_image_shape else {}
    call = "".join(f", {name}={value!r}" for name, value in given.items())
    labels = ", [0] * 5 + [1] * 5 + [-1] * 10" if cls.needs_labels else ""
    lines += [
        ">>> import numpy as np",
        f">>> from nmfrepro.estimators import {cls.__name__}",
        ">>> X = np.random.default_rng(0).random((20, 12))  # 20 samples of 12 features",
        f">>> codes = {cls.__name__}(n_components=3{call}).fit_transform(X{labels})",
        ">>> len(codes)",
        "20",
    ]
    return "\n".join(lines)


def names() -> dict[str, type[Algorithm]]:
    """The estimators by class name, each with its method."""
    return {cls.__name__: cls for cls in algorithms.registry().values() if cls.has_encodings}


def __dir__() -> list[str]:
    return sorted(names())


def __getattr__(name: str) -> type[Factorization]:
    for cls in () if name.startswith("_") else algorithms.registry().values():
        if name in (cls.__name__, cls.title):
            try:
                return of(cls)
            except SpecError as error:
                raise AttributeError(str(error)) from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
