"""Content keys: they change with what decides a number, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import TEXT, entry, make_spec, write_data, write_spec

from nmfrepro.algorithms.nlcf import NLCF
from nmfrepro.core.errors import SpecError
from nmfrepro.core.problem import SOLVER_REVISIONS
from nmfrepro.datasets import DatasetOptions
from nmfrepro.runs import prepare
from nmfrepro.runs.plan import canonical, select
from nmfrepro.spec import Spec
from nmfrepro.spec.reader import read_spec


def keys(spec: Spec) -> list[str]:
    """All keys in plan order."""
    return [trial.key for trial in prepare(spec).plan]


def spec_of(folder: Path, *replaced: tuple[str, str]) -> Spec:
    """The text spec with some text replaced."""
    text = TEXT
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return read_spec(write_spec(folder, text))


def test_a_plan_goes_cell_by_cell_with_all_columns(tmp_path: Path) -> None:
    plan = prepare(read_spec(write_spec(tmp_path))).plan
    places = [(*trial.coordinates.values(), trial.label) for trial in plan]
    assert places == [
        (2, 0, "NMF"), (2, 0, "NLCF"), (2, 1, "NMF"), (2, 1, "NLCF"), (3, 0, "NMF"), (3, 0, "NLCF"),
    ]  # fmt: skip
    assert len({trial.key for trial in plan}) == 6
    assert all(len(trial.key) == 16 for trial in plan)


@pytest.mark.parametrize(
    "changes",
    [
        (("seed: 1", "seed: 2"),),
        (("max_iter: 30", "max_iter: 31"),),
        (("restarts: 2", "restarts: 3"),),
        (("tol: 0", "tol: 1e-3"),),
        (("tol: 0", "tol: 0, order: VU"),),
        (("tol: 0", "tol: 0, dtype: float32"),),
        (("tol: 0", "tol: 0, trace_every: 5"),),
        (("tol: 0", "tol: 0, inner: {U: 2, V: 10}"),),
        (("scale: grey", "scale: max"),),
        (("levels: 255", "levels: 300"),),
        (("repeats: 2", "repeats: 2, assign: kmeans"),),
    ],
)
def test_a_setting_of_all_trials_changes_all_keys(
    tmp_path: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    before, after = keys(spec_of(tmp_path)), keys(spec_of(tmp_path, *changes))
    assert len(after) == len(before)
    assert not set(before) & set(after)


def test_restarts_of_the_reader_change_all_keys(tmp_path: Path) -> None:
    once, often = (
        keys(spec_of(tmp_path, ("repeats: 2", f"repeats: 2, assign: {{kmeans: {{restarts: {number}}}}}")))
        for number in (1, 20)
    )
    assert not set(once) & set(often)
    # The word alone is twenty starts, and a key knows that.
    assert keys(spec_of(tmp_path, ("repeats: 2", "repeats: 2, assign: kmeans"))) == often


def test_a_parameter_changes_the_keys_of_its_column_only(tmp_path: Path) -> None:
    before, after = keys(spec_of(tmp_path)), keys(spec_of(tmp_path, ("mu: 0.1", "mu: 0.2")))
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False] * 3


def test_the_revision_of_a_method_changes_the_keys_of_its_column_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = keys(spec_of(tmp_path))
    monkeypatch.setattr(NLCF, "revision", NLCF.revision + 1)
    after = keys(spec_of(tmp_path))
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False] * 3


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_revision_of_the_fast_solver_changes_the_keys_of_its_columns_only(
    dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = ("mu: 0.1", f"mu: 0.1, fit: {{solver: fast, dtype: {dtype}}}")
    before = keys(spec_of(tmp_path, fast))
    for each, number in list(SOLVER_REVISIONS["fast"].items()):
        monkeypatch.setitem(SOLVER_REVISIONS["fast"], each, number + 1)
        after = keys(spec_of(tmp_path, fast))
        assert [old == new for old, new in zip(before, after, strict=True)] == [True, each != dtype] * 3
        monkeypatch.undo()


def test_more_repeats_and_clusters_keep_the_keys_there_were(tmp_path: Path) -> None:
    before = set(keys(spec_of(tmp_path)))
    assert before < set(keys(spec_of(tmp_path, ("repeats: 2", "repeats: 5"))))
    assert before > set(keys(spec_of(tmp_path, ("clusters: [2, 3]", "clusters: [3]"))))


@pytest.mark.parametrize("value", ["1", "1.0", "1e0", "+1.00", "10.0e-1"])
def test_equal_numbers_are_equal_keys_however_they_are_written(tmp_path: Path, value: str) -> None:
    plain = keys(spec_of(tmp_path, ("mu: 0.1", "mu: 1"), ("tol: 0", "tol: 1")))
    assert keys(spec_of(tmp_path, ("mu: 0.1", f"mu: {value}"), ("tol: 0", f"tol: {value}"))) == plain


@pytest.mark.parametrize(
    "changes",
    [
        (("{name: nlcf, mu: 0.1}", "{mu: 1e-1, name: nlcf, as: another name}"),),
        (("[nmf, {name: nlcf, mu: 0.1}]", "[{name: nlcf, mu: 0.1}, nmf]"),),
        (("clusters: [2, 3], repeats: 2", "repeats: 2, clusters: [3, 2]"),),
        (("seed: 1", "seed: 1\ntitle: Another\nkeep: [labels]\ntimeout: 60\nmetrics: [nmi]"),),
        (("{name: nlcf, mu: 0.1}", "{name: nlcf, mu: 0.1, fit: {max_iter: 30}}"),),
        (("tol: 0}", "tol: 0, order: UV, inner: null, dtype: float64, trace_every: 10}"),),
    ],
)
def test_names_order_and_what_decides_no_number_change_no_key(
    tmp_path: Path, changes: tuple[tuple[str, str], ...]
) -> None:
    assert set(keys(spec_of(tmp_path, *changes))) == set(keys(spec_of(tmp_path)))


def test_settings_a_method_does_not_use_change_no_key_of_it(tmp_path: Path) -> None:
    def plan(fit: dict[str, Any]) -> list[str]:
        return keys(make_spec(tmp_path, [entry("kmeans", fit=fit)]))

    assert plan({"max_iter": 5}) == plan({"max_iter": 500})
    assert plan({}) != plan({"dtype": "float32"})


def test_the_data_itself_counts_not_its_file(tmp_path: Path) -> None:
    before = keys(make_spec(tmp_path))
    moved = tmp_path / "elsewhere" / "renamed.npz"
    moved.parent.mkdir()
    moved.write_bytes((tmp_path / "tiny.npz").read_bytes())
    assert keys(make_spec(tmp_path, dataset={"file": str(moved)})) == before
    write_data(tmp_path, seed=1)  # another file under the old name
    assert not set(keys(make_spec(tmp_path))) & set(before)


def test_other_labels_are_other_data(tmp_path: Path) -> None:
    before = keys(make_spec(tmp_path))
    with np.load(tmp_path / "tiny.npz") as old:
        np.savez(tmp_path / "tiny.npz", fea=old["fea"], gnd=np.roll(old["gnd"], 1))
    assert not set(keys(make_spec(tmp_path))) & set(before)


def test_labelled_counts_for_the_methods_that_take_labels_only(tmp_path: Path) -> None:
    def plan(share: str | int) -> list[str]:
        return keys(make_spec(tmp_path, [entry("nmf"), entry("cnmf")], protocol={"labelled": share}))

    assert [old == new for old, new in zip(plan("25%"), plan(3), strict=True)] == [True, False] * 3


def test_a_scale_left_out_is_the_scale_it_stands_for(tmp_path: Path) -> None:
    given = make_spec(tmp_path)
    assert keys(replace(given, dataset=replace(given.dataset, scale=None))) == keys(given)


def test_the_same_work_under_two_labels_is_refused(tmp_path: Path) -> None:
    spec = make_spec(tmp_path, [entry("nlcf", label="a", mu=1), entry("nlcf", label="b", mu=1.0)])
    with pytest.raises(SpecError, match=r"columns 'a' and 'b' are the same method with the same settings"):
        prepare(spec)


def test_keys_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    path = write_spec(tmp_path)
    code = (
        "from pathlib import Path; from nmfrepro.spec.reader import read_spec; "
        "from nmfrepro.runs import prepare; "
        f"print([t.key for t in prepare(read_spec(Path({str(path)!r}))).plan])"
    )
    for seed in ("0", "1"):
        ended = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True
        )
        assert ended.stdout.strip() == str(keys(read_spec(path))), ended.stderr


def test_keys_stay_what_they_are(tmp_path: Path) -> None:
    # Rows on users' disks are found by these.  A change that is meant raises plan.SCHEMA or a revision.
    fea = np.arange(24.0).reshape(6, 4)
    np.savez(tmp_path / "tiny.npz", fea=fea, gnd=[1, 1, 2, 2, 3, 3])
    spec = make_spec(tmp_path, [entry("kmeans")])
    assert keys(spec) == ["757e423b39306710", "2a7592346574ec24", "abf12247c19dc4b9"]
    named = replace(spec, dataset=DatasetOptions(name="digits", scale="grey"))
    assert keys(named)[:2] == ["a4d2b29dbd541ad9", "1c408e17e49a926b"]


def test_rows_in_another_order_are_drawn_and_started_alike(tmp_path: Path) -> None:
    write_data(tmp_path)
    first = prepare(make_spec(tmp_path, [entry("nmf")]))
    with np.load(tmp_path / "tiny.npz") as stored:
        order = np.random.default_rng(1).permutation(len(stored["gnd"]))
        other = {name: stored[name][order] for name in ("fea", "gnd")}
    np.savez(tmp_path / "tiny.npz", **other)
    second = prepare(make_spec(tmp_path, [entry("nmf")]))
    for one, two in zip(first.plan, second.plan, strict=True):
        assert one.key != two.key
        ran = [each.spec.protocol.run(trial, each.samples) for each, trial in ((first, one), (second, two))]
        assert ran[0].classes == ran[1].classes
        assert ran[0].fit_seed == ran[1].fit_seed
    assert [prepared.samples.classes for prepared in (first, second)] == [(1, 2, 3)] * 2


@pytest.mark.parametrize(
    ("only", "labels"),
    [
        ((), ["NMF", "NLCF (mu = 1)", "NLCF [2]"]),
        (("nlcf",), ["NLCF (mu = 1)", "NLCF [2]"]),
        (("NMF", "nlcf [2]"), ["NMF", "NLCF [2]"]),
        (("N?F",), ["NMF"]),
        (("*mu*",), ["NLCF (mu = 1)"]),
    ],
)
def test_only_matches_labels_and_methods(tmp_path: Path, only: tuple[str, ...], labels: list[str]) -> None:
    columns = [entry("nmf"), entry("nlcf", "NLCF (mu = 1)", mu=1), entry("nlcf", "NLCF [2]", mu=2)]
    plan = prepare(make_spec(tmp_path, columns)).plan
    assert list(dict.fromkeys(trial.label for trial in select(plan, only))) == labels


def test_only_that_matches_nothing_names_the_columns(tmp_path: Path) -> None:
    plan = prepare(make_spec(tmp_path)).plan
    with pytest.raises(SpecError, match="only: nlfc matches no column; allowed: NMF"):
        select(plan, ["nlfc"])


def test_the_text_of_a_key_has_one_form() -> None:
    assert canonical({"b": 1.0, "a": (1, None, "ü")}) == '{"a":[1,null,"ü"],"b":1.0}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))
