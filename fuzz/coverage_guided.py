"""Coverage-guided fuzzing of the readers by atheris: any bytes are read, or refused in one line.

    pip install atheris
    python fuzz/coverage_guided.py TARGET [RUNS] [OPTIONS]

TARGET is mat, hdf5, idx, pgm, image, csv, npz, npy, spec or returns (what methods of one's own answer);
options are libFuzzer's: ``-1 -max_total_time=3600`` is an hour.

Formats that C libraries read (mat, hdf5, image) are tried in the child process that reads them, without
guidance; a crash or a circle there is no finding, as long as one line comes of it.

Starts from the valid files of the hypothesis tests and holds every input against their `attempt`.  What
breaks a reader is left as ``crash-…`` in the current directory: make it an @example of the test of its kind.
The tests themselves try more with NMFREPRO_FUZZ=1000 in the environment.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris
from hypothesis import given

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = map(str, (TESTS, TESTS / "spec", TESTS / "datasets" / "formats", TESTS / "runs"))

PARTS = ("datasets.formats", "spec", "runs", "protocols", "factorization", "algorithms.engine")
with atheris.instrument_imports(include=[f"nmfrepro.{part}" for part in PARTS]):
    import test_formatfuzz as formats
    import test_pluginfuzz as answers
    import test_specfuzz as specs

    from nmfrepro.datasets.formats import quarantine
    from nmfrepro.datasets.formats.quarantine import guarded, quarantined

BY_LIBRARIES = ("mat", "hdf5", "image")
quarantine.SECONDS, quarantine.MEMORY = 5, 2**30


def main() -> None:
    """Fuzz one target; libFuzzer ends the process, with an error if something was found."""
    target, runs = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "100000"
    if target == "spec":
        seeds = [specs.VALID, specs.SPLITS]
    elif target == "returns":
        seeds, check = [random.Random(n).randbytes(1000) for n in range(40)], answers.checker()
        answered = given(answers.ANSWERED)(lambda each: check(each)).hypothesis.fuzz_one_input
    else:
        read, seeds = formats.FORMATS[target]

    def one(data: bytes) -> None:
        if target == "spec":
            specs.attempt(data, [])
        elif target == "returns":
            answered(data)
        else:
            formats.attempt(read, data, quarantined if target in BY_LIBRARIES else guarded)

    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
        limits = [f"-runs={runs}", *sys.argv[3:], "-max_len=16384", "-timeout=20", "-rss_limit_mb=3000"]
        if target == "returns":
            limits += ["-len_control=0"]  # short inputs are no answers
        if target in BY_LIBRARIES:
            limits += ["-keep_seed=1", "-reduce_inputs=0"]  # else nothing is left but what is shortest
        atheris.Setup([sys.argv[0], *limits, corpus], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
