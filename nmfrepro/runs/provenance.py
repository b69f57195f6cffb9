"""With what a result was made: versions, processor, BLAS, commit."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from .. import __version__
from ..registry import plugins
from ..results.record import EnvironmentRecord

PACKAGES = ("numpy", "scipy", "scikit-learn", "pillow", "threadpoolctl")


def environment() -> EnvironmentRecord:
    """Everything about this machine and installation that may change a digit."""
    from threadpoolctl import threadpool_info

    for name in ("numpy", "scipy.linalg"):  # each has a BLAS of its own, and only a loaded one can be asked
        importlib.import_module(name)
    pools = [
        {name: pool.get(name) for name in ("internal_api", "version", "architecture")}
        for pool in threadpool_info()
        if pool["user_api"] == "blas"  # not OpenMP, nor scipy's reader of .mtx files
    ]
    return EnvironmentRecord(
        nmfrepro=__version__,
        commit=commit(),
        python=platform.python_version(),
        packages=packages(),
        plugins=plugins.records(),
        platform=platform.platform(),
        processor=processor(),
        blas=tuple(sorted(pools, key=str)),  # libraries are loaded in any order
        threads=1,
    )


def installation(used: Iterable[plugins.Plugin]) -> dict[str, str]:
    """What must be the same on all workers: the code of nmfrepro and plug-ins, and versions below it."""
    own = [f"{each.name} ({(each.sha256 or '')[:12]})" for each in used]
    return {
        "nmfrepro": f"{__version__} (code {_code()})",
        "plug-ins": ", ".join(own) or "none",
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        **packages(),
    }


@functools.cache
def _code() -> str:
    """A hash of nmfrepro's modules; the commit would not do, which an installed package has not."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def packages() -> dict[str, str]:
    """Versions of the packages that numbers depend on."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def processor() -> str:
    """The processor's name as the system gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def commit() -> str | None:
    """Commit of the checkout nmfrepro runs from, "+" added if the package has changes; None outside one.

    Only the package counts: the spec and the data are recorded by themselves, and results may be tracked too.
    """
    package = Path(__file__).resolve().parents[1]
    if not (package.parent / ".git").exists():
        return None
    try:
        head = _git(package, "rev-parse", "--short=12", "HEAD")
        changed = _git(package, "status", "--porcelain", "--", ".")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}+" if changed else head


def _git(folder: Path, *words: str) -> str:
    # A git hook's variables name the repository it runs in, which is the user's.
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(folder), *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True, env=own)
    return ended.stdout.strip()
