"""What the phases of a trial are timed by: the processor, as the axis of a picture says."""

import time

import pytest

from nmfrepro import algorithms, protocols
from nmfrepro.core.options import build, options_of
from nmfrepro.core.problem import FitSettings
from nmfrepro.protocols import Task

GIVEN = {"clusters": [2], "train": [4], "dimensions": [2], "ranks": [2], "images": 4, "starts": 2}


@pytest.mark.parametrize("kind", protocols.registry())
def test_phases_are_timed_by_the_processor(samples, monkeypatch, kind):
    cls = protocols.get(kind)
    known = options_of(cls)
    given = {name: value for name, value in GIVEN.items() if name in known}
    given = {name: [value] if known[name].item and value == 4 else value for name, value in given.items()}
    protocol = build(cls, given | {"repeats": 1}, kind)
    monkeypatch.setattr(time, "process_time", iter(range(10**6)).__next__)  # a second at every look
    monkeypatch.setattr(time, "perf_counter", iter(range(0, 10**9, 1000)).__next__)
    (at, *_) = protocol.cells(samples.n_classes)
    outcome = protocol.run(Task(at, algorithms.get("nmf")(), FitSettings(max_iter=5), 1), samples)
    assert 0 < outcome.seconds["fit"] < 1000
