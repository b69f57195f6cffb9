"""What tests of runs share."""

from __future__ import annotations

import pytest
from tiny import run_here


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials are run right here, for tests of what is run and kept."""
    monkeypatch.setattr("nmfrepro.runs.execute.run_trials", run_here)
