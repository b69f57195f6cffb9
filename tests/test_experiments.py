"""The specs in experiments/: one for every published table and figure, each valid and runnable."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nmfrepro import papers
from nmfrepro.core.errors import DataError
from nmfrepro.core.typed import from_json, to_json
from nmfrepro.results.record import SpecRecord
from nmfrepro.runs import prepare
from nmfrepro.runs.record import spec_record
from nmfrepro.spec.reader import read_spec

FOLDER = Path(__file__).parents[1] / "experiments"
FILES = sorted(FOLDER.glob("*.yaml"))

needs_data = pytest.mark.skipif("NMFREPRO_DATA" not in os.environ, reason="NMFREPRO_DATA names no datasets")


def names(paths):
    return [path.stem for path in paths]


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_a_spec_is_valid_says_what_it_chose_and_can_be_recorded(path):
    spec = read_spec(path)
    assert spec.title != spec.name
    text = path.read_text(encoding="utf-8")
    assert path.stem == "digits_smoke" or "Chosen" in text
    assert all(entry.algorithm.cites for entry in spec.entries)
    written = spec_record(spec)
    assert from_json(SpecRecord, json.loads(json.dumps(to_json(written), allow_nan=False))) == written


def test_every_published_table_is_compared_in_one_experiment():
    compared = [name for path in FILES if (name := read_spec(path).published)]
    # Table VIII is drawn from the same runs as Tables V to VII.
    assert sorted([*compared, "nlcf/table8_sparseness"]) == sorted(papers.names())


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_smoke_is_small(path):
    spec = read_spec(path, smoke=True)
    assert spec.name == f"{path.stem}-smoke"
    assert len(spec.entries) * sum(1 for _ in spec.protocol.cells(100)) <= 80
    assert all(entry.fit.max_iter * entry.fit.restarts <= 40 for entry in spec.entries)


def run_one_cell(name):
    """The outcomes of the first cell of a smoke run, one for each column, without worker processes."""
    prepared = prepare(read_spec(FOLDER / f"{name}.yaml", smoke=True))
    first = prepared.plan[: len(prepared.spec.entries)]
    with threadpool_limits(1):
        return [prepared.spec.protocol.run(trial, prepared.samples) for trial in first]


@pytest.mark.parametrize("name", ["digits_smoke", "digits_rank", "toy_nlcf_overcomplete", "toy_ldsnmf_rank"])
def test_experiments_without_files_run(name):
    for outcome in run_one_cell(name):
        assert any(np.isfinite(value) for value in outcome.metrics.values())


@needs_data
@pytest.mark.parametrize(
    "name",
    ["orl_nlcf", "yale_cnmf", "umist_2dnmf", "orl_2dnmf_runtime", "orl_tnmf_convergence", "jaffe_ldsnmf"],
)
def test_experiments_on_real_data_run(name):
    for outcome in run_one_cell(name):
        assert np.isfinite(outcome.objective)


@pytest.mark.parametrize("name", ["caltech101_tnmf", "corel_cnmf"])
def test_data_that_cannot_be_had_is_refused_in_one_line(name, tmp_path):
    with pytest.raises(DataError, match="is not here") as refusal:
        prepare(read_spec(FOLDER / f"{name}.yaml"), tmp_path)
    assert "\n" not in str(refusal.value)
