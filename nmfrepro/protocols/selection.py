"""Which dimension of a recognition experiment a table shows: chosen when the table is made, and marked.

A run keeps the accuracy at every dimension on both the test and the validation images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import SpecError
from ..options import suggest

if TYPE_CHECKING:
    import pandas as pd

SELECTIONS = {
    "test": "chosen by the mean accuracy on the test images themselves, as the papers print it: optimistic",
    "validation": "chosen by the mean accuracy on the validation images; the test images had no part in it",
}
"""What `by` may be, and the mark a table carries."""


def best_dimension(frame: pd.DataFrame, by: str = "test", metric: str = "nn") -> pd.DataFrame:
    """The best dimension of every column for every number of training images, by the mean over the splits.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of a recognition run with the columns label, status, train, k, draw, `metric` and
        ``<metric>_validation``; only rows with status "ok" and a number count.
    by : {"test", "validation"}
        Which accuracy decides; the smaller dimension where two are equal.
    metric : {"nn", "svm"}
        Which classifier.

    Returns
    -------
    pandas.DataFrame
        One row per column and number of training images, in the frame's order: label, algorithm, train, k
        (the dimension chosen), n (splits behind the mean), mean and std (of the test accuracy at that
        dimension, fractions, ddof 1; NaN for one split).

    Raises
    ------
    SpecError
        For another `by`, or where the run has no validation images to choose by.
    """
    if by not in SELECTIONS:
        raise SpecError(f"by is {by!r}; {suggest(by, SELECTIONS)}")
    criterion = metric if by == "test" else f"{metric}_validation"
    counted = frame[(frame["status"] == "ok") & frame[metric].notna()]
    if by == "validation" and counted[criterion].isna().any():
        raise SpecError("this run has no validation images to choose by; it needs validation: true")
    means = (
        counted.groupby(["train", "label", "k"], sort=False)
        .agg(
            algorithm=("algorithm", "first"),
            criterion=(criterion, "mean"),
            n=(metric, "size"),
            mean=(metric, "mean"),
            std=(metric, "std"),
        )
        .reset_index()
    )
    # Equal means may differ in their last bit, by the order in which the splits were added.
    means["criterion"] = means["criterion"].round(12)
    ordered = means.sort_values(["criterion", "k"], ascending=[False, True], kind="stable")
    best = ordered.drop_duplicates(["train", "label"])
    columns = ["label", "algorithm", "train", "k", "n", "mean", "std"]
    return means[["train", "label"]].drop_duplicates().merge(best, on=["train", "label"])[columns]
