"""`nmfrepro` as its users meet it: with the entry point's own messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from nmfrepro import cli


class Outcome(NamedTuple):
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """The entry point, in this process."""

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["nmfrepro", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Outcome(int(str(ended.value.code)), *capfd.readouterr())

    return call
