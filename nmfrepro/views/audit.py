"""An audit of a printed table in words."""

from __future__ import annotations

from collections.abc import Iterable

from ..analysis.audit import Audit
from ..analysis.audit.averages import FOLLOWS, LOOSE
from ..analysis.audit.grim import decimals_of
from ..core.grouping import grouped
from ..core.terminal import counted
from ..protocols import description
from .document import Document, Grid, Section
from .tables import p_value


def document(audit: Audit) -> Document:
    """All checks, those that found something first in each section."""
    findings = audit.findings
    head = (
        f"{counted(findings, 'number')} cannot be right as printed, given what is known of the table"
        if findings
        else "nothing is impossible as printed, as far as these checks can tell"
    )
    return Document(
        f"Audit of {audit.table.name}: {head}.",
        [each for each in (_counts(audit), _averages(audit), _tests(audit), _bounds(audit)) if each],
    )


def _title(metric: str) -> str:
    return description(metric).title


def _counts(audit: Audit) -> Section | None:
    """GRIM, a line for every column."""
    design, title = audit.design, "Means of counts (GRIM)"
    if not audit.counted:
        unknown = "Not tested: how many samples a run scores, or over how many runs a mean is, is not known."
        return Section(title, notes=[unknown]) if audit.untested else None
    labelled = f" of {design.labellings} labellings each" if design.labellings > 1 else ", one labelling each"
    averaged = f"A mean over {counted(design.draws, 'draw')}" if design.draws else "The score of a single run"
    notes = [
        f"{averaged}{labelled} is a whole number of right samples out of all that were scored. If arbitrary: "
        "how many rows would be impossible if the printed numbers were any numbers. A column with as many "
        "was averaged in another way than assumed, or is not what its heading says; one with none is "
        "consistent with it.",
        _power(audit),
    ]
    rows = [["metric", "column", "rows", "impossible", "if arbitrary"]]
    for each in audit.counted:
        numbers = [str(len(each.tests)), str(len(each.impossible)), f"{each.expected:.1f}"]
        rows.append([_title(each.metric), each.column, *numbers])
        if each.impossible:
            # The nearest mean of counts has a decimal more than is printed.
            which = [
                f"{row}: {one.printed} (nearest {one.nearest:.{decimals_of(one.printed) + 1}f})"
                for row, one in each.impossible
            ]
            notes.append(f"{each.column}, {audit.table.coordinate} = {'; '.join(which)}.")
    if audit.untested:
        untested = ", ".join(map(str, audit.untested))
        unknown = "samples is not known (classes of other sizes)" if design.draws else "runs is not known"
        notes.append(f"Not tested: {audit.table.coordinate} = {untested}, whose number of {unknown}.")
    return Section(title, Grid(rows, 2), notes)


def _power(audit: Audit) -> str:
    """The power of the test, row by row; columns may differ where some are single runs."""
    by_row = grouped((row, f"{one.power:.0%}") for each in audit.counted for row, one in each.tests)
    powers = "; ".join(f"{row}: {'/'.join(sorted(set(values)))}" for row, values in sorted(by_row.items()))
    return (
        "Power (share of printable numbers that the test would call impossible) by "
        f"{audit.table.coordinate}: {powers}. Where it is 0 %, every printable number is a "
        "mean of counts, and nothing can be found."
    )


def _averages(audit: Audit) -> Section | None:
    if not audit.averages:
        return None
    wrong = [each for each in audit.averages if each.verdict != FOLLOWS]
    rows = [["metric", "column", "of", "printed", "from the rows", "verdict"]]
    rows += [
        [_title(each.metric), each.column, each.statistic, each.printed, f"{each.rows:.4f}", each.verdict]
        for each in sorted(wrong, key=lambda each: each.verdict == LOOSE)
    ]
    follow, total = len(audit.averages) - len(wrong), len(audit.averages)
    notes = [f"{follow} of {total} printed averages follow from their rows."]
    return Section("Averages", Grid(rows, 3) if wrong else None, notes)


def _tests(audit: Audit) -> Section | None:
    if not audit.tests:
        return None
    design = audit.design
    rows = [["metric", "rows", "χ²", "p (χ²)", "p (F)", f"CD at {design.alpha:g}"]]
    for each in audit.tests:
        test = each.test
        numbers = [f"{test.chi_square:.2f}", p_value(test.p_chi_square), p_value(test.p_f)]
        rows.append([_title(each.metric), each.rows, *numbers, f"{test.critical_difference:.3f}"])
    return Section("Friedman and Nemenyi", Grid(rows, 2), list(_printed_tests(audit)))


def _printed_tests(audit: Audit) -> Iterable[str]:
    """What is printed of the tests beside what follows."""
    p, difference = audit.design.p, audit.design.critical_difference
    for printed, name, follows in (
        (p, f"p = {p}", [each for each in audit.tests if each.p_follows]),
        (difference, f"critical difference {difference}", [e for e in audit.tests if e.difference_follows]),
    ):
        if printed:
            fits = ", ".join(f"{_title(each.metric)} over {each.rows}" for each in follows)
            yield f"Printed {name}: follows from {fits or 'none of these'}."
    own = audit.tests[0].test
    if own.blunt:
        yield (
            f"With {own.rows} rows the critical difference exceeds the range of mean ranks of "
            f"{len(own.labels)} methods, {len(own.labels) - 1}: no two can ever be told apart."
        )


def _bounds(audit: Audit) -> Section | None:
    if not audit.bounded:
        return None
    rows = [["metric", "column", str(audit.table.coordinate), "printed", "possible", "by"]]
    for each in audit.bounds:
        possible = f"{each.lowest:.2f} to {each.highest:g}"
        rows.append([_title(each.metric), each.column, str(each.row), each.printed, possible, each.why])
    notes = [f"{audit.bounded - len(audit.bounds)} of {audit.bounded} numbers are in their range."]
    if audit.table.coordinate == "k":
        notes.append(
            "NMI is held against accuracy by Fano's inequality: with k equal classes it is at least "
            "1 − (h(a) + (1 − a) log(k − 1))/log k."
            if audit.design.per_class is not None
            else "NMI is not held against accuracy: that needs classes of one known size."
        )
    return Section("Ranges, and NMI beside accuracy", Grid(rows, 2) if audit.bounds else None, notes)
