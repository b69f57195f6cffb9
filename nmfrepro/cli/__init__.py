"""The command line: one module per verb, imported only when that verb is used."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import sys
from itertools import pairwise

import click

from .. import __version__
from ..core.errors import NmfreproError
from .verbs import Verbs, echo, plugin_option, refuse

# How an output fails that is closed, full or broken; Windows calls a closed one invalid.
OUTPUT = {errno.EPIPE, errno.EBADF, errno.EINVAL, errno.EIO, errno.ENOSPC, errno.EFBIG, errno.EDQUOT}

# verb → module of this package that defines a click command of the same name, and what --help says of it
COMMANDS = {
    "run": ("run", "Run experiments."),
    "check": ("check", "Check experiments; nothing is run."),
    "check-algorithm": ("checkalgorithm", "Hold methods of your own against what every method promises."),
    "table": ("table", "Print the tables of results."),
    "calibrate": ("calibrate", "Rank unstated settings by how well the published table fits."),
    "compare": ("compare", "Compare results with published numbers, cell by cell."),
    "report": ("report", "Put all results on one page."),
    "stats": ("stats", "Test whether methods differ."),
    "audit": ("audit", "Hold a printed table against its own counts, averages and tests."),
    "plot": ("plot", "Draw the pictures of results."),
    "fit": ("fit", "Factorize one file, without a spec."),
    "cite": ("cite", "Print BibTeX of papers, methods and datasets."),
    "rows": ("rows", "List the trials behind a table."),
    "verify": ("verify", "Compute rows again and say whether they come out the same."),
    "merge": ("merge", "Join results of several machines or people."),
    "leaderboard": ("leaderboard", "Put results on pages that say which numbers were computed again."),
    "export": ("export", "Write results for other programs: LaTeX macros, Parquet, RO-Crate."),
    "reference": ("reference", "List the stored trials that come with nmfrepro."),
    "clean": ("clean", "Drop rows that no experiment asks for any more."),
    "list": ("listing", "List algorithms, datasets, experiments and more."),
    "show": ("listing", "Show what is known of an algorithm, a dataset, an experiment."),
    "new": ("new", "Write the skeleton of a method, a dataset or a protocol of your own."),
    "data": ("data", "List, fetch, check, look at and import datasets."),
}


# An option with an equals sign and nothing behind it.
_NOTHING = re.compile("--[a-z-]+=")

EXIT_CODES = """Exit codes: 0 all well; 1 work was done but something is wrong (trials failed, rows differ);
2 bad input, nothing done; 130 interrupted, 143 by SIGTERM.

Completion in the shell: eval "$(_NMFREPRO_COMPLETE=bash_source nmfrepro)", or zsh_source; for fish:
_NMFREPRO_COMPLETE=fish_source nmfrepro | source.  NO_COLOR is honoured: output is never coloured.
"""


class Program(Verbs):
    """A group that imports a verb's module on first use, so that --help stays quick."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, after refusing empty arguments: they come from unset variables of a shell.

        An empty path would be the current folder.
        """
        for before, given in pairwise([ctx.info_name or "", *args]):
            if not ctx.resilient_parsing and (given == "" or _NOTHING.fullmatch(given)):
                what = given.rstrip("=") or f"the argument behind {before}"
                refuse(f"{what} is empty; give a value, or leave it out", ctx)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None if there is no such verb."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".{COMMANDS[cmd_name][0]}", __name__)
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All verbs with their summaries, without importing a module."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, summary) for verb, (_, summary) in COMMANDS.items()])


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog=EXIT_CODES,
    params=[plugin_option()],
)
@click.version_option(__version__, prog_name="nmfrepro")
def group() -> None:
    """Reproduce the experiments of five papers on nonnegative matrix factorization of images."""


def main() -> None:
    """Entry point: run a verb; our own errors become one line and exit code 2."""
    try:
        # Shells expand patterns; click would do it again on Windows and turn 'NMF*' into file names.
        code = group.main(windows_expand_args=False, standalone_mode=False)
    except NmfreproError as error:
        echo(f"Error: {error}", err=True)
        sys.exit(2)
    except MemoryError as error:
        echo(f"Error: out of memory ({error}); take a smaller k, fewer restarts or float32", err=True)
        sys.exit(2)
    except OSError as error:
        # The verbs name what they read and write; left are impossible paths, the output, and the system.
        if error.filename is not None:
            where = f"{error.filename}: cannot be opened"
        else:
            where = "the output cannot be written" if error.errno in OUTPUT else "the system refused"
        with contextlib.suppress(OSError):
            echo(f"Error: {where} ({error.strerror})", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python tries again at its end
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        echo("Aborted.", err=True)
        sys.exit(130)
    except Exception as failure:  # the border to a user's code
        from ..registry import plugins

        if not plugins.in_plugins(failure):
            raise
        echo(f"Error: {plugins.failure_in_words(failure)}", err=True)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
