"""The errors a user can meet: one line each, naming the place and the remedy."""


class NmfreproError(Exception):
    """Base of all errors that are the user's to mend; the command line prints them without a traceback.

    Whatever text of files or libraries a message carries, it is one line.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(printable(text))


class SpecError(NmfreproError):
    """A spec (or a parameter given from Python) that cannot be run as written; a line for every mistake."""

    def __init__(self, text: str = "") -> None:
        Exception.__init__(self, "\n".join(map(printable, text.split("\n"))))


class DataError(NmfreproError):
    """A dataset that is missing, damaged, or not what its name says."""


class FitError(NmfreproError):
    """A factorization that cannot be computed or has collapsed; one failed trial, not a failed run."""


class ResultsError(NmfreproError):
    """A results folder that cannot be read, written or locked."""


# Longer texts of libraries and files are shortened.
MAX_LENGTH = 600


def one_line(text: str) -> str:
    """Text of a file or a library fit for a message: printable, the middle of a long one left out."""
    return _shortened(printable(_shortened(text)))


def _shortened(text: str) -> str:
    half = MAX_LENGTH // 2
    return text if len(text) <= MAX_LENGTH else f"{text[:half]} … {text[-half:]}"


def reason(error: Exception) -> str:
    """What a library says of damaged content, fit for a message."""
    return one_line(str(error)) or type(error).__name__


def printable(text: str) -> str:
    """The text with control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
