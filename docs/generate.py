"""Write the pages of the documentation that come from the code: ``python docs/generate.py``.

A test fails where a page is stale, so that no key, command, option or method goes without its line.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from specschema import schema

from nmfrepro import algorithms, protocols
from nmfrepro.algorithms import Iterative
from nmfrepro.cli import COMMANDS, group
from nmfrepro.core.options import Option, options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.datasets import DatasetOptions
from nmfrepro.spec import Head
from nmfrepro.spec.columnlabels import show
from nmfrepro.spec.entries import REQUIRED_FIT
from nmfrepro.views.pages import plain_code

FOLDER = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py from the code: do not edit. -->"


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A markdown table; nothing where there are no rows."""
    found = list(rows)
    if found:
        yield "| " + " | ".join(heads) + " |"
        yield "|" + "---|" * len(heads)
        yield from ("| " + " | ".join(row) + " |" for row in found)
        yield ""


def options(cls: type, required: Iterable[str] = ()) -> Iterator[str]:
    """The options of a dataclass as a table, some of them required where a default would do elsewhere."""
    rows = (_option(each, each.required or each.name in required) for each in options_of(cls).values())
    yield from table(("key", "default", "allowed", "meaning"), rows)


def _option(each: Option, required: bool) -> tuple[str, ...]:
    default = "null" if each.default is None else show(each.default) or "[]"
    default = "required" if required else f"`{default}`"
    return f"`{each.name}`", default, cell(each.allowed), cell(each.help)


def spec_reference() -> str:
    """Every key of a spec."""
    lines = [
        "# Spec reference",
        "",
        MADE,
        "",
        "A spec is a YAML file. Unknown and repeated keys are errors, told with file, line and column; "
        "`nmfrepro check SPEC` tells them all before any work. `1e-5` is a number, whatever YAML 1.1 says.",
        "",
        "## Top level",
        "",
        *options(Head),
        "Beside these: `dataset`, `protocol`, `fit`, `algorithms` and `alternatives`, which follow.",
        "",
        "## `dataset`",
        "",
        "A name alone (`dataset: digits`), or a mapping.",
        "",
        *options(DatasetOptions),
        "## `fit`",
        "",
        "How iterative methods are run; a method may have a `fit` of its own. What is required must be "
        "written wherever a listed method iterates, here or in its own `fit`.",
        "",
        *options(FitSettings, REQUIRED_FIT),
        "## `algorithms`",
        "",
        "A list of names, or of mappings: `{name: nlcf, mu: 0.5}`.",
        "",
        *table(
            ("key", "meaning"),
            [
                ("`name`", "the method, see [methods](methods.md)"),
                ("`as`", "how tables call the column; by default the title, with the parameters that differ"),
                ("`fit`", "settings for this method only, over those of the spec"),
                ("any parameter", "a value, or `{sweep: [0.01, 0.1, 1]}` for a column per value"),
            ],
        ),
        "## `alternatives`",
        "",
        "What `nmfrepro calibrate` tries for settings that a paper does not state; a run takes no notice of "
        "it. Dotted keys as for `--set`, each with a list of values: `{fit.max_iter: [100, 300], "
        "algorithms.nlcf.mu: [0.1, 0.5, 1]}`. Every combination of those that concern a method is tried.",
        "",
        "## `protocol`",
        "",
        "`kind` says which; the other keys depend on it.",
        "",
    ]
    for kind, cls in protocols.registry().items():
        lines += [f"### `kind: {kind}`", "", *docstring(cls), "", *options(cls)]
        lines += [f"Metrics: {', '.join(f'`{name}`' for name in (*cls.metrics, *cls.times))}.", ""]
    lines += ["## Metrics", ""]
    lines += table(
        ("name", "in tables", "meaning"),
        ((f"`{name}`", cell(each.title), cell(each.text)) for name, each in protocols.metrics().items()),
    )
    return page(lines)


def docstring(cls: Any) -> list[str]:
    """A docstring as markdown: its indented lines are code there too, and ``x`` is `x`."""
    return inspect.cleandoc(cls.__doc__ or "").replace("``", "`").splitlines()


def cli_reference() -> str:
    """Every command with its arguments and options."""
    lines = [
        "# Command-line reference",
        "",
        MADE,
        "",
        "Exit codes: 0 all well, 1 some trials failed or something could not be read or does not agree, "
        "2 bad input, 130 interrupted.",
        "",
    ]
    context = click.Context(group, info_name="nmfrepro", **group.context_settings)
    for verb in COMMANDS:
        command = group.get_command(context, verb)
        assert command is not None
        lines += command_page(command, click.Context(command, info_name=verb, parent=context), 2)
    return page(lines)


def command_page(command: click.Command, context: click.Context, level: int) -> list[str]:
    """One command, and the commands below it."""
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f"{'#' * level} {context.command_path}",
        "",
        "```text",
        f"{context.command_path} {usage}",
        "```",
        "",
    ]
    lines += [*inspect.cleandoc(command.help or "").replace("\b", "").splitlines(), ""]
    known = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    lines += table(("option", "default", "meaning"), (_cli_option(each, context) for each in known))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            lines += command_page(below, click.Context(below, info_name=name, parent=context), level + 1)
    return lines


def _cli_option(each: click.Option, context: click.Context) -> tuple[str, ...]:
    kind = each.type
    value = "" if each.is_flag else each.metavar or ""
    if isinstance(kind, click.Choice):
        value = " or ".join(map(str, kind.choices))
    elif not each.is_flag and not value:
        value = kind.name.removesuffix(" range").upper()
    names = ", ".join(f"`{name}`" for name in sorted(each.opts, key=len, reverse=True))
    default = each.get_help_extra(context).get("default")
    default = f"`{default.strip('()')}`" if default else ""
    return f"{names} {cell(value)}".strip(), default, cell(each.help or "")


def methods() -> str:
    """Every method with its equations, parameters and doubts."""
    lines = [
        "# Methods",
        "",
        MADE,
        "",
        "X is features × samples (m × n), one column per image. `ratio` divides entry by entry, 0/0 = 0. "
        "`nmfrepro show NAME` prints the same page, `nmfrepro cite NAME` the BibTeX entry.",
        "",
    ]
    for name, cls in algorithms.registry().items():
        lines += [f"## {cls.title}: `{name}`", ""]
        lines += [f"Paper: {cls.paper}.", ""] if cls.paper else []
        lines += [f"Objective: {cls.objective_text}", ""] if cls.objective_text else []
        lines += [*docstring(cls), ""]
        if issubclass(cls, Iterative):
            shapes = (f"{factor} ({' × '.join(shape)})" for factor, shape in cls.factors.items())
            lines += [f"Factors: {', '.join(shapes)}.", ""]
            lines += [*(f"    {line}" for line in plain_code(cls)), ""]
        lines += options(cls)
        needs = [
            text
            for has, text in (
                (cls.needs_labels, "labels of some samples"),
                (cls.needs_image_shape, "images as matrices"),
                (cls.fixed_budget, "a fixed number of iterations (tol 0)"),
            )
            if has
        ]
        lines += [f"Needs {', '.join(needs)}.", ""] if needs else []
        if cls.uncertain:
            lines += ["What the sources leave open, and where they fail:", ""]
            lines += [*(f"- {' '.join(each.split())}" for each in cls.uncertain), ""]
    return page(lines)


def page(lines: Iterable[str]) -> str:
    """Lines as a file."""
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


PAGES = {
    "spec-reference.md": spec_reference,
    "spec.schema.json": schema,
    "cli-reference.md": cli_reference,
    "methods.md": methods,
}


def main() -> None:
    """Write the pages that have changed and say which."""
    for name, make in PAGES.items():
        path, text = FOLDER / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
