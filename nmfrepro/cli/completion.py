"""What the shell offers for an argument when Tab is pressed."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def specs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The experiments that come with nmfrepro, else files."""
    from ..spec.files import experiments

    found = [CompletionItem(name) for name in experiments() if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def algorithms(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of methods."""
    from ..algorithms import registry

    return [CompletionItem(name) for name in registry() if name.startswith(incomplete)]
