"""A run of three methods beside its published table, and its pictures."""

import pytest
from handmade import write_results
from picturetests import THREE, all_pictures, scores


@pytest.fixture(scope="session")
def clustering(tmp_path_factory):
    return write_results(
        tmp_path_factory.mktemp("plots") / "orl",
        scores,
        columns=THREE,
        metrics=("accuracy", "nmi"),
        published="nlcf/table5_orl",
    )


@pytest.fixture(scope="session")
def drawn(clustering):
    return all_pictures(clustering)
