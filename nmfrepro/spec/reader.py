"""From a YAML file to a `Spec`: everything checked before any work, all mistakes told at once."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .. import datasets, protocols
from ..core.errors import SpecError
from ..core.options import option, options_of
from ..core.problem import FitSettings
from ..datasets import DatasetOptions
from ..protocols import Protocol
from . import SMOKE, Spec
from .checks import check_possible, check_words
from .complaints import Complaints, Place
from .entries import GlobalFit, named_items, read_entries
from .files import exists, find_spec, spec_name
from .overrides import apply_overrides, with_alternative
from .sections import Section, open_section, read_options, read_values
from .yamltree import Broken, Mapping, Node, Pair, Scalar, Sequence, plain, read_tree

__all__ = ["Head", "check_alternatives", "find_spec", "read_spec", "resolved"]

SECTIONS = {
    "dataset": "{name: orl, size: 32x32}",
    "protocol": "{kind: clustering, clusters: [2, 4, 8]}",
    "fit": "{restarts: 10, max_iter: 2000, tol: 0}",
    "algorithms": "[nmf, {name: nlcf, mu: 0.1}]",
    "alternatives": "{fit.max_iter: [100, 300], algorithms.gnmf.lam: [1, 10, 100]}",
}
OPTIONAL = {"fit", "alternatives"}
SMOKE_RESTARTS, SMOKE_MAX_ITER = 2, 20


@dataclass(frozen=True)
class Head:
    """The keys of a spec that hold a single value or a list."""

    title: str | None = option(None, help="heading of tables and pages; the file's name where it is left out")
    published: str | None = option(
        None, help="the published table to compare with, see `nmfrepro list published`"
    )
    seed: int = option(low=0, help="names all random streams")
    metrics: tuple[str, ...] | None = option(
        None, help="what tables show, see `nmfrepro list metrics`; the protocol's usual ones where left out"
    )
    keep: tuple[str, ...] = option(
        (), choices=("labels", "trace", "factors"), help="what is stored of every trial besides its row"
    )
    timeout: float | None = option(None, low=0, open_low=True, help="seconds that a single trial may take")
    inferred: tuple[str, ...] = option(
        (),
        help="settings found by calibration, not stated: nlcf_g.lam, fit.max_iter, gnmf.fit.max_iter",
    )


def read_spec(path: Path | str, overrides: Iterable[str] = (), smoke: bool = False) -> Spec:
    """Read and check a spec.

    Parameters
    ----------
    path : path-like
        A YAML file; relative paths in it are relative to it.
    overrides : iterable of str
        ``key=value`` with dotted keys, as given to ``--set``; paths are relative to the working directory.
    smoke : bool
        Shrink everything to seconds; the name gets "-smoke".

    Returns
    -------
    Spec

    Raises
    ------
    SpecError
        With all mistakes of the file, a line each: ``file:line:column: what, what is allowed``.
    """
    path, overrides, complaints = Path(path), tuple(overrides), Complaints()
    try:
        name = spec_name(path)
    except SpecError as error:
        name = ""
        complaints.add(Place(str(path)), str(error).removeprefix(f"{path}: "))
    tree = apply_overrides(read_tree(path, complaints), overrides, complaints)
    spec = replace(_Reader(path, name, complaints).spec(tree), overrides=overrides)
    return _shrunk(spec) if smoke else spec


def check_alternatives(spec: Spec) -> None:
    """Raise where a spec could not be run with one of its alternatives in place.

    Not a part of `read_spec`, since it reads the spec once more for every alternative.

    Raises
    ------
    SpecError
        With all mistakes, a line each, at the place of the alternative.
    """
    if not spec.alternatives:
        return
    complaints = Complaints()
    tree = apply_overrides(read_tree(spec.path, complaints), spec.overrides, complaints)
    listed = tree.get("alternatives") if isinstance(tree, Mapping) else None
    for pair in listed.pairs if isinstance(listed, Mapping) else ():
        for value in pair.value.items if isinstance(pair.value, Sequence) else ():
            tried = Complaints()
            try:
                _Reader(spec.path, spec.name, tried).spec(with_alternative(tree, pair, value))
            except SpecError as error:
                if not len(tried):
                    complaints.add(pair.place, str(error))
                complaints.take(tried)
    complaints.raise_if_any()


def _shrunk(spec: Spec) -> Spec:
    """The spec as `--smoke` runs it."""
    entries = [
        replace(
            entry,
            fit=replace(
                entry.fit,
                restarts=min(entry.fit.restarts, SMOKE_RESTARTS),
                max_iter=min(entry.fit.max_iter, SMOKE_MAX_ITER),
            ),
        )
        for entry in spec.entries
    ]
    protocol = spec.protocol.smoke()
    return replace(spec, name=f"{spec.name}{SMOKE}", protocol=protocol, entries=tuple(entries))


@functools.cache
def homes() -> dict[str, str]:
    """The section that every key belongs to, to help with one that stands in another."""
    found = {"as": "algorithms", "kind": "protocol"}
    sections: list[tuple[str, type]] = [
        ("the top level", Head),
        ("dataset", DatasetOptions),
        ("fit", FitSettings),
    ]
    for section, cls in [*sections, *(("protocol", each) for each in protocols.registry().values())]:
        found |= dict.fromkeys(options_of(cls), section)
    return found


class _Reader:
    """Reads the sections of one spec, collecting complaints."""

    def __init__(self, path: Path, name: str, complaints: Complaints) -> None:
        self._path, self._name, self._complaints = path, name, complaints

    def spec(self, tree: Node) -> Spec:
        """The spec, or all complaints as one error."""
        top = open_section(tree, "a spec", f"dataset: {SECTIONS['dataset']}", self._complaints)
        if top is None:
            raise self._complaints.error()
        head = read_options(Head, top, self._complaints, SECTIONS, homes())
        for key, example in SECTIONS.items():
            if key not in OPTIONAL and top.find(key) is None:
                self._complaints.add(top.place, f"a spec needs {key}, for example {key}: {example}")
        dataset = self._dataset(top.find("dataset"))
        protocol, section = self._protocol(top.find("protocol"))
        listed = top.find("algorithms")
        fit = self._fit(top)
        entries = read_entries(listed.value, fit, self._complaints) if listed else ()
        if dataset and protocol and section and entries:
            about = replace(section, pairs=section.pairs + named_items(listed.value if listed else tree))
            check_possible(dataset, protocol, about, entries, self._complaints)
        alternatives = self._alternatives(top.find("alternatives"))
        check_words(top, dataset, protocol, entries, self._complaints)
        self._complaints.raise_if_any()
        # None only after a complaint
        assert head is not None
        assert dataset is not None
        assert protocol is not None
        metrics = protocol.shown if head.metrics is None else head.metrics
        return Spec(
            name=self._name,
            path=self._path,
            title=head.title or self._name,
            published=head.published,
            dataset=dataset,
            protocol=protocol,
            entries=entries,
            seed=head.seed,
            metrics=metrics,
            keep=head.keep,
            timeout=head.timeout,
            inferred=head.inferred,
            alternatives=alternatives,
        )

    def _alternatives(self, pair: Pair | None) -> dict[str, tuple[Any, ...]]:
        """What `nmfrepro calibrate` tries for settings that the paper does not state, by dotted key."""
        if pair is None:
            return {}
        section = open_section(
            pair.value, "alternatives", SECTIONS["alternatives"], self._complaints, pair.place
        )
        found = {}
        for each in section.pairs if section else ():
            values = plain(each.value)
            if isinstance(values, list) and values:
                found[each.key] = tuple(values)
            elif not isinstance(each.value, Broken):
                self._complaints.add(
                    each.value.place, f"alternatives of {each.key} must be a list, as [1, 10, 100]"
                )
        return found

    def _dataset(self, pair: Pair | None) -> DatasetOptions | None:
        """The dataset with its defaults filled in; no data is read."""
        if pair is None:
            return None
        node = pair.value
        if isinstance(node, Scalar) and isinstance(node.value, str):
            node = Mapping(node.place, (Pair("name", node.place, node),))
        section = open_section(node, "dataset", SECTIONS["dataset"], self._complaints, pair.place)
        options = read_options(DatasetOptions, section, self._complaints, (), homes()) if section else None
        if options is None or section is None:
            return None
        try:
            resolved = datasets.resolve(options)
        except SpecError as error:
            self._complaints.add(section.place_of(str(error)), str(error))
            return None
        return self._located(resolved, section)

    def _located(self, options: DatasetOptions, section: Section) -> DatasetOptions | None:
        """The options with paths relative to the spec, where they were written in it; they must exist."""
        for key in ("file", "labels_file"):
            pair = section.find(key)
            if pair is None or getattr(options, key) is None:
                continue
            in_spec = pair.value.place.line > 0
            path = self._path.parent / getattr(options, key) if in_spec else Path(getattr(options, key))
            if not exists(path):
                self._complaints.add(pair.value.place, f"{key} {path}: there is no such file or folder")
                return None
            options = (
                replace(options, file=str(path)) if key == "file" else replace(options, labels_file=str(path))
            )
        return options

    def _protocol(self, pair: Pair | None) -> tuple[Protocol | None, Section | None]:
        if pair is None:
            return None, None
        section = open_section(pair.value, "protocol", SECTIONS["protocol"], self._complaints, pair.place)
        if section is None:
            return None, None
        kind = section.find("kind")
        if kind is None:
            known = ", ".join(protocols.registry())
            self._complaints.add(section.place, f"protocol needs its kind; allowed: {known}")
            return None, section
        if isinstance(kind.value, Broken):
            return None, section
        try:
            cls = protocols.get(str(plain(kind.value)))
        except SpecError as error:
            self._complaints.add(kind.value.place, str(error))
            return None, section
        section = replace(section, what=f"protocol {cls.kind}")
        return read_options(cls, section, self._complaints, ("kind",), homes()), section

    def _fit(self, top: Section) -> GlobalFit:
        """The global fit settings; without `fit` the defaults, for methods that need none."""
        pair = top.find("fit")
        section = None
        if pair is not None:
            section = open_section(pair.value, "fit", SECTIONS["fit"], self._complaints, pair.place)
        if section is None:
            return GlobalFit(FitSettings(), Section("fit", pair.place if pair else top.place, ()))
        values = read_values(FitSettings, section, self._complaints, (), homes())
        return GlobalFit(FitSettings(**values), section)


def resolved(spec: Spec) -> dict[str, Any]:
    """A spec with every setting written out, for run.json: text, numbers, lists and dicts only.

    Fit settings that a method does not use are left out.  Equal specs give equal results however they were
    written.
    """
    entries = [
        {
            "label": entry.label,
            "algorithm": entry.algorithm.name,
            "revision": entry.algorithm.revision,
            "parameters": entry.algorithm.parameters,
            "fit": {name: getattr(entry.fit, name) for name in entry.algorithm.fit_settings},
            "sweep": entry.sweep,
        }
        for entry in spec.entries
    ]
    content = {
        "name": spec.name,
        "title": spec.title,
        "published": spec.published,
        "dataset": asdict(spec.dataset),
        "protocol": {"kind": spec.protocol.kind} | asdict(spec.protocol),
        "algorithms": entries,
        "seed": spec.seed,
        "metrics": spec.metrics,
        "keep": spec.keep,
        "timeout": spec.timeout,
        "inferred": spec.inferred,
    }
    plain: dict[str, Any] = json.loads(json.dumps(content, allow_nan=False))  # tuples become lists
    return plain
