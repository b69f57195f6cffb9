"""How many inputs the fuzz tests try; NMFREPRO_FUZZ=1000 tries a thousand times as many."""

import os

from hypothesis import HealthCheck, settings

FACTOR = int(os.environ.get("NMFREPRO_FUZZ", "1"))


def fuzzed(examples: int) -> settings:
    """Settings for so many inputs, times the factor of a long run."""
    return settings(max_examples=examples * FACTOR, deadline=None, suppress_health_check=list(HealthCheck))
