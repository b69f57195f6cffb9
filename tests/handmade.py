"""Results folders made by hand: any scores, in the files that a run would have written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nmfrepro.results import folder as store
from nmfrepro.results import lines as journal
from nmfrepro.results.record import REQUIRED, ColumnRecord, RunRecord

Score = float | None | str  # a fraction; None: not run; text: failed, and why
# What a run.json says of its protocol, by kind, beside what has a default.
PROTOCOLS: dict[str, dict[str, Any]] = {
    "clustering": {"clusters": [2, 4, 40], "assign": "argmax"},
    "recognition": {"train": [2], "dimensions": [2]},
}
CHARACTERS = {"orl": (400, 1024, 40), "mnist": (4000, 784, 10)}


def with_columns(run: RunRecord, columns: Iterable[ColumnRecord]) -> RunRecord:
    """The run with other columns."""
    return replace(run, spec=replace(run.spec, algorithms=tuple(columns)))


def write_results(
    folder: Path,
    scores: Callable[[str, dict[str, int]], Score | dict[str, Score]],
    *,
    columns: Sequence[tuple[str, str]] = (("NMF", "nmf"), ("NLCF", "nlcf")),
    cells: Sequence[dict[str, int]] | None = None,
    metrics: Sequence[str] = ("accuracy",),
    kind: str = "clustering",
    dataset: str = "orl",
    published: str | None = None,
    rows: Sequence[dict[str, str]] = (),
    spec: Mapping[str, Any] = MappingProxyType({}),
    **extra: Any,
) -> store.Results:
    """Write a results folder and read it back.

    Parameters
    ----------
    scores : callable
        Given a label and coordinates: the first metric, or all of them by name.
    columns : sequence of (label, algorithm)
    cells : sequence of dict
        Coordinates; k = 2 and 4 with three draws, and 40 with one, by default.
    rows : sequence of dict
        Changes to the rows in plan order, or new rows behind them.
    spec : mapping
        Changes to the spec in run.json.
    extra
        Changes to run.json; `title` and `name` are what the spec in it says.
    """
    cells = cells or [{"k": k, "draw": draw} for k, n in ((2, 3), (4, 3), (40, 1)) for draw in range(n)]
    coordinates = list(cells[0])
    keys, lines = [], []
    for cell in cells:
        for label, algorithm in columns:
            keys.append(f"{len(keys):016x}")
            given = scores(label, cell)
            values = given if isinstance(given, dict) else {metrics[0]: given}
            first = next(iter(values.values()))
            if first is None:
                continue
            line = {name: str(value) for name, value in cell.items()}
            line |= {"key": keys[-1], "algorithm": algorithm, "label": label, "parameters": "{}", "seed": "1"}
            if isinstance(first, str):
                line |= {"status": "failed", "error": first}
            else:
                line |= {"status": "ok", "n_iter": "300", "converged": "0"}
                line |= {name: "" if v is None or v != v else repr(v) for name, v in values.items()}
            lines.append(line)
    for position, change in enumerate(rows):
        if position < len(lines):
            lines[position] |= change
        else:
            lines.append(change)
    n, m, classes = CHARACTERS[dataset]
    run = {
        "schema": 1,  # without digests of rows, as the first versions wrote it
        "kind": kind,
        "coordinates": coordinates,
        "spec": {
            "name": extra.pop("name", folder.name),
            "title": extra.pop("title", "A table"),
            "published": published,
            "metrics": list(metrics),
            "algorithms": [
                {"label": label, "algorithm": algorithm, "parameters": {}, "fit": {}}
                for label, algorithm in columns
            ],
            "protocol": PROTOCOLS.get(kind, {}),
            "dataset": {"scale": "grey"},
            "seed": 1,
        }
        | spec,
        "dataset": {
            "name": dataset,
            "source": "crop",
            "origin": f"{dataset}.mat",
            "sha256": "0123456789abcdef" * 4,
            "n": n,
            "m": m,
            "classes": classes,
            "credit": "",
            "notes": [],
        },
        "environment": {"nmfrepro": "0.1.0", "commit": None, "processor": "a processor"},
        "cells": list(cells),
        "trials": keys,
    } | extra
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    header = (*REQUIRED, *coordinates, *metrics)
    (folder / "trials.csv").write_text(journal.format_rows(header, lines), encoding="utf-8")
    return store.read(folder)
