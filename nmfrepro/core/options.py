"""Options as dataclass fields: type, default, range and meaning written once.

Algorithm parameters, fit settings, protocol and dataset options are all frozen dataclasses whose fields
are made by `option`.  The spec reader, the command line, the documentation and `nmfrepro show` read the
same fields, so a parameter exists in one place only.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .errors import Setting, SpecError, closest, suggest
from .typed import NAMES

T = TypeVar("T")

REQUIRED = dataclasses.MISSING
_SHOWN = 80  # characters of a wrong value
# A single word stands for a list of one.
WORD = re.compile(r"[^\s,]+")


@dataclass(frozen=True)
class Option:
    """What is known of one option."""

    name: str
    types: tuple[type, ...]  # accepted Python types; an int is accepted where a float is
    default: Any  # `REQUIRED` where the user must give a value
    help: str  # one sentence: meaning and unit
    # low, high: closed bounds of a number.
    low: float | None = None
    high: float | None = None
    open_low: bool = False  # whether `low` itself is excluded
    choices: tuple[str, ...] = ()  # the words allowed, empty if any
    # Declared after results were kept: at its default it is in no key, so that older ones stay true.
    later: bool = False
    # Type of a list's items, where a list is allowed; range and words are then those of the items.
    item: type | None = None

    @property
    def required(self) -> bool:
        """Whether the user must give a value."""
        return self.default is REQUIRED

    @property
    def of_items(self) -> Option:
        """The same of one item of a list."""
        return dataclasses.replace(self, types=_types(self.item), item=_item(self.item))

    @property
    def allowed(self) -> str:
        """What the option accepts, in words, for messages and documentation."""
        words = [repr(choice) for choice in self.choices]
        for kind in self.types:
            if kind is str and self.choices:
                continue
            ranged = self.item if kind is tuple else kind
            words.append(_KIND.get(kind, kind.__name__) + (self._range() if ranged in (int, float) else ""))
        return " or ".join(words)

    def _range(self) -> str:
        if self.low is not None and self.high is not None:
            return f" in {'(' if self.open_low else '['}{self.low:g}, {self.high:g}]"
        if self.low is not None:
            return f" {'>' if self.open_low else '>='} {self.low:g}"
        return f" <= {self.high:g}" if self.high is not None else ""

    def check(self, value: Any) -> Any:
        """Return `value` in canonical form: 1 becomes 1.0 for a float option, a list or array nested tuples.

        Raises
        ------
        SpecError
            If the type, the range or the word is not allowed.
        """
        if isinstance(value, (np.generic, np.ndarray)):
            value = value.tolist()
        if isinstance(value, str) and self.item is str and WORD.fullmatch(value):
            value = [value]
        if isinstance(value, (list, tuple)) and self.item is not None:
            return tuple(map(self.of_items.check, value))
        if value is None or isinstance(value, (bool, dict)):
            if type(value) in self.types:
                return value
        elif isinstance(value, str) and str in self.types:
            if not self.choices or value in self.choices:
                return value
        elif isinstance(value, (int, float)) and (number := self._number(value)) is not None:
            return number
        close = closest(value, self.choices) if isinstance(value, str) else ""
        meant = f" (did you mean {close}?)" if close else ""
        raise SpecError(Setting(self.name), f" must be {self.allowed}, not {in_words(value)}{meant}")

    def _number(self, value: int | float) -> int | float | None:
        """The number in its canonical type, or None where no number is allowed or it is out of range."""
        whole = int in self.types and isinstance(value, int)
        if not (whole or float in self.types):
            return None
        try:
            number = value if whole else float(value)
            finite = math.isfinite(number)
        except OverflowError:  # of a whole number beyond the floating-point ones
            return None
        above = self.low is None or number > self.low or (number == self.low and not self.open_low)
        below = self.high is None or number <= self.high
        return number if finite and above and below else None


def in_words(value: object) -> str:
    """A wrong value as a message shows it, cut where it is long; None is nothing, as YAML has it."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


_KIND = NAMES | {tuple: "a list of values", dict: "a mapping"}


def option(
    default: Any = REQUIRED,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    choices: Iterable[str] = (),
    later: bool = False,
) -> Any:
    """Declare a dataclass field that a user may set; see `Option` for the arguments.

    Raises
    ------
    SpecError
        If the default is a list, a mapping or an array, which all instances would share.
    """
    if type(default).__hash__ is None:
        instead = "write a tuple, or None in the place of a mapping"
        raise SpecError(f"the default of an option cannot be a {type(default).__name__}: {instead}")
    bounds = {"low": low, "high": high, "open_low": open_low}
    metadata = {"help": help, "choices": tuple(choices), "later": later, **bounds}
    return dataclasses.field(default=default, metadata=metadata, kw_only=True)


def options_of(cls: type) -> Mapping[str, Option]:
    """The options a dataclass declares, by name, in order.

    Raises
    ------
    SpecError
        If the class is no dataclass, or a default is not allowed.
    """
    return _declared(cls)


@functools.cache
def _declared(cls: type) -> Mapping[str, Option]:
    if loose := [name for name, each in vars(cls).items() if isinstance(each, dataclasses.Field)]:
        how = "write @dataclass(frozen=True) above it"
        raise SpecError(f"class {cls.__name__} has options ({', '.join(loose)}) and is no dataclass: {how}")
    hints = typing.get_type_hints(cls)
    declared = {
        field.name: Option(
            name=field.name,
            types=_types(hints[field.name]),
            item=_item(hints[field.name]),
            default=field.default,
            **field.metadata,
        )
        for field in dataclasses.fields(cls)
        if "help" in field.metadata
    }
    for each in declared.values():
        if not each.required:
            try:
                each.check(each.default)
            except SpecError as error:
                raise SpecError(f"the default of class {cls.__name__}: {error}") from None
    return declared


def _types(hint: Any) -> tuple[type, ...]:
    return tuple(typing.get_origin(part) or part for part in _parts(hint))


def _item(hint: Any) -> type | None:
    items = (typing.get_args(part)[0] for part in _parts(hint) if typing.get_origin(part) is tuple)
    return next(items, None)


def _parts(hint: Any) -> tuple[Any, ...]:
    """X and Y of ``X | Y``."""
    return typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)


def build(cls: type, values: dict[str, Any], what: str, also: Iterable[str] = ()) -> Any:
    """Make a `cls` from a user's values, all checked.

    Parameters
    ----------
    cls : type
        A dataclass with options.
    values : dict
        Values by option name.
    what : str
        What is being configured, for messages: "algorithm nlcf".
    also : iterable of str, optional
        Names that are written in the same place and are no options of the class, for messages.

    Raises
    ------
    SpecError
        For an unknown name, a missing required option or a value that is not allowed.
    """
    options = options_of(cls)
    for name in values:
        if name not in options:
            allowed = suggest(name, dict.fromkeys([*options, *also]))
            raise SpecError(f"{what} has no parameter {name!r}; {allowed}", option=name)
    for name, known in options.items():
        if known.required and name not in values:
            raise SpecError(f"{what} needs ", Setting(name), f" ({known.allowed}): {known.help}")
    try:
        return cls(**{name: options[name].check(value) for name, value in values.items()})
    except SpecError as error:
        raise error.within(what) from None


def given_options(made: Any) -> dict[str, Any]:
    """The options of what somebody has made in Python, by name.

    Raises
    ------
    SpecError
        If a field that is no option was given a value: what is made of the options would have its default.
    """
    known = options_of(type(made))
    for each in dataclasses.fields(made):
        if each.init and each.name not in known:
            usual, value = each.default, getattr(made, each.name)
            if each.default_factory is not dataclasses.MISSING:
                usual = each.default_factory()
            if value is not usual and repr(value) != repr(usual):
                how = f'write {each.name}: … = option(DEFAULT, help="…")'
                raise SpecError(f"{type(made).__name__}: {each.name} is no option and cannot be given; {how}")
    return {name: getattr(made, name) for name in known}


def key_values(made: Any, names: Iterable[str]) -> dict[str, Any]:
    """Options of these names as they stand in a trial's key: those declared `later` where they differ."""
    known = options_of(type(made))
    values = [(known[name], getattr(made, name)) for name in names]
    return {each.name: value for each, value in values if not (each.later and value == each.default)}


def unsaid(cls: type) -> dict[str, Any]:
    """Options declared `later` with their defaults, at which keys and records leave them out."""
    return {each.name: each.default for each in options_of(cls).values() if each.later}


def pick(name: str, known: Mapping[str, T], kind: str) -> T:
    """What is called `name`.

    Raises
    ------
    SpecError
        If there is none; the message suggests the closest.
    """
    if name not in known:
        raise SpecError(f"there is no {kind} {name!r}; {suggest(name, known)}", unknown=(kind, name))
    return known[name]


def texts(option: str, given: Any, example: str) -> tuple[str, ...]:
    """What a Python call was given as a list of text; a word alone is none: nobody means its letters.

    Raises
    ------
    SpecError
        If it is something else; the message has `example` as an item.
    """
    listed = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
    items = tuple(given) if listed else (None,)
    if not all(isinstance(each, str) for each in items):
        item = given if isinstance(given, str) else example
        raise SpecError(Setting(option), f" must be a list of text, as {option}=[{item!r}]")
    return items
