"""The errors a user can meet: one line each, naming the place and the remedy."""


class NmfreproError(Exception):
    """Base of all errors that are the user's to mend; the command line prints them without a traceback."""


class SpecError(NmfreproError):
    """A spec (or a parameter given from Python) that cannot be run as written."""


class DataError(NmfreproError):
    """A dataset that is missing, damaged, or not what its name says."""


class FitError(NmfreproError):
    """A factorization that cannot be computed or has collapsed; one failed trial, not a failed run."""


class ResultsError(NmfreproError):
    """A results folder that cannot be read, written or locked."""
