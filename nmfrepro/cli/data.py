"""`nmfrepro data`: what datasets are here, and how the others are had."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from .. import datasets
from ..core.errors import DataError
from ..core.options import options_of
from ..core.terminal import counted
from ..datasets import DatasetOptions
from ..datasets.definition import data_directory
from ..datasets.holdings import holdings, unclaimed
from ..datasets.request import FILE_OPTIONS
from .options import COUNT, FILE, PATH, SEED, data_dir, overwrite, require_new
from .verbs import Verbs, Word, echo


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file of the user's own is read, as `DatasetOptions` declares them."""
    for name in reversed(FILE_OPTIONS):
        each = options_of(DatasetOptions)[name]
        kind: Any = Word(each.choices) if each.choices else (float if float in each.types else str)
        text = f"{each.help[0].upper()}{each.help[1:]}."
        command = click.option("--" + name.replace("_", "-"), name, type=kind, help=text)(command)
    return command


accept_mismatch = click.option(
    "--accept-mismatch", is_flag=True, help="Take a file that does not fit the name of its dataset."
)


@click.group("data", cls=Verbs)
def data_command() -> None:
    """Datasets: list, fetch, check, look at, import, and make features."""


@data_command.command("list")
@data_dir
@click.argument("names", nargs=-1, metavar="[NAME…]")
def list_command(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Show what is here, from where, and how large it is.

    The SHA-256 is of the images, their labels and their shape as they are read, not of the file they come in.
    """
    from ..views.holdings import import_line, listing

    directory = data_directory(data_dir)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    own = {path: archive for path, _, archive in unclaimed(directory) if archive}
    named = tuple(name for name in names if name not in {archive.name for archive in own.values()})
    if named or not names:
        echo("\n".join(listing(holdings(_definitions(named, directory), directory), width)))
    for path, archive in own.items():
        if not names or archive.name in names:
            echo(import_line(path, archive))
    echo(f"Data directory: {directory.resolve()}")


@data_command.command("fetch")
@data_dir
@click.option("--size", help="Only this size, as 32x32.")
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
def fetch_command(names: tuple[str, ...], data_dir: Path | None, size: str | None) -> None:
    """Download datasets into the data directory; every file is checked by its SHA-256.

    A file appears under its name only when it is complete and right.  After a failure run the same command
    again.
    """
    from ..datasets.fetch import fetch

    directory = data_dir or data_directory()  # one that is given is made
    problems = []
    for definition in _definitions(names, directory):
        asked = DatasetOptions(name=definition.name, size=size, scale="none")
        sizes = [datasets.resolve(asked).size or ""] if size else definition.sizes
        downloads = [
            down for each in sizes for source in definition.sources for down in source.downloads(each)
        ]
        for download in downloads:
            try:
                new = fetch(download, directory)
            except DataError as error:
                problems.append(str(error))
                continue
            state = f"fetched, {download.size:,} bytes" if new else "already here"
            echo(f"{definition.name}: {directory / download.filename} {state}, SHA-256 agrees")
        if not downloads:
            problems += _by_hand(definition, directory)
    for problem in problems:
        echo(f"Error: {problem}", err=True)
    if problems:
        sys.exit(2)


def _by_hand(definition: datasets.DatasetDefinition, directory: Path) -> list[str]:
    """Why a dataset cannot be downloaded; says so at once where it need not be, and returns nothing."""
    here = next((s for s in definition.sources if s.find(definition.default_size, directory)), None)
    first = definition.sources[0]
    if here is first:
        echo(f"{definition.name}: nothing to fetch, it is {first.title}")
        return []
    meanwhile = f"; meanwhile {here.title} is used ({here.key})" if here else ""
    return [f"{definition.name} cannot be fetched by nmfrepro: {first.by_hand}{meanwhile}"]


@data_command.command("check")
@data_dir
@click.argument("names", nargs=-1, metavar="[NAME…]")
def check_command(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Load everything that is here and hold it against what its name promises.

    Exit code 1 if something is refused.
    """
    directory = data_directory(data_dir)
    checked = refused = 0
    for holding in holdings(_definitions(names, directory), directory):
        if holding.path is None:
            continue
        checked += 1
        refused += holding.dataset is None
        source = holding.dataset.source if holding.dataset else holding.source.key
        where = f"{holding.definition.name} {holding.size} ({source})"
        echo(f"{where:<28} {holding.path.name:<28} {holding.verdict}")
        _echo_notes(holding.dataset.notes if holding.dataset else (holding.problem,))
    for path, owner, archive in unclaimed(directory) if not names else ():
        hint = f"it is {owner}: rename it" if owner else "read it with file:, or `nmfrepro data import` it"
        if archive is not None:
            hint = "it was imported; read it with file:"
        echo(f"{path.name}: no dataset looks for a file of this name; {hint}")
    echo(f"{checked} checked, {refused} refused")
    sys.exit(1 if refused else 0)


@data_command.command("show")
@data_dir
@click.option("--output", "-o", type=FILE, required=True, help="The picture to write.")
@click.option("--source", help="Insist on one source, as crop or aligned.")
@click.option("--classes", type=COUNT, default=10, help="Rows.")
@click.option("--per-class", type=COUNT, default=12, help="Columns.")
@accept_mismatch
@reading_options
@click.argument("what", metavar="NAME|FILE")
def show_command(
    what: str,
    data_dir: Path | None,
    output: Path,
    source: str | None,
    classes: int,
    per_class: int,
    **reading: Any,
) -> None:
    """Draw a montage of NAME (or of a file of your own): a row for each of the first classes."""
    from ..datasets.montage import montage

    given = reading | {"source": source, "scale": "none"}
    dataset = datasets.load(datasets.options_for(what, given, data_dir), data_dir, labelled=False)
    sheet = montage(dataset, classes, per_class)
    try:
        sheet.save(output)
    except (OSError, ValueError) as error:
        raise DataError(f"{output} cannot be written: {error}") from None
    n, m = dataset.X.shape
    of = f", {len(dataset.classes)} classes" if len(dataset.classes) > 1 else ""
    echo(f"{output}: {counted(n, 'image')} x {counted(m, 'value')}{of}, from {dataset.origin}")
    shown = min(classes, len(dataset.classes))
    most = int(dataset.class_sizes[:shown].max())
    if shown < len(dataset.classes) or per_class < most:
        images = counted(min(per_class, most), "image")
        drawn = f"{shown} of {counted(len(dataset.classes), 'class')}, of each the first {images}"
        echo(f"    drawn: {drawn}; --classes and --per-class draw more")
    _echo_notes(dataset.notes)


@data_command.command("import")
@data_dir
@click.option(
    "--name",
    required=True,
    help="A known dataset, which the file must fit; else a new file's name, and specs say file: NAME.npz.",
)
@accept_mismatch
@click.option("--overwrite", is_flag=True, help="Replace an earlier import.")
@reading_options
@click.argument("file", type=click.Path(exists=True))
def import_command(
    file: str, name: str, data_dir: Path | None, accept_mismatch: bool, overwrite: bool, **reading: Any
) -> None:
    """Bring FILE (or a folder of images) into the data directory as a checked .npz."""
    from ..datasets.importing import import_file, named_in_spec
    from ..datasets.loading import assemble

    definition = datasets.registry().get(name)
    path, archive = import_file(
        datasets.resolve(datasets.options_for(file, reading | {"scale": "none"})),
        name,
        definition,
        data_dir or data_directory(),
        accept_mismatch=accept_mismatch,
        overwrite=overwrite,
    )
    n, m = archive.X.shape
    echo(f"{path}: {counted(n, 'image')} x {counted(m, 'value')}, source {archive.source}")
    _echo_notes(assemble(archive, name).notes)
    echo(f"In a spec: {archive.in_spec(path) if definition is None else named_in_spec(definition, archive)}")


@data_command.command("features")
@click.option("--output", "-o", type=PATH, required=True, help="A .npz.")
@click.option("--words", type=click.IntRange(min=2), default=500, help="Codebook size.")
@click.option("--seed", type=SEED, default=0, help="Names the random streams.")
@click.option("--jobs", "-j", type=COUNT, help="Threads [default: the cores available].")
@click.option("--exclude", help="Pattern of images to leave out, as */broken*.jpg.")
@overwrite
@click.argument("images", type=click.Path(path_type=Path, exists=True, file_okay=False))
def features_command(
    images: Path, output: Path, words: int, seed: int, jobs: int | None, exclude: str | None, overwrite: bool
) -> None:
    """Turn a folder of IMAGES, one sub-folder per class, into histograms of visual words.

    Where the output's name is that of a dataset (caltech101.npz), only the folders it is made of are taken.
    """
    from ..datasets.features.build import build_features, select
    from ..datasets.features.sift import require_opencv
    from ..datasets.formats.archive import write_archive
    from ..runs.workers import available_cores

    require_new(output, overwrite)
    if not output.parent.is_dir():
        raise DataError(f"{output.parent} is no directory; make it first")
    require_opencv()
    definition = datasets.registry().get(output.stem)
    files = select(images, definition, exclude)
    echo(f"{len(files):,} images of {len({file.parent.name for file in files})} folders", err=True)
    archive = build_features(files, output.stem, words=words, seed=seed, jobs=jobs or available_cores())
    write_archive(output, archive)
    echo(f"{output}: {archive.X.shape[0]} images x {archive.X.shape[1]} words, from {archive.origin}")
    _echo_notes(archive.notes)


def _echo_notes(notes: Iterable[str]) -> None:
    for note in notes:
        echo(f"    {note}")


def _definitions(names: tuple[str, ...], directory: Path) -> list[datasets.DatasetDefinition]:
    return [datasets.get(name, directory) for name in names] or list(datasets.registry().values())
