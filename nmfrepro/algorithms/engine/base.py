"""What every algorithm declares, and the two kinds there are: iterative and direct."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ...core import seeds
from ...core.errors import SpecError
from ...core.options import key_values, option, options_of
from ...core.problem import Fit, FitSettings, Problem, Shape
from .fast import Quadratic
from .new_samples import project_on
from .plain import Array, Factors, column_lengths
from .stack import Stack

# Fit settings that say how the stacked tier moves; a plain update has its own order.
OF_STACKS = ("order", "inner", "solver")


class Look(NamedTuple):
    """How pictures draw a method: a colour as `nmfrepro.views.plots.style` names it or as matplotlib does."""

    colour: str
    marker: str
    dash: str
    hollow: bool = False  # whether the marker is drawn empty


@dataclass(frozen=True)
class Algorithm:
    """A method with its parameters.

    A subclass is a frozen dataclass: its fields made by `option` are the parameters, its class variables
    say what it is.  The class docstring says it in words; `nmfrepro show NAME` prints it, and the code.
    A class with a name of its own inherits no title, and from another method no paper, cites, look,
    objective_text and uncertain.

    Attributes
    ----------
    name : str
        How specs and `factorize` call it.
    title : str
        How tables print it; the class's name unless it is said.
    paper : str
        Citation in one line: authors, title, venue, year.
    cites : tuple of str
        What to cite: keys of `nmfrepro.papers.bibliography`, or whole BibTeX entries.
    look : Look or None
        How pictures draw it; None: by its name, unlike the others of its picture.
    example : dict
        Values for parameters that have no default, for tests and benchmarks.
    objective_text : str
        The objective with its exact scaling, in one line.
    uncertain : tuple of str
        What the sources leave open and how it was settled, and where a printed claim fails.
    revision : int
        Raised whenever the mathematics changes; part of a trial's key.
    signed : bool
        Whether negative data is allowed.
    needs_image_shape, needs_labels : bool
    transductive : bool
        Whether a graph shapes the encodings of the fitted samples, say, so that no map gives those of others.
        So it is where a method needs labels.
    fixed_budget : bool
        The number of iterations is part of the method: tol must be 0 and `inner` off unless asked for.
    has_encodings : bool
        Whether a fit has encodings, and not labels alone.
    has_labels : bool
        Whether a fit has labels of its own, so that no clusters are read from its encodings.
    factors : dict of str to tuple of str
        Public shape of every factor: ``{"U": ("m", "k"), "V": ("k", "n")}``.
    basis : str or None
        The factor (m × k) that new samples are coded on by least squares; None: they are not.
    read_options : tuple of str
        Options that decide how encodings are read and nothing of the fit.
    fit_settings : tuple of str
        The `FitSettings` that the method's result depends on; part of a trial's key.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str] = ""
    cites: ClassVar[tuple[str, ...]] = ()
    look: ClassVar[Look | None] = None
    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    objective_text: ClassVar[str] = ""
    uncertain: ClassVar[tuple[str, ...]] = ()
    revision: ClassVar[int] = 1
    signed: ClassVar[bool] = False
    needs_image_shape: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    transductive: ClassVar[bool] = False
    fixed_budget: ClassVar[bool] = False
    has_encodings: ClassVar[bool] = True
    has_labels: ClassVar[bool] = False
    factors: ClassVar[dict[str, tuple[str, ...]]] = {}
    basis: ClassVar[str | None] = None
    read_options: ClassVar[tuple[str, ...]] = ()
    fit_settings: ClassVar[tuple[str, ...]] = tuple(options_of(FitSettings))

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "name" in vars(cls):
            cls._name_itself()
        axes = cls.factors.get(cls.basis or "", ("m", "k"))
        if cls.codes_on_basis() and (len(axes) != 2 or axes[0] != "m"):
            raise SpecError(
                f"{cls.__name__}: new samples cannot be coded on {cls.basis} ({' × '.join(axes)}), only on a "
                "factor m × k; set basis to one or to None, or write project"
            )

    @classmethod
    def _name_itself(cls) -> None:
        """A method with a name of its own has nothing of what another method says of itself."""
        own, named = vars(cls), (base for base in cls.__mro__[1:] if "name" in vars(base))
        other: type = next(named, Algorithm)
        if "title" not in own:
            cls.title = cls.__name__
        if not own.get("__doc__"):  # else a dataclass would say how it is called
            cls.__doc__ = f"{cls.__name__}, whose class has no docstring to say what it is."
        for each in ("paper", "cites", "look", "objective_text", "uncertain"):
            if each not in own and getattr(cls, each) is getattr(other, each):
                setattr(cls, each, getattr(Algorithm, each))

    @property
    def parameters(self) -> dict[str, Any]:
        """All values by name."""
        return {name: getattr(self, name) for name in options_of(type(self))}

    @property
    def identity(self) -> dict[str, Any]:
        """The parameters as keys and rows have them."""
        return key_values(self, options_of(type(self)))

    def check_problem(self, problem: Problem) -> None:
        """Raise `SpecError` or `FitError` where the method is not defined; the default accepts everything."""

    def problem_notes(self, problem: Problem) -> tuple[str, ...]:
        """What a reader of any fit of this problem must know."""
        return ()

    def check_shape(self, k: int, image_shape: tuple[int, int]) -> None:
        """Raise `SpecError` where images of that shape have no such factors; asked before there is data."""

    def most_vectors(self, image_shape: tuple[int, int]) -> int | None:
        """The largest k of a method on images of that shape, their shorter side by default; None: any."""
        return min(image_shape)

    def check_settings(self, settings: FitSettings) -> None:
        """Raise `SpecError` where the method cannot be run so; the default accepts everything."""

    def balanced(self, problem: Problem, refit: Callable[[Self], Fit]) -> dict[str, float]:
        """Where parameters stand before they are scanned, by the paper's rule, from fits that `refit` makes.

        A method whose paper states such a rule overrides this.
        """
        raise NotImplementedError

    @classmethod
    def scale_is_free(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether encodings are read at a scale that nothing but the random start decides."""
        return False

    @classmethod
    def codes_on_basis(cls) -> bool:
        """Whether new samples are coded by least squares on the `basis`.

        A `project` of the method's own codes otherwise (PCA subtracts the mean, NMSF has a side of an image).
        """
        return cls.basis is not None and cls.project is Algorithm.project

    @classmethod
    def codes_new_samples(cls) -> bool:
        """Whether new samples can be coded, in one way or the other."""
        return cls.basis is not None or cls.project is not Algorithm.project

    @classmethod
    def has_fast(cls) -> bool:
        """Whether the fast solver can run the method."""
        return False

    def project(
        self, factors: Factors, X: Array, image_shape: Shape = None, projection: str | None = None
    ) -> Array:
        """Features of new samples on the factors of a fit, for recognition.

        Parameters
        ----------
        factors : dict of str to ndarray
            Raw factors of a fit.
        X : ndarray, shape (m, n)
            Samples as columns; those of the fit may be among them.
        image_shape : (rows, columns), optional
            For methods that treat samples as matrices.
        projection : str, optional
            How, where the method knows several ways; None: its own.  Methods with a `basis` know "pinv"
            (the default) and "nnls".

        Returns
        -------
        ndarray, shape (n, d)

        Raises
        ------
        SpecError
            If the method has no projection for new samples, or not this one.
        """
        if self.basis is None:
            raise SpecError(f"{self.name} has no projection for new samples")
        return project_on(factors[self.basis], X, projection or "pinv")


@dataclass(frozen=True)
class Direct(Algorithm):
    """A method that is not a loop over updates of random starts."""

    fit_settings: ClassVar[tuple[str, ...]] = ("dtype",)

    def fit(self, problem: Problem, settings: FitSettings, seed: int) -> Fit:
        """Compute the fit; randomness only from streams named under `seed`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Iterative(Algorithm):
    """A method that improves random factors.

    It is written plainly, in the paper's shapes: ``update(X, U, V)`` is one iteration and returns the new
    factors, ``objective(X, U, V)`` is their objective.  Restarts then run one after another.  What an update
    remembers besides, a step length say, has its first value in `given` and is returned after the factors,
    ``return U, V, {"t": t}``; the next iteration gets it as ``update(X, t, U, V)``.

    A stacked tier may stand beside it, which moves all restarts at once as a `Stack` stores them:
    ``update_<factor>(stack, repeats)`` for every factor, in any order and so many times while the other
    factors stay, and ``objectives(stack, exact)``.  It is then what runs, and tests hold it against the plain
    one.  The loop, restarts, stopping rule and trace are in `nmfrepro.algorithms.engine.solver`.

    Attributes
    ----------
    layout : dict of str to tuple of int
        For factors that the stacked tier stores with their axes in another order: which axis comes first,
        second, ….  Where nothing is said, a factor whose last axis is k has its axes reversed, (m, k) as
        (k, m), and any other stays as it is.
    update_order : tuple of str
        In which order they move, where it is not the order of `factors`.
    roles : dict of str to str
        The named random stream each factor starts from; "encodings" or "core" are read.
    normalize : str
        How encodings are read: "none", as they are, or "unit".  An option of that name where it is a choice.
    monotone : bool
        Whether the objective provably never rises.
    warm : int
        Printed passes before the fast solver's own, whose first sweeps from a random start set components to
        zero that never come back.  Plain least squares need two; after fewer than five NLCF's limits are up
        to half higher (measured).
    varies : tuple of str
        Parameters that fits stacked on one start may each have their own value of: `Stack.parameter` has it.
    stacked : bool
        Whether the stacked tier runs, which a class that writes one says.  One that writes `given`, `update`
        or `objective` anew and does not say so runs plainly: an inherited tier would compute something else.
    """

    layout: ClassVar[dict[str, tuple[int, ...]]] = {}
    update_order: ClassVar[tuple[str, ...]] = ()
    roles: ClassVar[dict[str, str]] = {"U": "basis", "V": "encodings"}
    monotone: ClassVar[bool] = True
    warm: ClassVar[int] = 5
    varies: ClassVar[tuple[str, ...]] = ()
    stacked: ClassVar[bool] = False
    read_options: ClassVar[tuple[str, ...]] = ("normalize",)
    _fit_settings: ClassVar[tuple[str, ...]] = Algorithm.fit_settings  # those of both tiers
    normalize = "none"

    @property
    def nonnegative(self) -> tuple[str, ...]:
        """The factors that never have negative entries: all of them, or none where data may be negative."""
        return () if self.signed else tuple(self.factors)

    def given(self, problem: Problem) -> dict[str, Any]:
        """What `update` and `objective` get besides the factors, made once for every restart: X alone.

        The stacked tier has it in ``stack.given``, and X in ``stack.X``.
        """
        return {"X": problem.X}

    def update(self, *given: Any, **factors: Any) -> Any:
        """One iteration: the new factors, in the order of `factors`, and what has changed of `given`."""
        raise NotImplementedError(f"{self.name} has no update")

    def update_weighted(self, X: Array, W: Array, U: Array, V: Array) -> tuple[Array, Array]:
        """`update` for the objective with weights W (m × n) on the entries of X; 0 holds an entry out.

        For methods that can leave entries out.  It is not called of a subclass that writes another objective
        or update and not this one.
        """
        raise NotImplementedError(f"{self.name} has no update_weighted")

    def objective(self, *given: Any, **factors: Any) -> Any:
        """What the method minimises, for one set of factors."""
        raise NotImplementedError(f"{self.name} has no objective")

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """Lengths of the axes named in `factors`."""
        return {"m": problem.m, "n": problem.n, "k": problem.k}

    def public(self, name: str, stacked: Array) -> Array:
        """One restart's factor as the papers shape it, from how it is stored (components as rows)."""
        return np.array(stacked.transpose(np.argsort(self._layout(name))), order="C")

    def stored(self, name: str, factor: Array) -> Array:
        """The inverse of `public`."""
        return factor.transpose(self._layout(name))

    def _layout(self, name: str) -> tuple[int, ...]:
        axes = self.factors[name]
        return self.layout.get(name) or tuple(range(len(axes)))[:: -1 if axes[-1] == "k" else 1]

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> Array:
        """First value of a factor in its public shape; components drawn one after the other, on (0, 1]."""
        lengths, axes = self.dimensions(problem), self.factors[name]
        stored = tuple(lengths[axes[at]] for at in self._layout(name))
        return self.public(name, seeds.uniform(stored, seed, "start", self.roles[name], restart))

    def prepare(self, stack: Stack) -> Any:
        """What the stacked tier remembers besides its factors, as ``stack.state`` from then on.

        Made once a run.  Where it has values for every restart it derives from `PerRestart`.  Data that the
        tier works on in another form, sums of classes say, take the place of X by ``stack.use``.
        """

    def quadratic(self, stack: Stack, name: str) -> Quadratic:
        """The objective in the factor called `name` while the other stays, for the fast solver.

        For methods of two factors whose objective is quadratic in each: the Gram matrix and the linear term.
        """
        raise NotImplementedError(f"{self.name} has no fast solver")

    def end_pass(self, stack: Stack) -> None:
        """What is computed anew after every factor has moved; called once per iteration.

        A method that writes it has no fast solver, whose passes end otherwise.
        """

    def lost(self, stack: Stack) -> Array:
        """Which restarts cannot become a factorization any more; asked for when the objective is recorded."""
        return np.zeros(stack.restarts, dtype=bool)

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """Updates of each factor per pass for ``inner="auto"``; empty: one of each, the printed order."""
        return {}

    def objectives(self, stack: Stack, exact: bool) -> Array:
        """The objective of every restart, asked for after `prepare` and `end_pass`.

        `exact` asks for the direct residual, else Gram matrices serve.
        """
        raise NotImplementedError(f"{self.name} has no objectives")

    def embedding(self, factors: Factors, problem: Problem) -> Array:
        """The encodings (n × d), a row per sample.

        With `normalize` "unit" they are read after every column of the other factors was brought to unit
        length and the encodings were scaled to match, u ← u/‖u‖, v ← v‖u‖ (Xu et al. 2003, Cai et al. 2011);
        zero columns are left alone.

        Raises
        ------
        SpecError
            With "unit", where a column of another factor goes with none of the encodings' entries.
        """
        name = self._read()
        assert name is not None
        encodings, axes = factors[name], self.factors[name]
        if self.normalize == "unit":
            for other, (*rest, component) in self.factors.items():
                if other != name:
                    if component not in axes or component in rest:
                        raise SpecError(
                            f"{self.name}: unit columns of {other} ({' × '.join((*rest, component))}) do not "
                            f'say how to scale {name}; set normalize = "none", or write embedding'
                        )
                    after = encodings.ndim - 1 - axes.index(component)
                    encodings = encodings * column_lengths(factors[other]).reshape(-1, *[1] * after)
        return np.moveaxis(encodings, axes.index("n"), 0).reshape(problem.n, -1)

    def labels(self, factors: Factors, problem: Problem) -> Array | None:
        """Cluster codes where the method yields them itself."""
        return None

    def notes(self, factors: Factors, problem: Problem) -> tuple[str, ...]:
        """What a reader of the fit must know."""
        return ()

    def stack_limit(self, problem: Problem) -> int | None:
        """How many restarts may advance together where work arrays are large; None: all of them."""
        return None

    # How a class is held to what it declares, and which of its tiers runs.

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        own = vars(cls)
        named = dict.fromkeys([*cls.roles, *([cls.basis] if cls.basis else [])])
        if cls.factors and (strange := [name for name in named if name not in cls.factors]):
            raise SpecError(
                f"{cls.__name__}: factors are {', '.join(cls.factors)}, and roles or basis name "
                f"{', '.join(strange)}; set all three"
            )
        if cls.start is Iterative.start and (bare := [name for name in cls.factors if name not in cls.roles]):
            raise SpecError(f"{cls.__name__}: {', '.join(bare)} has no role; say which in roles")
        if cls.factors and cls.embedding is Iterative.embedding and cls._read() is None:
            none = f"{cls.__name__}: no factor with an axis n has the role encodings"
            raise SpecError(f"{none}; set roles, or write embedding")
        if isinstance(read := own.get("normalize"), str) and read not in ("unit", "none"):
            raise SpecError(f"{cls.__name__}: normalize must be unit or none, not {read}")
        if "stacked" not in own:
            cls._check_tier()
        if "fit_settings" in own:
            cls._fit_settings = cls.fit_settings
        cls.fit_settings = tuple(name for name in cls._fit_settings if cls.stacked or name not in OF_STACKS)

    @classmethod
    def _read(cls) -> str | None:
        """The factor that is read as the encodings, with a row or column per sample; None: there is none."""
        read = (name for name, role in cls.roles.items() if role in ("encodings", "core"))
        return next((name for name in read if "n" in cls.factors[name]), None)

    @classmethod
    def _check_tier(cls) -> None:
        """What a class or its mixins write of the plain tier ends an inherited stacked one."""
        own = itertools.takewhile(lambda base: base is cls or not issubclass(base, Iterative), cls.__mro__)
        written = set(itertools.chain.from_iterable(map(vars, own)))
        if written & {"given", "update", "objective"}:
            cls.stacked = False
        idle = written & {*cls.stacked_updates(), "objectives", "prepare", "end_pass", "lost"}
        if idle and not cls.stacked:
            raise SpecError(
                f"{cls.__name__} writes {', '.join(sorted(idle))} of the stacked tier: say stacked = True "
                "where it is whole and computes what update and objective do, or stacked = False to run those"
            )

    @classmethod
    def stacked_updates(cls) -> tuple[str, ...]:
        """How the stacked tier's updates are called, one for each factor."""
        return tuple(f"update_{name}" for name in cls.factors)

    @classmethod
    def has_fast(cls) -> bool:
        """Whether its factors' quadratic problems are declared and nothing is done at the end of a pass.

        Passes of the fast solver end otherwise: factors are carried on, and taken back.
        """
        passes = cls.stacked and cls.end_pass is Iterative.end_pass
        return passes and cls._up_to_date("quadratic", "objectives", *cls.stacked_updates())

    @classmethod
    def holds_entries_out(cls) -> bool:
        """Whether there is an `update_weighted`, and it is of the objective that the class has."""
        plain = ("given", "update", "objective")
        return cls._up_to_date("update_weighted", *plain, "objectives", *cls.stacked_updates())

    @classmethod
    def _up_to_date(cls, name: str, *others: str) -> bool:
        """Whether `name` is written, and none of the others by a class below the one that wrote it."""
        below = itertools.takewhile(lambda base: name not in vars(base), cls.__mro__)
        stale = any(each in vars(base) for base in below for each in others)
        return getattr(cls, name) is not getattr(Iterative, name) and not stale


@dataclass(frozen=True)
class FreeScale(Iterative):
    """A method whose model leaves the scale between factors free, read by default as its paper leaves it."""

    normalize: str = option(
        "none",
        choices=("none", "unit"),
        later=True,
        help="bring the bases to unit columns before reading the encodings, or read them at the scale "
        "that the fit ended with, as the paper does; it is the random start's",
    )

    @classmethod
    def scale_is_free(cls, parameters: Mapping[str, Any]) -> bool:
        """Unless bases are brought to unit columns."""
        return parameters.get("normalize", cls.normalize) == "none"
