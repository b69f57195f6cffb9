"""The specs in experiments/: one for every published table and figure, each valid and runnable."""

import os
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nmfrepro import papers
from nmfrepro.core.errors import DataError
from nmfrepro.results.folder import read_run
from nmfrepro.runs import prepare
from nmfrepro.spec.reader import read_spec

FOLDER = Path(__file__).parents[1] / "experiments"
FILES = sorted(FOLDER.glob("*.yaml"))
REFERENCE = sorted(path.parent for path in FOLDER.parent.glob("results/reference/*/run.json"))

# Paper by paper: the file for each table and figure.
WANTED = {
    "NLCF": """
        orl_nlcf mnist_nlcf yale_nlcf
        orl_nlcf_mu mnist_nlcf_mu yale_nlcf_mu
        orl_nlcf_basis toy_nlcf_overcomplete
        orl_nlcf_convergence mnist_nlcf_convergence yale_nlcf_convergence
    """,
    "TNMF": """
        orl_tnmf caltech101_tnmf yale_tnmf orl_tnmf_runtime
        orl_tnmf_basis orl_tnmf_lambda orl_tnmf_convergence caltech101_tnmf_convergence
    """,
    "2DNMF": """
        orl_2dnmf umist_2dnmf coil20_2dnmf
        orl_2dnmf_convergence umist_2dnmf_convergence coil20_2dnmf_convergence
        orl_2dnmf_runtime umist_2dnmf_runtime coil20_2dnmf_runtime
    """,
    "LDS-NMF": """
        ar_ldsnmf yaleb_ldsnmf coil20_ldsnmf jaffe_ldsnmf yaleb_ldsnmf_basis toy_ldsnmf_rank
    """,
    "CNMF": """
        orl_cnmf yale_cnmf corel_cnmf caltech101_cnmf orl_cnmf_basis
        orl_cnmf_convergence yale_cnmf_convergence corel_cnmf_convergence caltech101_cnmf_convergence
    """,
    "none": """
        digits_smoke digits_rank
    """,
}

# Published tables of which numbers survive, and the experiment that is compared with each.
PUBLISHED = {
    "gnmf/demo_coil20": "coil20_gnmf",
    "nlcf/table5_orl": "orl_nlcf",
    "nlcf/table6_mnist": "mnist_nlcf",
    "nlcf/table7_yale": "yale_nlcf",
    "tnmf/table1_orl": "orl_tnmf",
    "tnmf/table2_caltech101": "caltech101_tnmf",
    "tnmf/table4_runtime": "orl_tnmf_runtime",
    "twodnmf/table1_orl": "orl_2dnmf",
    "twodnmf/table1_umist": "umist_2dnmf",
    "twodnmf/table1_coil20": "coil20_2dnmf",
    "ldsnmf/table1_ar": "ar_ldsnmf",
    "ldsnmf/table2_yaleb": "yaleb_ldsnmf",
    "tnmf/table3_yale": "yale_tnmf",
    "cnmf/table4_orl": "orl_cnmf",
    "cnmf/table6_corel": "corel_cnmf",
    "cnmf/table7_caltech101": "caltech101_cnmf",
}

needs_data = pytest.mark.skipif("NMFREPRO_DATA" not in os.environ, reason="NMFREPRO_DATA names no datasets")


def names(paths):
    return [path.stem for path in paths]


def test_every_table_and_figure_has_its_file():
    wanted = {name for files in WANTED.values() for name in files.split()}
    assert wanted <= set(names(FILES))


@pytest.mark.parametrize("path", FILES, ids=names(FILES))
def test_spec_is_valid_and_says_what_it_chose(path):
    spec = read_spec(path)
    assert spec.title != spec.name
    text = path.read_text(encoding="utf-8")
    assert path.stem == "digits_smoke" or "Chosen" in text
    assert all(entry.algorithm.cites for entry in spec.entries)
    if spec.published:
        assert PUBLISHED[spec.published] == spec.name


def test_every_published_table_is_compared():
    # Table VIII is drawn from the same runs as Tables V to VII.
    assert set(PUBLISHED) | {"nlcf/table8_sparseness"} == set(papers.names())
    assert {read_spec(FOLDER / f"{name}.yaml").published for name in PUBLISHED.values()} == set(PUBLISHED)


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


@needs_data
@pytest.mark.parametrize("folder", REFERENCE, ids=lambda folder: folder.name)
def test_the_study_need_not_be_made_again(folder):
    """Today's keys are those of the rows in results/reference: nothing that decides a number has changed."""
    made = read_run(folder)
    spec = read_spec(FOLDER / f"{made.name}.yaml", made.overrides)
    try:
        plan = prepare(spec).plan
    except DataError as error:
        pytest.skip(str(error))
    assert {trial.key for trial in plan} == set(made.trials)
