"""`nmfrepro check-algorithm`: hold a method against the contract."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from .. import algorithms
from ..contract import verdicts
from ..core.errors import SpecError, SpecErrors
from ..registry import plugins
from .verbs import Verb, echo


@click.command("check-algorithm", cls=Verb)
@click.argument("methods", nargs=-1, required=True, metavar="FILE|NAME…")
def check_algorithm_command(methods: tuple[str, ...]) -> None:
    """Try whether methods keep what every method promises: FILE… of your own, or NAME… of known ones.

    Shapes, finite numbers, also where a component is zero, descent where it is promised, many values of every
    parameter, data from 1e-6 to 1e6, the same bytes twice, X untouched, codes of new samples, both tiers
    alike, no setting read that is not named.  Exit code: 0 all promises are kept, 1 some are broken, or a
    file among several defines no method.
    """
    names = [each for each in methods if not each.endswith(".py")]
    algorithms.registry()
    refused: dict[str, SpecError] = {}
    for file in (each for each in methods if each.endswith(".py")):
        others = plugins.selection()
        try:
            plugins.use([Path(file)])
            names += _defined(Path(file))
        except SpecError as error:
            os.environ[plugins.VARIABLE] = others
            refused[file] = error
    if not names:
        raise SpecErrors(refused.values())
    found = [algorithms.get(name) for name in names]
    for file, why in refused.items():
        echo(f"{file}:\n  BROKEN  the file defines a method\n          {why}")
    broken = len(refused)
    for cls in found:
        echo(f"{cls.name}:")
        before = ""
        for verdict in verdicts(cls):
            broken += bool(verdict.problem)
            echo(f"  {'BROKEN' if verdict.problem else 'kept  '}  {verdict.promise}")
            if verdict.problem:
                again = verdict.problem == before
                echo(f"          {'the same problem as above' if again else verdict.problem}")
                before = verdict.problem
    kept = "All promises are kept.  None of them says that update minimises this very objective."
    echo(f"Broken: {broken}." if broken else kept)
    sys.exit(1 if broken else 0)


def _defined(file: Path) -> list[str]:
    """The methods that a plug-in file in use defines, by name.

    Raises
    ------
    SpecError
        If it cannot be imported or defines none.
    """
    algorithms.registry()
    # What the file defines, which in the registry may be a copy of it in the package.
    loaded = sys.modules[f"{plugins.HOME}.{file.stem}"]
    offered = algorithms.registry.offers(loaded)
    own = [name for name, cls in offered if cls.__module__ == loaded.__name__]
    if not own:
        remedy = "nmfrepro new algorithm NAME writes one to begin with"
        raise SpecError(f"{file}: defines no method, which is a class with a name; {remedy}")
    return own
