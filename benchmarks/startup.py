"""How long the command line takes to answer, as a multiple of ``python -c "import click, yaml"``.

python benchmarks/startup.py [--repeats 15]
"""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial

import click
import numpy as np
from timing import in_turn, machine, ratio, show

BARE = ("-c", "import click, yaml")
COMMANDS = {
    "--help": ("--help",),
    "list algorithms": ("list", "algorithms"),
    "show nlcf": ("show", "nlcf"),
    "check orl_nlcf": ("check", "orl_nlcf"),
}
# At most so many times as long (issue 6).
TARGETS = {"--help": 3.0}


def seconds(*arguments: str) -> float:
    """Wall time of one Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return time.perf_counter() - start


@click.command(help=__doc__)
@click.option("--repeats", default=15, show_default=True)
def main(repeats: int) -> None:
    contestants = {
        "bare": partial(seconds, *BARE),
        "numpy": partial(seconds, "-c", "import click, yaml, numpy"),
    }
    contestants |= {name: partial(seconds, "-m", "nmfrepro", *words) for name, words in COMMANDS.items()}
    times = in_turn(contestants, repeats)
    click.echo(machine() + "\n")
    rows = [
        [
            name if name in COMMANDS else f"import click, yaml{', numpy' if name == 'numpy' else ''}",
            f"{1e3 * float(np.median(each)):.0f} ms",
            f"{ratio(each, times['bare']):.2f}",
            f"{TARGETS[name]:g}" if name in TARGETS else "",
        ]
        for name, each in times.items()
    ]
    show(["command", "median", "times the bare import", "at most"], rows)


if __name__ == "__main__":
    main()
