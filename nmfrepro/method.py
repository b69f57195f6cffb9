"""The one import for a method of one's own: what a plug-in file needs, under the names the docs use."""

from .algorithms.engine.base import Algorithm, Direct, Iterative
from .algorithms.engine.multiplicative import TwoFactor, squared_error, unit_columns
from .algorithms.engine.stack import Stack
from .core.errors import FitError, SpecError
from .core.options import option
from .core.problem import Fit, FitSettings, Problem

__all__ = [
    "Algorithm",
    "Direct",
    "Fit",
    "FitError",
    "FitSettings",
    "Iterative",
    "Problem",
    "SpecError",
    "Stack",
    "TwoFactor",
    "option",
    "squared_error",
    "unit_columns",
]
