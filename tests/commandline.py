"""The command line, in this process and in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from click.testing import CliRunner, Result

from nmfrepro.cli import group
from nmfrepro.core.errors import NmfreproError


def invoke(*arguments: object, **options: str) -> Result:
    """The command line in this process; of our own errors the exit code is 2, as `main` has it."""
    result = CliRunner().invoke(group, [*map(str, arguments)], **options)
    if isinstance(result.exception, NmfreproError):
        result.exit_code = 2
    return result


def nmfrepro(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, where its output is no terminal."""
    return subprocess.run(
        [sys.executable, "-m", "nmfrepro", *map(str, arguments)],
        env=os.environ | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
