"""`nmfrepro new`: the skeleton of a method, a dataset or a protocol of one's own."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import click

from .. import algorithms, datasets, protocols
from ..core.terminal import pasted
from ..registry import skeleton
from .options import FOLDER
from .verbs import Verbs, echo


@click.group("new", cls=Verbs)
def new_command() -> None:
    """Write the skeleton of a method, a dataset or a protocol of your own, with its test."""


folder_option = click.option(
    "--folder", type=FOLDER, default=Path(), show_default="here", help="Where; the folder must exist."
)


@new_command.command("algorithm")
@click.argument("name")
@folder_option
def algorithm_command(name: str, folder: Path) -> None:
    """Write NAME.py, a method that works, and test_NAME.py; no file is overwritten.

    The skeleton is NMF by multiplicative updates: replace its update by yours.
    """
    _write("algorithm", name, folder, algorithms.registry(), f"algorithms: [nmf, {name}]")


@new_command.command("dataset")
@click.argument("name")
@folder_option
def dataset_command(name: str, folder: Path) -> None:
    """Write NAME.py, a dataset that is made by a program, and test_NAME.py; no file is overwritten.

    Replace the making of pictures by the reading of yours.
    """
    _write("dataset", name, folder, datasets.registry(), f"dataset: {name}")


@new_command.command("protocol")
@click.argument("name")
@folder_option
def protocol_command(name: str, folder: Path) -> None:
    """Write NAME.py, a protocol that works, and test_NAME.py; no file is overwritten.

    The skeleton is the clustering of the papers, with noise added to the images.
    """
    _write("protocol", name, folder, protocols.registry(), f"protocol: {{kind: {name}, clusters: [2, 4]}}")


def _write(kind: str, name: str, folder: Path, taken: Container[str], line: str) -> None:
    """Write both files, and say what to do with them."""
    path, test = skeleton.write(kind, name, folder, taken)
    echo(f"{path}: the {kind}; {test}: its test")
    echo(
        f"try:  nmfrepro check-algorithm {pasted(path)}"
        if kind == "algorithm"
        else f"try:  python -m pytest {pasted(test)}"
    )
    echo(f"then: nmfrepro run SPEC --plugin {pasted(path)}   (in the spec: {line})")
