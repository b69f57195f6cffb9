"""The command line, in this process and in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from click.testing import CliRunner, Result

from nmfrepro.cli import group


def invoke(*arguments: object) -> Result:
    """The command line in this process."""
    return CliRunner().invoke(group, [*map(str, arguments)])


def nmfrepro(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, where its output is no terminal."""
    return subprocess.run(
        [sys.executable, "-m", "nmfrepro", *map(str, arguments)],
        env=os.environ | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
