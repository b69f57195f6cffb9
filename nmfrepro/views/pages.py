"""What there is to run, in words: the lists and pages of `nmfrepro list` and `nmfrepro show`.

Everything comes from the declarations themselves, and nothing here loads data.  How a page is laid out stands
in ``templates``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import algorithms, datasets, papers, protocols
from ..algorithms import Algorithm, Direct, Iterative
from ..core.errors import SpecError, closest
from ..core.options import options_of
from ..core.terminal import paragraph, table
from ..datasets import DatasetDefinition
from ..spec import files as specfiles
from ..spec.columnlabels import show
from ..spec.complaints import Complaints
from ..spec.yamltree import read_tree
from . import wording


def _summary(cls: object) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((cls.__doc__ or "").replace("``", "").strip().split("\n\n")[0].split())


def list_algorithms() -> list[str]:
    """Every method: name in specs, title in tables, what it is."""
    rows = [(name, cls.title, _summary(cls)) for name, cls in algorithms.registry().items()]
    return table(rows, ("name", "in tables", "what it is"))


def list_datasets() -> list[str]:
    """Every dataset by name: how many images and classes, at which sizes, from where."""
    rows = []
    for name, dataset in datasets.registry().items():
        title = f"{dataset.title}; from {', '.join(source.key for source in dataset.sources)}"
        rows.append((name, str(dataset.n_samples), str(dataset.n_classes), ", ".join(dataset.sizes), title))
    lines = table(rows, ("name", "samples", "classes", "sizes", "what it is, and its sources"))
    hint = "Your own data: dataset: {file: faces.mat, …}.  What is on this machine: nmfrepro data list."
    return [*lines, "", *paragraph(hint)]


def list_experiments() -> list[str]:
    """Every spec that comes with nmfrepro."""
    rows = [(name, *_headline(path)) for name, path in specfiles.experiments().items()]
    return table(rows, ("name", "dataset", "title")) or ["There are none."]


def _headline(path: Path) -> tuple[str, str]:
    """Dataset and title of a spec, read without checking the rest."""
    try:
        tree = read_tree(path, Complaints())
    except SpecError as error:
        return "", f"cannot be read: {error}"
    content = tree.plain if tree.pairs else {}
    dataset = content.get("dataset")
    name = dataset.get("name") or dataset.get("file") if isinstance(dataset, dict) else dataset
    return str(name or ""), str(content.get("title") or "")


def list_protocols() -> list[str]:
    """Every kind of protocol."""
    rows = [(kind, _summary(cls)) for kind, cls in protocols.registry().items()]
    return table(rows, ("kind", "what it does"))


def list_metrics() -> list[str]:
    """Every metric, and the protocols that have it."""
    rows = []
    for name, metric in protocols.metrics().items():
        users = [kind for kind, cls in protocols.registry().items() if name in cls.measures()]
        rows.append((name, metric.title, ", ".join(users), metric.text))
    return table(rows, ("name", "in tables", "protocols", "what it is"))


def list_published() -> list[str]:
    """Every published table that comes with nmfrepro."""
    sources = {name: papers.load(name).source for name in papers.names()}
    rows = [(name, each.number, each.dataset or "", each.paper) for name, each in sources.items()]
    return table(rows, ("name", "number", "dataset", "paper"))


LISTS: dict[str, Callable[[], list[str]]] = {
    "algorithms": list_algorithms,
    "datasets": list_datasets,
    "experiments": list_experiments,
    "protocols": list_protocols,
    "metrics": list_metrics,
    "published": list_published,
}


def page(name: str) -> str:
    """Everything that is called `name`: a method, dataset, experiment, protocol, metric or published table.

    Raises
    ------
    SpecError
        If nothing is; the message suggests the closest.
    """
    kinds: list[tuple[Mapping[str, Any], Callable[[str, Any], str]]] = [
        (algorithms.registry(), _algorithm),
        (datasets.registry(), _dataset),
        (specfiles.experiments(), _experiment),
        (protocols.registry(), lambda _, cls: wording.text("protocol", it=cls, options=_options(cls))),
        (protocols.metrics(), lambda name, metric: wording.text("metric", name=name, it=metric)),
        (
            dict.fromkeys(papers.names()),
            lambda name, _: wording.text("published", name=name, it=papers.load(name)),
        ),
    ]
    if pages := [show(name, entries[name]) for entries, show in kinds if name in entries]:
        return "\n\n".join(pages)
    if own := datasets.imported(name):
        raise SpecError(f"nothing to show is called {name!r}; {own}")
    close = closest(name, [each for entries, _ in kinds for each in entries])
    hint = f"did you mean {close}? " if close else ""
    raise SpecError(f"nothing is called {name!r}; {hint}see nmfrepro list {'|'.join(LISTS)}")


def _algorithm(name: str, cls: type[Algorithm]) -> str:
    """A method: objective, updates, parameters, factors, paper, what is uncertain."""
    shown: dict[str, Any] = {"needs": _needs(cls), "options": _options(cls)}
    shown |= {"factors": [], "encodings": "", "code": []}
    if issubclass(cls, Iterative):
        shown["factors"] = [
            (each, " × ".join(cls.factors[each])) for each in cls.update_order or tuple(cls.factors)
        ]
        shown["code"] = plain_code(cls)
        shown["encodings"] = _summary(cls.embedding)
        if cls.embedding is Iterative.embedding:
            plain = cls.normalize == "none"
            shown["encodings"] = "as they are." if plain else "with unit columns of the other factors."
    return wording.text("algorithm", name=name, it=cls, **shown)


def plain_code(cls: type[Iterative]) -> list[str]:
    """Lines of a method's iteration and objective as it is written plainly; none where it is not.

    With what they are given, where that is not X alone, and the steps that `update` calls.
    """
    lines: list[str] = []
    called = getattr(getattr(cls.update, "__code__", None), "co_names", ())
    for name in dict.fromkeys(("given", "update", *called, "objective")):
        function = getattr(cls, name, None)
        if inspect.isfunction(function) and function is not getattr(Iterative, name, None):
            with suppress(OSError):  # its file is gone
                lines += ["", *inspect.cleandoc("\n" + inspect.getsource(function)).splitlines()]
    return [line.partition("  # type:")[0] for line in lines[1:]]


def _needs(cls: type[Algorithm]) -> list[tuple[str, str]]:
    """What a method needs of its data and its budget; what is empty is not said."""
    budget = (
        "the number of iterations is part of the method: tol must be 0, and a spec's inner "
        "does not reach it unless its own fit asks for it"
    )
    return [
        ("data", "any sign" if cls.signed else "nonnegative"),
        ("images", "as matrices: a dataset of pictures, or image_shape" if cls.needs_image_shape else ""),
        ("labels", "of some samples: protocol.labelled, or labels" if cls.needs_labels else ""),
        ("budget", budget if cls.fixed_budget else ""),
        ("solver", "printed, or fast: fit: {solver: fast}" if cls.has_fast() else ""),
        ("kind", "direct: no stack of random starts" if issubclass(cls, Direct) else ""),
        ("revision", f"{cls.revision} (raised whenever its mathematics changes)"),
        ("fit settings", ", ".join(cls.fit_settings)),
    ]


def _options(cls: type) -> str:
    """A table of a dataclass's options."""
    rows = []
    for each in options_of(cls).values():
        default = "required" if each.required else show(each.default)
        rows.append((each.name, default, f"{each.help} ({each.allowed})"))
    return "\n".join(table(rows, ("name", "default", "meaning"), "  ")) if rows else "  none"


def _dataset(name: str, dataset: DatasetDefinition) -> str:
    """A dataset: what it must contain, where it comes from, whom to thank."""
    several = len(dataset.sizes) > 1
    sizes = [
        f"{each} (default)" if several and each == dataset.default_size else each for each in dataset.sizes
    ]
    sources = []
    for source in dataset.sources:
        fetched = any(map(source.downloads, dataset.sizes))
        how = f"nmfrepro data fetch {name}" if fetched else source.by_hand
        sources.append((source.key, "; ".join(each for each in (source.title, how) if each)))
    return wording.text("dataset", name=name, it=dataset, sizes=sizes, sources=sources)


def _experiment(name: str, path: Path) -> str:
    """An experiment: where it lies, and its text."""
    return wording.text("experiment", name=name, it=path, text=path.read_text(encoding="utf-8"))
