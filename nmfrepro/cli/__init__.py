"""The command line: one module per verb, imported only when that verb is used."""

from __future__ import annotations

import importlib
import sys

import click

from .. import __version__
from ..errors import NmfreproError

# verb → module of this package that defines a click command of the same name
COMMANDS = {
    "run": "run",
    "check": "check",
    "table": "table",
    "calibrate": "calibrate",
    "compare": "compare",
    "stats": "stats",
    "rows": "rows",
    "verify": "verify",
    "clean": "clean",
    "list": "listing",
    "show": "listing",
    "data": "data",
}


class Verbs(click.Group):
    """A group that imports a verb's module on first use, so that --help stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None if there is no such verb."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f".{COMMANDS[cmd_name]}", __name__)
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nmfrepro")
def group() -> None:
    """Reproduce the experiments of five papers on nonnegative matrix factorization of images."""


def main() -> None:
    """Entry point: run a verb; our own errors become one line and exit code 2."""
    try:
        # Shells expand patterns; click would do it again on Windows and turn 'NMF*' into file names.
        code = group.main(windows_expand_args=False, standalone_mode=False)
    except NmfreproError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)
