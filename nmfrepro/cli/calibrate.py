"""`nmfrepro calibrate`: find unstated settings from the published numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..analysis.calibrate import calibrate, combinations
from ..core import files
from ..core.grouping import grouped
from ..core.terminal import safe
from ..spec.files import find_spec
from ..spec.overrides import key_of
from ..views import calibration
from ..views.document import markdown
from .options import data_dir, jobs, offered_specs, overrides, results_root
from .verbs import Verb, echo, refuse


@click.command("calibrate", cls=Verb)
@click.argument("spec", shell_complete=offered_specs)
@click.option("--only", multiple=True, metavar="NAME", help="Calibrate only these columns (* and ? allowed).")
@click.option("--draws", type=click.IntRange(min=2), default=5, help="Draws used for choosing.")
@overrides
@jobs
@results_root
@data_dir
def calibrate_command(
    spec: str,
    only: tuple[str, ...],
    draws: int,
    overrides: tuple[str, ...],
    jobs: int | None,
    results: Path,
    data_dir: Path | None,
) -> None:
    """Rank the combinations of SPEC's `alternatives` by how likely the published table is under each.

    The draws used for choosing have a seed of their own, so the reported table stays untouched by the choice.
    Interrupted and started again, it goes on where it was.  Exit code: 1 if trials failed.
    """
    from tqdm import tqdm

    path = find_spec(spec)
    if any(key_of(each) == "protocol.repeats" for each in overrides):
        refuse(
            "--set protocol.repeats: how many draws are used for choosing is given by --draws; leave it out"
        )
    settings = [*overrides, f"protocol.repeats={draws}"]
    todo = combinations(path, settings, only)
    folder = results / f"{path.stem}-calibration"
    done = calibrate(tqdm(todo, unit="combination"), folder, data_dir, jobs)
    ranked = grouped((each.combination.label, each) for each in done)
    found = calibration.document(f"Calibration of {path.stem}", ranked, draws)
    files.replace(folder / "calibration.md", safe(markdown(found)))
    echo(markdown(found, escaped=False))
    sys.exit(1 if any(each.failed for column in ranked.values() for each in column) else 0)
