"""Complaints in the words of the command line: a setting of a spec is told as the option that it is here."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from typing import Any

import click

from ..core.errors import NmfreproError

# A word with an underscore can only be a setting; others are one in these places, not in "grey levels".
_PLACES = r"(?:^|: |\(|\b(?:give|choose|with|needs|use|or) )"


def speaks_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command's errors name its options where they would name settings of a spec."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except NmfreproError as error:
            known = click.get_current_context().command.params
            names = [each.name for each in known if isinstance(each, click.Option) and each.name]
            raise type(error)(in_options(str(error), names)) from None

    return wrapped


def in_options(message: str, names: Collection[str]) -> str:
    """The message with settings told as options: "give levels or choose scale: max" as "give --levels or …".

    Parameters
    ----------
    message : str
        One that speaks of settings by their names in a spec.
    names : collection of str
        The settings that are options: data_key is --data-key.
    """
    message = message.replace("image_shape=(rows, columns)", "image_shape ROWSxCOLUMNS")
    for name in names:
        before = "" if "_" in name else _PLACES
        # What follows may be a value as in YAML, "scale: max".
        pattern = rf"({before})(?<![\w/.-])(`?){name}\2(?![\w/.=-])(?:(:) (?=[a-z]))?"
        message = re.sub(pattern, functools.partial(_option, name), message)
    return message


def _option(name: str, found: re.Match[str]) -> str:
    option = "--" + name.replace("_", "-")
    return f"{found[1]}{option}" + (" " if found[3] else "")
