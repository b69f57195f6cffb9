"""The errors a user can meet: what is wrong, of which setting, where, and what to do, worded by who tells it.

A message is made of parts.  Settings in it are `Setting`s, since a setting is written in three ways: as a key
of a spec, as an option of a command and as a keyword in Python.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Setting:
    """A setting that a message names, with a value where the message gives one."""

    name: str  # as in a spec; dotted where it lies deeper: "assign.kmeans.restarts"
    value: Any = None
    python: str = ""  # how Python writes the value, where that is another


Part = str | Setting
Spelling = Callable[[Setting], str]


@dataclass(frozen=True)
class Place:
    """Where something was written."""

    source: Part  # the file as the user named it, or a setting that was given beside it
    # line, column: counted from 1; 0 where the source has none.
    line: int = 0
    column: int = 0

    def spelled(self, spelling: Spelling) -> str:
        """The place in one line: "orl.yaml:3:1"."""
        source = self.source if isinstance(self.source, str) else spelling(self.source)
        return f"{source}:{self.line}:{self.column}" if self.line else source


def as_key(setting: Setting) -> str:
    """A setting as specs write it: "tol: 0"."""
    value = str(setting.value).lower() if isinstance(setting.value, bool) else setting.value
    return setting.name if value is None else f"{setting.name}: {value}"


def as_keyword(setting: Setting) -> str:
    """A setting as Python writes it: "tol=0"."""
    value = setting.python or repr(setting.value)
    return setting.name if setting.value is None else f"{setting.name}={value}"


class NmfreproError(Exception):
    """Base of all errors that are the user's to mend; the command line prints them without a traceback.

    Parameters
    ----------
    *what : str or Setting
        What is wrong and what to do, in parts; the first setting is the one that it is about.
    option : str, optional
        The setting that it is about, where that is another: dotted, "algorithms.twodnmf".
    place : Place, optional
        Where it is written.
    unknown : (str, str), optional
        Where there is nothing of a name, what was looked for and the name: ("algorithm", "my_nmf").
    """

    def __init__(
        self,
        *what: Part,
        option: str | None = None,
        place: Place | None = None,
        unknown: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(*what)
        self.what, self.place, self.unknown = what, place, unknown
        self.remedy: tuple[Part, ...] = ()  # what a caller who knows more advises besides
        self.spelling: Spelling = as_key
        named = (part.name for part in what if isinstance(part, Setting))
        self.option: str | None = option or next(named, None)

    @property
    def mistakes(self) -> tuple[NmfreproError, ...]:
        """The single mistakes that it tells of."""
        return (self,)

    def __str__(self) -> str:
        return self.spelled(self.spelling)

    def __repr__(self) -> str:
        """The class and the message, as of every exception."""
        return f"{type(self).__name__}({str(self)!r})"

    def spelled(self, spelling: Spelling) -> str:
        """The message in one line, whatever text of files or libraries it carries."""
        parts = (*self.what, "; ", *self.remedy) if self.remedy else self.what
        text = "".join(part if isinstance(part, str) else spelling(part) for part in parts)
        return printable(
            text if self.place is None else f"{self.place.spelled(spelling)}: {_shortened(text)}"
        )

    def at(self, place: Place) -> Self:
        """The same with the place where it was found."""
        return self._changed(place=place)

    def about(self, option: str) -> Self:
        """The same of a setting that lies elsewhere: "dataset.file"."""
        return self._changed(option=option)

    def advised(self, *remedy: Part) -> Self:
        """The same with what to do about it, where the caller knows that."""
        return self._changed(remedy=remedy)

    def within(self, what: str) -> Self:
        """The same, beginning with what it concerns: "algorithm nlcf: …"."""
        longer = (f"{what}: ", *self.what)
        return self._changed(what=longer, args=longer)

    def _changed(self, **attributes: Any) -> Self:
        changed = copy.copy(self)
        for name, value in attributes.items():
            setattr(changed, name, value)
        return changed


class SpecError(NmfreproError):
    """A spec (or a parameter given from Python) that cannot be run as written."""


@contextlib.contextmanager
def in_keywords() -> Iterator[None]:
    """Let errors name settings as keywords: what is decorated is called from Python."""
    try:
        yield
    except NmfreproError as error:
        error.spelling = as_keyword
        raise


# A file of nonsense could fill the screen for minutes.
MAX_SHOWN = 50


class SpecErrors(SpecError):
    """All mistakes of a spec, a line for each."""

    def __init__(self, mistakes: Iterable[NmfreproError] = ()) -> None:
        super().__init__()
        self._mistakes = tuple(mistakes)

    @property
    def mistakes(self) -> tuple[NmfreproError, ...]:
        """The single mistakes, in the order in which they are told."""
        return self._mistakes

    def spelled(self, spelling: Spelling) -> str:
        """A line for every mistake."""
        lines = [each.spelled(spelling) for each in self.mistakes[:MAX_SHOWN]]
        if (left := len(self.mistakes) - MAX_SHOWN) > 0:
            lines.append(f"… and {left} more")
        return "\n".join(lines)


class DataError(NmfreproError):
    """A dataset that is missing, damaged, or not what its name says."""


class FitError(NmfreproError):
    """A factorization that cannot be computed or has collapsed; one failed trial, not a failed run."""


class ResultsError(NmfreproError):
    """A results folder that cannot be read, written or locked."""


# So many names are listed where a word is misspelt; of more the closest few.  The methods are fewer.
MOST_NAMES, FEW = 50, 5
# How much of two words must agree for one to be meant by the other, from 0 to 1.
SIMILAR = 0.65


def suggest(word: str, known: Iterable[str]) -> str:
    """What to use instead of a misspelt or shortened word: the closest one, and all that are allowed."""
    word, names = str(word), [str(name) for name in known]
    if not names:
        return "there are none"
    begun = [name for name in names if name.lower().startswith(word.lower())]
    close = closest(word, names) or (begun[0] if begun else "")
    few = names if len(names) <= MOST_NAMES else difflib.get_close_matches(word, names, n=FEW, cutoff=0)
    more = f" and {len(names) - len(few)} more" if len(names) > len(few) else ""
    return f"{f'did you mean {close}? ' if close and word else ''}allowed: {', '.join(few)}{more}"


def closest(word: str, names: Collection[str]) -> str:
    """The name that is most likely meant by a misspelt word, first by swapped letters; empty if none is."""
    lowered = {name.lower(): name for name in names}
    swapped = [name for name in lowered if sorted(name) == sorted(word.lower())]
    found = swapped or difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=SIMILAR)
    return lowered[found[0]] if found else ""


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
    """The text with all that could steer a terminal escaped, line breaks too."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
