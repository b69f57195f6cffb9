"""What all verbs share: ``--plugin``, suggestions, settings told as options, text made safe to print."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from ..core import files
from ..core.errors import NmfreproError, ResultsError, Setting, Spelling, as_key, suggest
from ..core.terminal import safe
from ..registry import plugins

# What a plug-in can add, as messages call it.
PLUGGABLE = ("algorithm", "dataset", "protocol kind")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def echo(text: str, err: bool = False) -> None:
    """Print text as UTF-8, whatever the terminal's locale claims; nothing in it steers the terminal."""
    click.echo(safe(text).encode(), err=err, nl=not text.endswith("\n"))


def keep(folder: Path, contents: Mapping[str, str]) -> None:
    """Write files beside a run's rows; in a folder that cannot be written, say so and go on."""
    try:
        for name, text in contents.items():
            files.replace(folder / name, safe(text))
    except ResultsError as error:
        echo(f"Not kept: {error}", err=True)


class Verb(click.Command):
    """A command with ``--plugin``, whose errors name its options where they would name settings."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params.append(plugin_option())

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; an error on its way out learns how this command's settings are written."""
        try:
            return super().invoke(ctx)
        except NmfreproError as error:
            spell_for(error, self)
            raise


class Verbs(click.Group):
    """A group of verbs that suggests the closest where there is none of a name."""

    command_class = Verb

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is asked for, and the arguments behind it."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            refuse(f"there is no command {args[0]!r}; {suggest(args[0], self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


class Word(click.Choice[str]):
    """One of some words; another is answered with the closest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word itself."""
        if value not in self.choices:
            self.fail(f"there is no {value!r}; {suggest(value, self.choices)}", param, ctx)
        return value


class Number(click.FloatRange):
    """A number in a range; "nan", which click finds outside of none, is refused too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


def refuse(text: str, ctx: click.Context | None = None) -> NoReturn:
    """End with a message about how a command was called, and exit code 2."""
    raise click.UsageError(text, ctx)


def spell_for(error: NmfreproError, command: click.Command) -> None:
    """Let an error name settings as the users of a command write them, and what makes a plug-in known."""
    error.spelling = spelling(command)
    for mistake in error.mistakes:
        if mistake.unknown and mistake.unknown[0] in PLUGGABLE:
            mistake.remedy = ("one of your own is made known by --plugin FILE",)


def spelling(command: click.Command) -> Spelling:
    """A setting as the users of a command write it.

    That is an option of the command; else, for one that reads no spec but has ``--set``, what follows it;
    else a key of the spec.
    """
    options = {each.name: each for each in command.params if isinstance(each, click.Option)}
    by_set = any("--set" in each.opts for each in options.values())
    by_set = by_set and not {"spec", "specs"} & {each.name for each in command.params}

    def spell(setting: Setting) -> str:
        if option := options.get(setting.name):
            value = "" if setting.value is None or option.is_flag else f" {setting.value}"
            return max(option.opts, key=len) + value
        if by_set:
            return f"--set {setting.name}" + ("" if setting.value is None else f"={setting.value}")
        return as_key(setting)

    return spell


def plugin_option() -> click.Option:
    """``--plugin``, which may be given before the verb or after it."""
    return click.Option(
        ["--plugin"],
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_use_plugins,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Python file with methods, datasets or protocols of your own [also: $NMFREPRO_PLUGINS].",
    )


def _use_plugins(ctx: click.Context, parameter: click.Parameter, given: tuple[Path, ...]) -> None:
    """Make the methods, datasets and protocols of plug-in files known, also to worker processes."""
    if given and not ctx.resilient_parsing:
        plugins.use(given)
