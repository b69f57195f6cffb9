"""`nmfrepro new`: the skeleton of a method, a dataset or a protocol of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from .. import algorithms, datasets, protocols
from ..core.terminal import pasted
from ..registry import skeleton
from .options import FOLDER
from .verbs import Verb, Word, echo

# What there is of a kind, and how a spec names one.
KINDS = {
    "algorithm": (algorithms, "algorithms: [nmf, {}]"),
    "dataset": (datasets, "dataset: {}"),
    "protocol": (protocols, "protocol: {{kind: {}, clusters: [2, 4]}}"),
}


@click.command("new", cls=Verb)
@click.argument("kind", type=Word(list(KINDS)), metavar="algorithm|dataset|protocol")
@click.argument("name")
@click.option(
    "--folder", type=FOLDER, default=Path(), show_default="here", help="Where; the folder must exist."
)
def new_command(kind: str, name: str, folder: Path) -> None:
    """Write NAME.py, a method, a dataset or a protocol that works, and test_NAME.py; no file is overwritten.

    The method is NMF by multiplicative updates: replace its update by yours.  The dataset makes pictures:
    replace that by the reading of yours.  The protocol is the clustering of the papers, with noise added to
    the images.
    """
    module, line = KINDS[kind]
    path, test = skeleton.write(kind, name, folder, module.registry())
    echo(f"{path}: the {kind}; {test}: its test")
    check = f"nmfrepro check-algorithm {pasted(path)}"
    echo(f"try:  {check if kind == 'algorithm' else f'python -m pytest {pasted(test)}'}")
    echo(f"then: nmfrepro run SPEC --plugin {pasted(path)}   (in the spec: {line.format(name)})")
