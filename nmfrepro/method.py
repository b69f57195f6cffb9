"""The one import for a method of one's own: what a plug-in file needs, under the names the docs use."""

from .algorithms.engine.base import Algorithm, Direct, FreeScale, Iterative, Look
from .algorithms.engine.fast import Quadratic
from .algorithms.engine.multiplicative import TwoFactor, squared_error, unit_columns
from .algorithms.engine.plain import Array, ratio
from .algorithms.engine.stack import Stack
from .core.errors import FitError, SpecError
from .core.options import option
from .core.problem import Fit, FitSettings, Problem

__all__ = [
    "Algorithm",
    "Array",
    "Direct",
    "Fit",
    "FitError",
    "FitSettings",
    "FreeScale",
    "Iterative",
    "Look",
    "Problem",
    "Quadratic",
    "SpecError",
    "Stack",
    "TwoFactor",
    "option",
    "ratio",
    "squared_error",
    "unit_columns",
]
