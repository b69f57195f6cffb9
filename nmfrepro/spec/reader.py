"""From a YAML file to a `Spec`: everything checked before any work, all mistakes told at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from .. import datasets, protocols
from ..core.errors import Place, Setting, SpecError, closest
from ..core.files import exists, similar
from ..core.options import options_of
from ..core.problem import FitSettings
from ..datasets import DatasetOptions
from ..protocols import Protocol
from . import SMOKE, Head, Spec
from .checks import check_inferred, check_possible, check_rest, check_words
from .complaints import Complaints
from .entries import FIT_EXAMPLE, check_required, read_entries
from .files import spec_name
from .mappings import tree_of
from .overrides import ADDING, apply_overrides, set_in
from .sections import Section, open_section
from .yamltree import BROKEN, Node, read_tree

SECTIONS = {
    "dataset": "{name: orl, size: 32x32}",
    "protocol": "{kind: clustering, clusters: [2, 4, 8]}",
    "fit": FIT_EXAMPLE,
    "algorithms": "[nmf, {name: nlcf, mu: 0.1}]",
    "alternatives": "{fit.max_iter: [100, 300], algorithms.gnmf.lam: [1, 10, 100]}",
}
OPTIONAL = {"fit", "alternatives"}
SMOKE_RESTARTS, SMOKE_MAX_ITER = 2, 20


def read_spec(
    path: Path | str, overrides: Iterable[str] = (), smoke: bool = False, also: Iterable[Any] = ()
) -> Spec:
    """Read and check a spec.

    Parameters
    ----------
    path : path-like
        A YAML file; relative paths in it are relative to it.
    overrides : iterable of str
        ``key=value`` with dotted keys, as given to ``--set``; paths are relative to the working directory.
    smoke : bool
        Shrink everything to seconds; the name gets "-smoke".
    also : iterable of str, mapping, or method class or instance
        Further columns, behind those of the spec.

    Returns
    -------
    Spec

    Raises
    ------
    SpecError
        With all mistakes of the file, a line each: ``file:line:column: what, what is allowed``.
    """
    path, complaints = Path(path), Complaints()
    return _read(path, lambda: read_tree(path, complaints), overrides, smoke, also, complaints)


def read_mapping(
    content: Mapping[str, Any],
    name: str,
    overrides: Iterable[str] = (),
    smoke: bool = False,
    also: Iterable[Any] = (),
) -> Spec:
    """Check a spec that is written in Python.

    Parameters
    ----------
    content : mapping
        As in a file; methods also as classes or instances.  Paths are relative to the working directory.
    name : str
        What its results folder is called.
    overrides, smoke, also
        As in `read_spec`.

    Raises
    ------
    SpecError
        With all mistakes, a line each, at dotted keys in the place of lines.
    """
    path = Path(f"{name}.yaml")
    if path.stem != name:
        raise SpecError(Setting("name", name), " cannot be a folder's; use letters, digits, - and _")
    return _read(path, lambda: tree_of(content, name), overrides, smoke, also, Complaints())


def _read(
    path: Path,
    tree: Callable[[], Node],
    overrides: Iterable[str],
    smoke: bool,
    also: Iterable[Any],
    complaints: Complaints,
) -> Spec:
    name, overrides = "", tuple(overrides)
    columns = [_as_text(each) for each in also]
    with complaints.noting(Place(str(path))):
        name = spec_name(path)
    content = apply_overrides(tree(), overrides, complaints, columns)
    overrides = (*overrides, *(f"{ADDING}{each}" for each in columns))
    spec = replace(_Reader(path, name, complaints).spec(content), overrides=overrides)
    return _shrunk(spec) if smoke else spec


def _as_text(method: Any) -> str:
    """A method as `--also` is given it."""
    tree = tree_of(method, "also")
    return tree.plain if isinstance(tree.plain, str) else json.dumps(tree.plain, ensure_ascii=False)


def read_alternatives(spec: Spec) -> dict[str, list[Spec]]:
    """The spec with each of its alternatives in place, by their dotted keys.

    Not a part of `read_spec`, since it reads the spec once more for every alternative.

    Raises
    ------
    SpecError
        Where it could not be run with one, with all mistakes, a line each, at the place of the alternative.
    """
    complaints, found = Complaints(), dict[str, list[Spec]]()
    tree = apply_overrides(read_tree(spec.path, complaints), spec.overrides, complaints)
    listed = tree.pairs.get("alternatives")
    for key, node in listed.pairs.items() if listed and spec.alternatives else ():
        for value in node.items:
            with complaints.noting(node.key):
                changed = set_in(tree, key.split("."), replace(value, key=node.key))
                read = _Reader(spec.path, spec.name, Complaints()).spec(changed)
                found.setdefault(key, []).append(read)
    complaints.raise_if_any()
    return found


def _shrunk(spec: Spec) -> Spec:
    """The spec as `--smoke` runs it."""
    entries, taken = [], []
    for entry in spec.entries:
        restarts, max_iter = min(entry.fit.restarts, SMOKE_RESTARTS), min(entry.fit.max_iter, SMOKE_MAX_ITER)
        fit = replace(entry.fit, restarts=restarts, max_iter=max_iter)
        # Columns that differ in starts or iterations alone would become one.
        while (entry.algorithm, fit) in taken:
            fit = replace(fit, max_iter=fit.max_iter + 1)
        taken.append((entry.algorithm, fit))
        entries.append(replace(entry, fit=fit))
    protocol = spec.protocol.smoke()
    return replace(spec, name=f"{spec.name}{SMOKE}", protocol=protocol, entries=tuple(entries))


def homes() -> dict[str, str]:
    """The section that every key belongs to, to help with one that stands in another."""
    found = {"as": "algorithms", "kind": "protocol"}
    # A key that a protocol shares with another section is more likely meant for that one.
    for cls in protocols.registry().values():
        found |= dict.fromkeys(options_of(cls), "protocol")
    for section, own in (("the top level", Head), ("dataset", DatasetOptions), ("fit", FitSettings)):
        found |= dict.fromkeys(options_of(own), section)
    return found


def _kinds() -> dict[str, str]:
    """The kinds of protocol that have a key, for one that stands in a protocol of another kind."""
    found: dict[str, list[str]] = {}
    for kind, cls in protocols.registry().items():
        for key in options_of(cls):
            found.setdefault(key, []).append(kind)
    return {key: f"a protocol of kind {' or '.join(kinds)}" for key, kinds in found.items()}


T = TypeVar("T", DatasetOptions, Protocol)


class _Reader:
    """Reads the sections of one spec, collecting complaints."""

    def __init__(self, path: Path, name: str, complaints: Complaints) -> None:
        self._path, self._name, self._complaints = path, name, complaints

    def spec(self, tree: Node) -> Spec:
        """The spec, or all complaints as one error."""
        complaints = self._complaints
        top = open_section(tree, "a spec", f"dataset: {SECTIONS['dataset']}", complaints)
        if top is None:
            raise complaints.error()
        head = top.options(Head, SECTIONS, homes())
        known = [*SECTIONS, *options_of(Head)]
        for key, example in SECTIONS.items():
            if key not in OPTIONAL and not top.has(key, known):
                complaints.add(top.place, f"a spec needs {key}, for example {key}: {example}")
        dataset, data = self._dataset(top)
        kind, protocol, section = self._protocol(top)
        written = self._open(top, "fit")
        # Without `fit` the defaults, for methods that need none.
        fit = written or replace(top, what="fit", nodes={})
        settings = fit.make(FitSettings, fit.values(FitSettings, (), homes())) or FitSettings()
        listed = top.nodes.get("algorithms")
        before = len(complaints)
        entries = read_entries(listed, fit, settings) if listed else ()
        if written or not top.has("fit", known):  # else `fit` itself was complained about
            check_required(entries, fit)
        complete = len(entries) > 0 and len(complaints) == before
        others = {key: top.nodes[key] for key in ("algorithms", "dataset") if key in top.nodes}
        about = replace(section, nodes={**section.nodes, **others}) if section and listed else top
        if dataset and protocol:
            check_possible(dataset, protocol, about, entries if complete else ())
        else:
            check_rest(data, section, kind)
        alternatives = self._alternatives(top)
        check_words(top, dataset, kind)
        if protocol and complete:
            check_inferred(top, protocol, entries)
        if len(complaints) or head is None or dataset is None or protocol is None:  # None only after one
            raise complaints.error()
        metrics = protocol.usual_metrics if head.metrics is None else head.metrics
        return Spec(
            **vars(head) | {"title": head.title or self._name, "metrics": metrics},
            name=self._name,
            path=self._path,
            dataset=dataset,
            protocol=protocol,
            entries=entries,
            alternatives=alternatives,
            places=about.place_of,
        )

    def _open(self, top: Section, key: str) -> Section | None:
        """The mapping under a key of the spec, None where there is none."""
        return open_section(top.nodes.get(key), key, SECTIONS[key], self._complaints)

    def _alternatives(self, top: Section) -> dict[str, tuple[Any, ...]]:
        """What `nmfrepro calibrate` tries for settings that the paper does not state, by dotted key."""
        section = self._open(top, "alternatives")
        found = {}
        for key, node in section.nodes.items() if section else ():
            if node.items:
                found[key] = tuple(node.plain)
            elif node.value is not BROKEN:
                self._complaints.add(node.place, f"alternatives of {key} must be a list, as [1, 10, 100]")
        return found

    def _dataset(self, top: Section) -> tuple[DatasetOptions | None, Section | None]:
        """The dataset with its defaults filled in, and where it is written; no data is read."""
        node = top.nodes.get("dataset")
        section = open_section(node and node.as_mapping, "dataset", SECTIONS["dataset"], self._complaints)
        options = section.options(DatasetOptions, (), homes()) if section else None
        found = None
        if options and section:
            with self._complaints.noting(section.place_of):
                found = self._located(datasets.resolve(options), section, "file", "labels_file")
        return found, section

    def _located(self, options: T, section: Section, *keys: str) -> T | None:
        """The options with paths relative to the spec, where they were written in it; they must exist."""
        for key in keys:
            node, written = section.nodes.get(key), getattr(options, key)
            if node is None or written is None:
                continue
            path = Path(os.path.expanduser(written))
            path = self._path.parent / path if node.place.line else path
            if not exists(path):
                near = similar(path, {path.suffix.lower(), *datasets.ENDINGS})
                hint = f"; did you mean {near}?" if near else ""
                self._complaints.add(node.place, f"{key} {path}: there is no such file or folder{hint}")
                return None
            changed: dict[str, Any] = {key: str(path)}
            options = replace(options, **changed)
        return options

    def _protocol(self, top: Section) -> tuple[type[Protocol] | None, Protocol | None, Section | None]:
        """The protocol's class, as what it is made, and where it is written."""
        section = self._open(top, "protocol")
        if section is None:
            return None, None, None
        kind = section.nodes.get("kind")
        if kind is None:
            known = ", ".join(protocols.registry())
            self._complaints.add(section.place, f"protocol needs its kind; allowed: {known}")
            return None, None, section
        if kind.value is BROKEN:
            return None, None, section
        try:
            cls = protocols.get(str(kind.plain))
        except SpecError as error:
            self._complaints.add(kind.place, error)
            if not (meant := closest(str(kind.plain), protocols.registry())):
                section.values(Protocol, ("kind", *_kinds()), {})  # tells of keys that no protocol has
                return None, None, section
            cls = protocols.get(meant)  # the rest is read as of that
        section = replace(section, what=f"protocol {cls.kind}")
        elsewhere = {key: home for key, home in homes().items() if home != "protocol"}
        protocol = section.options(cls, ("kind",), _kinds() | elsewhere)
        return cls, protocol and self._located(protocol, section, *cls.paths), section
