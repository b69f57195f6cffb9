"""`nmfrepro reference`: the trials of the reference study, which come with nmfrepro."""

from __future__ import annotations

import click

from ..core.terminal import counted, sized, table
from ..results import reference
from ..results.folder import read_run, read_trials
from .verbs import Verbs, echo


@click.group("reference", cls=Verbs)
def reference_command() -> None:
    """Stored trials, for `nmfrepro run SPEC --against reference` and nmfrepro.reference(NAME)."""


@reference_command.command("list")
def list_command() -> None:
    """List the stored experiments: data, protocol, trials, how many methods, and what made them.

    `nmfrepro show NAME` says which methods.
    """
    rows, size = [], 0
    for name in reference.names():
        with reference.unpacked(name) as folder:
            run, trials = read_run(folder), len(read_trials(folder).by_key)
        size += reference.archive(name).stat().st_size
        methods = len({column.algorithm for column in run.columns})
        commits = dict.fromkeys(str(each.commit) for each in run.environments)
        made = f"{run.environment.nmfrepro} ({', '.join(commits)})"
        rows.append([name, run.dataset.name, run.kind, str(trials), str(methods), made])
    for line in table(rows, ("name", "data", "protocol", "trials", "methods", "nmfrepro")):
        echo(line)
    echo(f"{counted(len(rows), 'experiment')}, {sized(size)}")
