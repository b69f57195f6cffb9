"""What all tests have: no deadlines on a shared machine, no plug-in in use, no waiting for a disk."""

from __future__ import annotations

import os

import hypothesis
import pytest
from tiny import run_here

from nmfrepro.registry import plugins

# On a busy machine it may take more than the second that hypothesis allows to draw its first ten inputs.
hypothesis.settings.register_profile(
    "shared machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared machine")


@pytest.fixture(autouse=True)
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test cuts the power, and to bring every small file to disk takes minutes on a busy one."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plug-in is in use; those of a test are none of the next."""
    monkeypatch.setenv(plugins.VARIABLE, "")


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials are run right here, for tests of what is run and kept."""
    for module in ("execute", "verify"):
        monkeypatch.setattr(f"nmfrepro.runs.{module}.run_trials", run_here)
