"""Options and arguments that several verbs have, and the types that options are of."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click
from click.shell_completion import CompletionItem

from ..core.errors import ResultsError
from ..core.terminal import counted
from .verbs import Decorator, Number, Word, echo

if TYPE_CHECKING:
    from ..results.folder import Results
    from ..views.report.experiment import Experiment

T = TypeVar("T")


def offered_specs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What the shell offers when Tab is pressed: the experiments that come with nmfrepro, else files."""
    from ..spec.files import experiments

    names = [CompletionItem(name) for name in experiments() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


COUNT = click.IntRange(min=1)
SEED = click.IntRange(min=0)
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)

specs = click.argument("specs", nargs=-1, required=True, metavar="SPEC…", shell_complete=offered_specs)
run_folder = click.argument("results", type=PATH)
run_folders = click.argument("results", nargs=-1, type=PATH)
data_dir = click.option(
    "--data-dir", type=FOLDER, help="Where datasets lie [default: $NMFREPRO_DATA, else ./data]."
)
jobs = click.option("--jobs", "-j", type=COUNT, help="Worker processes [default: the cores available].")
results_root = click.option(
    "--results", "-o", type=PATH, default=Path("results"), help="Where results folders lie."
)
overrides = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace a setting: fit.max_iter=500."
)
metrics = click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Show these instead of the run's own choice.",
)
overwrite = click.option("--overwrite", is_flag=True, help="Replace an earlier result.")


def require_new(output: Path, overwrite: bool) -> None:
    """Refuse a result that is to be no .npz file, or one that is there already."""
    if output.suffix != ".npz":
        raise ResultsError(f"{output}: the result is a .npz file; end its name so")
    require_absent(output, overwrite)


def require_absent(output: Path, overwrite: bool) -> None:
    """Refuse a result that is there already."""
    if output.exists() and not overwrite:
        raise ResultsError(f"{output} is there already; use --overwrite to replace it")


select = click.option(
    "--select",
    type=Word(["test", "validation"]),
    default="test",
    help="What decides the number in brackets, such as a recognition run's best dimension.",
)


def selecting(select: str, runs: Iterable[Results]) -> None:
    """Say of which runs ``--select`` is in vain."""
    for each in runs:
        if select == "validation" and each.run.protocol.chosen is None:
            echo(f"{each.folder}: nothing is chosen there, so that --select changes nothing", err=True)


def of_each(folders: Iterable[Path], use: Callable[[Path], T]) -> tuple[list[T], int]:
    """What comes of every results folder, and the exit code; what cannot be used is told and left out.

    Raises
    ------
    ResultsError
        The first one, if none can be used.
    """
    from ..results.folder import use_each

    made, problems = use_each(folders, use)
    for problem in problems:
        echo(f"Left out: {problem}", err=True)
    return made, 1 if problems else 0


def page_made(page: Path, experiments: Sequence[Experiment], more: str = "") -> NoReturn:
    """Say what a page shows and end; with exit code 1 where folders could not be read, which are named."""
    broken = [each.problem for each in experiments if each.problem]
    for problem in broken:
        echo(problem, err=True)
    echo(f"{page}: {counted(len(experiments) - len(broken), 'experiment')}{more}; open it in a browser")
    sys.exit(1 if broken else 0)


def output(default: str, kind: click.Path, text: str = "The file to write.") -> Decorator:
    """``--output`` of verbs that write somewhere of their own, unless told where."""
    return click.option("--output", "-o", type=kind, default=Path(default), help=text)


def level(text: str) -> Decorator:
    """``--alpha``."""
    kind = Number(0, 1, min_open=True, max_open=True)
    return click.option("--alpha", type=kind, default=0.05, help=text)


def printed_as(forms: Sequence[str]) -> Decorator:
    """``--format`` of verbs that print markdown as it is read, unless a format is given."""
    text = "How to print [default: md, without the back-slashes that a file needs]."
    return click.option("--format", "-f", "form", type=Word(forms), help=text)


where = click.option("--where", multiple=True, metavar="NAME=VALUE", help="Only rows there: draw=3, train=5.")
column = click.option(
    "--algorithm", "-a", metavar="NAME", help="Only this column or method (* and ? allowed)."
)
