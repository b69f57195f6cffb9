"""Runs: a spec is prepared, and those of its trials are executed that are not yet in the results."""

from .against import Stored
from .execute import RunOptions, Summary, run
from .prepared import Prepared, prepare, read_specs

__all__ = ["Prepared", "RunOptions", "Stored", "Summary", "prepare", "read_specs", "run"]
