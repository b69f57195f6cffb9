"""`nmfrepro fit`: one factorization of one file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .. import algorithms, datasets
from ..core.errors import ResultsError
from ..core.options import options_of
from ..datasets.base import SCALES
from ..protocols.clustering import Clustering
from ..runs.fitfile import configure, fit_dataset, save
from ..spec.overrides import given
from ..spec.scalars import resolve
from ..views.runs import of_fit
from .data import accept_mismatch, reading_options
from .options import COUNT, FILE, SEED, data_dir, overwrite, require_new
from .verbs import Verb, Word, echo


def offered_algorithms(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """What the shell offers when Tab is pressed."""
    return [name for name in algorithms.registry() if name.startswith(incomplete)]


LABELLED = options_of(Clustering)["labelled"]


@click.command("fit", cls=Verb)
@click.argument("file")
@click.option(
    "--algorithm",
    "-a",
    required=True,
    metavar="NAME",
    shell_complete=offered_algorithms,
    help="See `nmfrepro list algorithms`.",
)
@click.option("-k", type=COUNT, required=True, help="Columns of the basis.")
@click.option("--output", "-o", type=FILE, help="Keep all arrays in this .npz.")
@overwrite
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the method, or a fit setting: mu=0.5, restarts=10, max_iter=300.",
)
@click.option("--scale", type=Word(SCALES), help="What values are divided by; needed for files.")
@click.option("--seed", type=SEED, default=0, help="Names the random starts.")
@click.option("--labelled", help="Labelled samples per class for semi-supervised methods: 10% or a count.")
@accept_mismatch
@reading_options
@data_dir
def fit_command(
    file: str,
    algorithm: str,
    k: int,
    output: Path | None,
    overwrite: bool,
    overrides: tuple[str, ...],
    scale: str | None,
    seed: int,
    labelled: str | None,
    data_dir: Path | None,
    **reading: Any,
) -> None:
    """Factorize FILE (.mat, .npz, .npy, .csv, IDX, a folder of images) or a dataset by name.

    Where there are labels, clusters are scored against them.  A matrix alone in its file needs none.
    """
    from tqdm import tqdm

    if output is not None:
        require_new(output, overwrite)
    if output is not None and output.exists() and Path(file).exists() and output.samefile(file):
        raise ResultsError(f"{output} is the data itself; give --output another name")
    method, settings, notes = configure(algorithm, given(overrides))
    options = datasets.resolve(datasets.options_for(file, reading | {"scale": scale}, data_dir))
    assert options.scale is not None
    dataset = datasets.load(options, data_dir, labelled=False)
    share = None if labelled is None else LABELLED.check(resolve(labelled))
    total = settings.restarts * settings.max_iter
    with tqdm(total=total, unit="iteration", delay=1, leave=False, disable=None) as bar:
        fitted = fit_dataset(dataset, options.scale, method, settings, k, seed, share, bar.update)
    echo(of_fit(replace(fitted, notes=(*fitted.notes, *notes))))
    if output is not None:
        save(fitted, output)
        echo(f"{output}: written")
    else:
        echo("the factors are not kept; --output FILE.npz keeps them")
