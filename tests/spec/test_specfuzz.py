"""The spec reader on whatever bytes come: a `Spec` or a `SpecError`, never anything else."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st

from nmfrepro import algorithms, datasets, protocols
from nmfrepro.core.errors import SpecError
from nmfrepro.core.options import options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.core.typed import to_json
from nmfrepro.datasets import DatasetOptions
from nmfrepro.runs.record import spec_record
from nmfrepro.spec import Head
from nmfrepro.spec.reader import SECTIONS, read_spec

VALID = b"""\
# comment
title: NLCF on ORL
published: nlcf/table5_orl
dataset: {name: orl, size: 32x32, scale: grey}
protocol:
  kind: clustering
  clusters: [2, 4, 8]
  repeats: 10
  assign: {kmeans: {restarts: 20}}
fit: {restarts: 10, max_iter: 2000, tol: 1e-5, inner: {U: 2, V: 10}}
algorithms:
  - kmeans
  - {name: nmf, as: "M\\u00fcller's"}
  - {name: nlcf, mu: {sweep: [1e-2, 0.1, 1]}, fit: {max_iter: 100}}
  - {name: tnmf, lam: 1, fit: {tol: 0}}
  - name: nlcf_g
    mu: 0.1
    lam: 1
    neighbors: 5
metrics: [accuracy, nmi]
keep: [labels]
timeout: 600
inferred: [nlcf_g.lam]
seed: 2013
"""

SPLITS = b"""\
dataset: {name: yale, subjects: 5}
protocol:
  kind: recognition
  train: [2, 3]
  dimensions: [2, 4]
  repeats: 2
  validation: true
  classifiers: [nn, svm]
  scan: {mu: [0.1, 1]}
fit: {restarts: 1, max_iter: 20, tol: 0}
algorithms: [nmf, {name: nlcf, mu: 0.1}, {name: twodnmf, fit: {order: VU}}]
seed: 1
"""

KEYS = sorted(
    {
        *options_of(Head),
        *SECTIONS,
        "name",
        "as",
        "kind",
        "sweep",
        "kmeans",
        "restarts",
        "U",
        "V",
        "nonsense",
        "<<",
        "file",
    }
    | {key for cls in (FitSettings, DatasetOptions) for key in options_of(cls)}
    | {key for cls in protocols.registry().values() for key in options_of(cls)}
    | {key for cls in algorithms.registry().values() for key in options_of(cls)}
)
TEXT = """
32x32 64x64 grey l2 argmax kmeans auto UV VU float32 10% balanced crop binary unit nnls allow svm ~ . / ../..
nlcf/table5_orl accuracy labels s.yaml nlcf.mu on off null true false None -1 0 1 2 3 40 41 0.1 1000000000000
1e-5 1E-04 010 1:30 .nan .inf -.inf 1_0 0x1F -0.0 1e999 999999999999999999999 ½ １２ \ud7ff \U0001f600
'quoted' "double" "a\\nb" 'unclosed &a *a !!int !x %x @x #c
"""
WORDS = [
    *algorithms.registry(),
    *datasets.registry(),
    *protocols.registry(),
    *TEXT.split(),
    *("", "- a", "? a", "| x", "> y", "&a x", "!!int 5", "[", "}"),
]
SCALARS = st.sampled_from(WORDS) | st.integers(-5, 50).map(str) | st.floats().map(repr) | st.text(max_size=8)
NODES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(st.sampled_from(KEYS), inner), max_size=5).map(
            lambda pairs: f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
        )
    ),
    max_leaves=12,
)
PIECES = [
    *(f"{key}: ".encode() for key in KEYS),
    *(word.encode() for word in WORDS),
    *(b"\t", b"\r", b"\n", b"  ", b"[", b"]", b"{", b"}", b": ", b", ", b"- ", b"'", b'"', b"\\", b"---\n"),
    *(
        b"...\n",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xfc",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\x07",
        b"\\U",
    ),
]


BASES = st.sampled_from([VALID, SPLITS])
LINES = [*VALID.splitlines(keepends=True), *SPLITS.splitlines(keepends=True)]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid spec after a few cuts, insertions, moved and repeated lines."""
    data = draw(BASES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 4)):
            case 0:
                data = data[:at] + data[at + draw(st.integers(1, 40)) :]
            case 1:
                data = data[:at] + draw(st.sampled_from(PIECES)) + data[at:]
            case 2:
                data = data[:at] + draw(st.sampled_from(PIECES)) + data[at + draw(st.integers(1, 12)) :]
            case 3:
                data = data[:at] + draw(st.sampled_from(LINES)) + data[at:]
            case _:
                data = data[:at] + draw(st.binary(max_size=4)) + data[at:]
    return data


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A valid spec with other values under some keys."""
    lines = []
    for line in draw(BASES).splitlines(keepends=True):
        key, colon, _ = line.partition(b": ")
        if colon and draw(st.integers(0, 5)) == 0:
            line = key + b": " + draw(NODES).encode("utf-8", "surrogatepass") + b"\n"
        lines.append(line)
    return b"".join(lines)


OVERRIDES = st.lists(
    st.tuples(
        st.lists(st.sampled_from([*KEYS, *algorithms.registry()]) | st.text(max_size=3), max_size=4), NODES
    ).map(lambda pair: f"{'.'.join(pair[0])}={pair[1]}")
    | st.text(max_size=20),
    max_size=3,
)
FAST = fuzzed(100)


def attempt(data: bytes, overrides: list[str], smoke: bool = False) -> None:
    """Read a spec; it must come out whole, or be refused in clean lines."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.yaml"
        path.write_bytes(data)
        try:
            spec = read_spec(path, overrides, smoke)
        except SpecError as error:
            lines = str(error).splitlines()
            assert 0 < len(lines) <= 51
            for line in lines:
                assert line.startswith((str(path), "overrides: ", "… and ")), line
                assert len(line) < 3000
                line.encode()
        else:
            content = to_json(spec_record(spec))
            assert json.loads(json.dumps(content, allow_nan=False)) == content
            assert len({entry.label for entry in spec.entries}) == len(spec.entries) > 0


@FAST
@given(st.binary(max_size=200), st.just([]))
@example(b"\xff", [])
@example(VALID, [])
def test_any_bytes(data: bytes, overrides: list[str]) -> None:
    attempt(data, overrides)


@FAST
@given(NODES | st.text(max_size=60))
def test_any_text(text: str) -> None:
    attempt(text.encode("utf-8", "surrogatepass"), [])


@FAST
@given(damaged())
def test_a_damaged_spec(data: bytes) -> None:
    attempt(data, [])


@FAST
@given(changed(), st.booleans())
def test_other_values(data: bytes, smoke: bool) -> None:
    attempt(data, [], smoke)


@FAST
@given(BASES, OVERRIDES)
def test_any_overrides(data: bytes, overrides: list[str]) -> None:
    attempt(data, overrides)


@pytest.mark.parametrize("data", [VALID, SPLITS])
def test_what_the_fuzz_starts_from_is_valid(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    read_spec(path)


@pytest.mark.parametrize("share", ["²", "²%", "⑤"])
def test_a_superscript_is_no_share(share: str) -> None:
    """Found by the long run: ``"²".isdigit()`` holds, ``int("²")`` fails."""
    attempt(VALID.replace(b"repeats: 10", f"labelled: {share}".encode()), [])
