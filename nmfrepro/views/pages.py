"""What there is to run, in words: the lists and pages of `nmfrepro list` and `nmfrepro show`.

Everything comes from the declarations themselves, and nothing here loads data.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .. import algorithms, datasets, papers, protocols
from ..algorithms import Algorithm, Direct, Iterative
from ..algorithms.engine.fast import has_fast
from ..core.errors import SpecError
from ..core.options import options_of
from ..core.terminal import facts, paragraph, prose, table
from ..datasets import DatasetDefinition
from ..protocols import Protocol
from ..spec import files as specfiles
from ..spec.columnlabels import show
from ..spec.complaints import Complaints
from ..spec.yamltree import read_tree


def _summary(cls: type) -> str:
    """The first sentence of a docstring."""
    return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ").replace("  ", "")


def list_algorithms() -> list[str]:
    """Every method: name in specs, title in tables, what it is."""
    rows = [(name, cls.title, " ".join(_summary(cls).split())) for name, cls in algorithms.registry().items()]
    return table(rows, ("name", "in tables", "what it is"))


def list_datasets() -> list[str]:
    """Every dataset by name: how many images and classes, at which sizes, from where."""
    rows = [
        (
            name,
            str(known.n_samples),
            str(known.n_classes),
            ", ".join(known.sizes),
            f"{known.title}; from {', '.join(source.key for source in known.sources)}",
        )
        for name, known in datasets.registry().items()
    ]
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
    rows = [(kind, " ".join(_summary(cls).split())) for kind, cls in protocols.registry().items()]
    return table(rows, ("kind", "what it does"))


def list_metrics() -> list[str]:
    """Every metric, and the protocols that have it."""
    rows = []
    for name, metric in protocols.metrics().items():
        users = [kind for kind, cls in protocols.registry().items() if name in (*cls.metrics, *cls.times)]
        rows.append((name, metric.title, ", ".join(users), metric.text))
    return table(rows, ("name", "in tables", "protocols", "what it is"))


def list_published() -> list[str]:
    """Every published table that comes with nmfrepro."""
    rows = []
    for name in papers.names():
        source = papers.load(name).source
        rows.append((name, source.number, source.dataset or "", source.paper))
    return table(rows, ("name", "number", "dataset", "paper"))


INDENT = "  "

LISTS: dict[str, Callable[[], list[str]]] = {
    "algorithms": list_algorithms,
    "datasets": list_datasets,
    "experiments": list_experiments,
    "protocols": list_protocols,
    "metrics": list_metrics,
    "published": list_published,
}


def page(name: str) -> list[str]:
    """Everything that is called `name`: a method, dataset, experiment, protocol, metric or published table.

    Raises
    ------
    SpecError
        If nothing is; the message suggests the closest.
    """
    experiments = specfiles.experiments()
    lines: list[str] = []
    if name in algorithms.registry():
        lines += ["", *show_algorithm(algorithms.get(name))]
    if name in datasets.registry():
        lines += ["", *show_dataset(datasets.get(name))]
    if name in experiments:
        lines += ["", *show_experiment(experiments[name])]
    if name in protocols.registry():
        lines += ["", *show_protocol(protocols.get(name))]
    if name in protocols.metrics():
        lines += ["", *show_metric(name)]
    if name in papers.names():
        lines += ["", *show_published(name)]
    if not lines and (own := datasets.imported(name)):
        raise SpecError(f"nothing to show is called {name!r}; {own}")
    if not lines:
        known = [*algorithms.registry(), *datasets.registry(), *experiments, *protocols.registry()]
        known += [*protocols.metrics(), *papers.names()]
        close = difflib.get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise SpecError(f"nothing is called {name!r}; {hint}see nmfrepro list {'|'.join(LISTS)}")
    return lines[1:]


def show_algorithm(cls: type[Algorithm]) -> list[str]:
    """A method: objective, updates, parameters, factors, paper, what is uncertain."""
    lines = [f"Algorithm {cls.name}, in tables {cls.title}", ""]
    lines += facts([("Paper", cls.paper), ("Objective", cls.objective_text)])
    lines += ["", *prose(cls.__doc__ or "")]
    if issubclass(cls, Iterative):
        lines += ["", "Factors, in the order they move"]
        order = cls.update_order or tuple(cls.factors)
        lines += table([(name, " × ".join(cls.factors[name])) for name in order], indent=INDENT)
        if cls.embedding is Iterative.embedding:
            reading = "as they are." if cls.normalize == "none" else "with unit columns of the other factors."
        else:
            reading = _first(cls.embedding.__doc__)
        lines += paragraph(f"Encodings: {reading}", INDENT) if reading else []
        if code := plain_code(cls):
            lines += ["", "In code (ratio divides entry by entry, 0/0 = 0)", ""]
            lines += [f"{INDENT}{line}".rstrip() for line in code]
    lines += ["", "Parameters, beside the name in a spec", *_options(cls)]
    used = ", ".join(cls.fit_settings)
    lines += [
        "",
        "Needs and limits",
        *(f"{INDENT}{line}" for line in facts([*_needs(cls), ("fit settings", used)])),
    ]
    if cls.uncertain:
        lines += ["", "What the sources leave open, and where they fail"]
        for each in cls.uncertain:
            lines += paragraph(each, INDENT, "- ")
    return lines


def plain_code(cls: type[Iterative]) -> list[str]:
    """Lines of a method's iteration and objective as it is written plainly; none where it is not."""
    lines: list[str] = []
    for name in ("update", "moved", "objective"):  # `moved`: a step too long for `update`
        function = getattr(cls, name, None)
        if function is not None and function is not getattr(Iterative, name, None):
            with suppress(OSError):  # its file is gone
                lines += ["", *inspect.cleandoc("\n" + inspect.getsource(function)).splitlines()]
    return [line.partition("  # type:")[0] for line in lines[1:]]


def _first(docstring: str | None) -> str:
    return " ".join((docstring or "").strip().split("\n\n")[0].split())


def _needs(cls: type[Algorithm]) -> list[tuple[str, str]]:
    """What a method needs of its data and its budget."""
    rows = [("data", "any sign" if cls.signed else "nonnegative")]
    if cls.needs_image_shape:
        rows.append(("images", "as matrices: a dataset of pictures, or image_shape"))
    if cls.needs_labels:
        rows.append(("labels", "of some samples: protocol.labelled, or labels"))
    if cls.fixed_budget:
        rows.append(
            (
                "budget",
                "the number of iterations is part of the method: tol must be 0, and a spec's inner "
                "does not reach it unless its own fit asks for it",
            )
        )
    if has_fast(cls):
        rows.append(("solver", "printed, or fast: fit: {solver: fast}"))
    if issubclass(cls, Direct):
        rows.append(("kind", "direct: no stack of random starts"))
    return [*rows, ("revision", f"{cls.revision} (raised whenever its mathematics changes)")]


def _options(cls: type) -> list[str]:
    """A table of a dataclass's options."""
    rows = [
        (
            each.name,
            "required" if each.required else show(each.default),
            f"{each.help} ({each.allowed})",
        )
        for each in options_of(cls).values()
    ]
    return table(rows, ("name", "default", "meaning"), INDENT) if rows else [f"{INDENT}none"]


def show_dataset(known: DatasetDefinition) -> list[str]:
    """A dataset: what it must contain, where it comes from, whom to thank."""
    low, high = known.class_sizes
    sizes = [
        f"{size}{' (default)' if size == known.default_size and len(known.sizes) > 1 else ''}"
        for size in known.sizes
    ]
    rows = [
        (
            "Samples",
            f"{known.n_samples} in {known.n_classes} classes of {low if low == high else f'{low} to {high}'}",
        ),
        ("Sizes", ", ".join(sizes)),
        ("Grey levels", "" if known.levels is None else f"0 to {known.levels:g}"),
        ("Scale", known.default_scale or "to be chosen in the spec: max, l2 or none"),
        ("In the papers", known.preprocessing),
        ("Credit", known.credit),
        ("Licence", known.licence),
    ]
    lines = [
        f"Dataset {known.name}: {known.title}",
        "",
        *facts(rows),
        "",
        "Sources, in the order they are tried",
    ]
    where = [
        (
            source.key,
            f"{source.title}; "
            + (
                "nmfrepro data fetch " + known.name
                if any(map(source.downloads, known.sizes))
                else source.by_hand
            ),
        )
        for source in known.sources
    ]
    size = f", size: {known.default_size}" if len(known.sizes) > 1 else ""
    return [*lines, *table(where, indent=INDENT), "", f"In a spec: dataset: {{name: {known.name}{size}}}"]


def show_experiment(path: Path) -> list[str]:
    """An experiment: where it lies, and its text."""
    return [f"Experiment {path.stem}: {path}", "", *path.read_text(encoding="utf-8").rstrip().splitlines()]


def show_protocol(cls: type[Protocol]) -> list[str]:
    """A protocol: what it does, its keys, its metrics."""
    lines = [f"Protocol {cls.kind}", "", *prose(cls.__doc__ or "")]
    rows = [
        ("Rows", ", ".join(cls.coordinates)),
        ("Metrics", ", ".join((*cls.metrics, *cls.times))),
        ("Shown", ", ".join(cls.shown)),
    ]
    return [*lines, "", *facts(rows), "", "Keys of a spec's protocol", *_options(cls)]


def show_metric(name: str) -> list[str]:
    """A metric: its definition and unit."""
    metric = protocols.description(name)
    better = (
        ("lower" if metric.lower_is_better else "higher") if metric.ranked else "neither: it is not ranked"
    )
    rows = [("Definition", metric.text), ("Unit", metric.unit), ("Better", better)]
    return [f"Metric {name}, in tables {metric.title}", "", *facts(rows)]


def show_published(name: str) -> list[str]:
    """A published table: where it was printed, and how it is read."""
    found = papers.load(name)
    source = found.source
    rows = [
        ("Paper", source.paper),
        ("Table", source.number),
        ("Dataset", source.dataset or ""),
        ("Columns", ", ".join(found.columns)),
        ("Metrics", ", ".join(found.metrics)),
        ("Rows", f"{found.coordinate} = {', '.join(map(str, found.rows))}" if found.coordinate else ""),
        ("Repeats", "not stated" if source.repeats is None else str(source.repeats)),
    ]
    lines = [f"Published table {name}", "", *facts(rows)]
    for note in source.notes:
        lines += paragraph(note, "", "- ")
    return lines
