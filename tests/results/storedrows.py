"""Rows and a run of one column, for tests of the results folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from nmfrepro.core.typed import from_json
from nmfrepro.protocols.clustering import Clustering
from nmfrepro.results.record import RunRecord, TrialRecord
from nmfrepro.results.store import Store
from nmfrepro.results.times import Times

COLUMNS = ("key", "k", "draw", "algorithm", "label", "parameters", "seed", "fit_seed", "status", "error")


COLUMNS += ("n_iter", "converged", "restart", "objective", "notes", "classes", *Clustering.metrics, "version")


KEYS = [f"{number:016x}" for number in range(10, 16)]


def make_run(keys: list[str] = KEYS, label: str = "NMF", **changes: Any) -> RunRecord:
    """What a run of one column says."""
    return from_json(RunRecord, run_json(keys, label, **changes))


def run_json(keys: list[str] = KEYS, label: str = "NMF", **changes: Any) -> dict[str, Any]:
    """A run.json for one column, without digests of rows; `spec` changes parts of the spec in it."""
    spec = {
        "name": "x",
        "title": "X",
        "protocol": {"clusters": [2, 3]},
        "algorithms": [{"label": label, "algorithm": "nmf", "parameters": {}, "fit": {}}],
        "metrics": ["accuracy"],
    } | changes.pop("spec", {})
    return {
        "schema": 1,
        "kind": "clustering",
        "coordinates": ["k", "draw"],
        "cells": [{"k": 2, "draw": int(key, 16) - 10} for key in keys],
        "spec": spec,
        "dataset": {"name": "x", "origin": "x.mat", "sha256": "0", "n": 6, "m": 4, "classes": 2},
        "environment": {"nmfrepro": "0.1.0", "processor": "here"},
        "trials": keys,
    } | changes


def make_cells(key: str, accuracy: str = "0.5", **changes: str) -> dict[str, str]:
    """The row of a trial."""
    row = {"key": key, "k": "2", "draw": str(int(key, 16) - 10), "algorithm": "nmf", "label": "NMF"}
    row |= {"parameters": '{"mu":0.1,"w":"a"}', "fit_seed": "9223372036854775807", "status": "ok"}
    return (
        row
        | {"n_iter": "30", "converged": "1", "objective": "1.5e-07", "accuracy": accuracy, "version": "0.1.0"}
        | changes
    )


def make_row(key: str, accuracy: str = "0.5", arrays: str = "", **changes: str) -> TrialRecord:
    """The record of a trial."""
    times = Times(key, 1.0)
    return replace(TrialRecord.from_row(make_cells(key, accuracy, **changes)), times=times)


FAILED = {
    "status": "failed",
    "error": 'it said "no", twice',
    "n_iter": "",
    "converged": "",
    "objective": "",
    "accuracy": "",
}


def fill(folder: Path, keys: list[str] = KEYS, run: RunRecord | None = None) -> bytes:
    """Run some trials; the content of trials.csv."""
    with Store(folder, run or make_run(), COLUMNS) as opened:
        todo = [key for key in keys if key not in opened.rows]
        opened.release(todo)
        for key in todo:
            opened.add(make_row(key))
        opened.tidy()
    return (folder / "trials.csv").read_bytes()
