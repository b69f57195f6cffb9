"""What every algorithm declares, and the two kinds there are: iterative and direct."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from ...core import seeds
from ...core.errors import SpecError
from ...core.options import options_of
from ...core.problem import Fit, FitSettings, Problem
from .new_samples import project_on
from .stack import Stack


@dataclass(frozen=True)
class Algorithm:
    """A method with its parameters.

    A subclass is a frozen dataclass: its fields made by `option` are the parameters, its class variables
    say what it is.  The class docstring holds the objective, the updates and where they come from;
    `nmfrepro show NAME` prints it.

    Attributes
    ----------
    name : str
        How specs and `factorize` call it.
    title : str
        How tables print it.
    paper : str
        Citation in one line: authors, title, venue, year.
    objective_text : str
        The objective with its exact scaling, in one line.
    uncertain : tuple of str
        What the sources leave open and how it was settled, and where a printed claim fails.
    revision : int
        Raised whenever the mathematics changes; part of a trial's key.
    signed : bool
        Whether negative data is allowed.
    needs_image_shape, needs_labels : bool
    fixed_budget : bool
        The number of iterations is part of the method: tol must be 0 and `inner` off unless asked for.
    basis : str or None
        The factor (m × k) that new samples are coded on by least squares; None: they are not.
    fit_settings : tuple of str
        The `FitSettings` that the method's result depends on; part of a trial's key.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    objective_text: ClassVar[str]
    uncertain: ClassVar[tuple[str, ...]] = ()
    revision: ClassVar[int] = 1
    signed: ClassVar[bool] = False
    needs_image_shape: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    fixed_budget: ClassVar[bool] = False
    basis: ClassVar[str | None] = None
    fit_settings: ClassVar[tuple[str, ...]] = tuple(options_of(FitSettings))

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameter values by name, in canonical form."""
        names = options_of(type(self))
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name in names}

    def check_problem(self, problem: Problem) -> None:
        """Raise `SpecError` or `FitError` where the method is not defined; the default accepts everything."""

    def check_settings(self, settings: FitSettings) -> None:
        """Raise `SpecError` where the method cannot be run so; the default accepts everything."""

    def balanced(self, problem: Problem, refit: Callable[[Self], Fit]) -> dict[str, float]:
        """Where parameters stand before they are scanned, by the paper's rule, from fits that `refit` makes.

        A method whose paper states such a rule overrides this.
        """
        raise NotImplementedError

    def project(
        self,
        factors: dict[str, np.ndarray],
        X: np.ndarray,
        image_shape: tuple[int, int] | None = None,
        projection: str | None = None,
    ) -> np.ndarray:
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
    """A method that improves random factors block by block.

    A subclass gives `objective`, `embedding`, and for every factor ``update_<factor>(stack, repeats)``, which
    moves it so many times while the other factors stay.  The loop, restarts, stopping rule and trace are in
    `nmfrepro.algorithms.engine.solver`.

    Attributes
    ----------
    factors : dict of str to tuple of str
        Public shape of every factor: ``{"U": ("m", "k"), "V": ("k", "n")}``.
    update_order : tuple of str
        In which order they move, where it is not the order of `factors`.
    roles : dict of str to str
        The named random stream each factor starts from.
    monotone : bool
        Whether the objective provably never rises.
    random_start : bool
        Whether restarts differ; where they do not, one is run.
    """

    factors: ClassVar[dict[str, tuple[str, ...]]]
    update_order: ClassVar[tuple[str, ...]] = ()
    roles: ClassVar[dict[str, str]] = {"U": "basis", "V": "encodings"}
    monotone: ClassVar[bool] = True
    random_start: ClassVar[bool] = True

    def dimensions(self, problem: Problem) -> dict[str, int]:
        """Lengths of the axes named in `factors`."""
        return {"m": problem.m, "n": problem.n, "k": problem.k}

    def public(self, name: str, stacked: np.ndarray) -> np.ndarray:
        """One restart's factor as the papers shape it, from how it is stored (components as rows)."""
        return np.ascontiguousarray(stacked.T) if self.factors[name][-1] == "k" else stacked.copy()

    def stored(self, name: str, factor: np.ndarray) -> np.ndarray:
        """The inverse of `public`."""
        return factor.T if self.factors[name][-1] == "k" else factor

    def start(self, problem: Problem, name: str, seed: int, restart: int) -> np.ndarray:
        """First value of a factor in its public shape; components drawn one after the other, on (0, 1]."""
        lengths = self.dimensions(problem)
        shape = tuple(lengths[axis] for axis in self.factors[name])
        stored = self.stored(name, np.broadcast_to(0.0, shape)).shape
        return self.public(name, seeds.uniform(stored, seed, "start", self.roles[name], restart))

    def prepare(self, stack: Stack) -> None:
        """Compute what stays the same during the run and keep it in ``stack.state``."""

    def end_pass(self, stack: Stack) -> None:
        """What is computed anew after every factor has moved; called once per iteration."""

    def auto_inner(self, problem: Problem) -> dict[str, int]:
        """Updates of each factor per pass for ``inner="auto"``; empty: one of each, the printed order."""
        return {}

    def objective(self, stack: Stack, exact: bool) -> np.ndarray:
        """Value for every restart; `exact` asks for the direct residual, else Gram matrices serve."""
        raise NotImplementedError

    def embedding(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray:
        """The encodings (n × d) from the public factors, after the method's reading rule."""
        raise NotImplementedError

    def labels(self, factors: dict[str, np.ndarray], problem: Problem) -> np.ndarray | None:
        """Cluster codes where the method yields them itself."""
        return None

    def notes(self, factors: dict[str, np.ndarray], problem: Problem) -> tuple[str, ...]:
        """What a reader of the fit must know."""
        return ()

    def stack_limit(self, problem: Problem) -> int | None:
        """How many restarts may advance together where work arrays are large; None: all of them."""
        return None
