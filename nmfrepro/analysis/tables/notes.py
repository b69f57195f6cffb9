"""The notes under a table: what a reader must know before citing a number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.grouping import grouped
from ...core.problem import EARLIEST_STOP
from ...core.terminal import counted
from ...datasets.definition import is_other
from ...protocols import Protocol
from ...protocols.grids import chosen_in, value_text
from ...registry import plugins
from ...results.folder import Results
from ...results.record import FitRecord, RunRecord, TrialRecord
from ...results.verified import DIFFERENT, read_verified, unvouched
from ...spec.columnlabels import by_size
from ...spec.overrides import as_options
from .layout import encodings_are_read, known_methods

if TYPE_CHECKING:
    from . import Table

_SCALES = {
    "grey": "grey levels divided by the dataset's range",
    "max": "divided by the largest value of the dataset",
    "l2": "each sample scaled to unit length",
    "none": "values as they are",
}

SMOKED = "this is a smoke run: everything is shrunk, and its numbers reproduce nothing"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")

EXTENTS = ("full", "short", "none")


def notes(
    results: Results, table: Table, trials: Sequence[TrialRecord], select: str, full: bool
) -> tuple[str, ...]:
    """The notes of a table, a line each, the most important first.

    Those that are not `full` are for a paper: without definitions, what fits noted, how the run was called,
    where its data lay and the processor.  How methods were fitted and what labels were used for is in both.
    """
    run = results.run
    return (
        *table.doubts,
        *smoke(run),
        *(replaced(run) if full else ()),
        data(run, full),
        *_spread(table, run.protocol),
        *_further(results, trials),
        *_drawn_again(run, trials),
        *(f"{block.metric.title}: {block.metric.text}." for block in table.blocks if full),
        *([note] if (note := run.protocol.reading_note) and encodings_are_read(run) else ()),
        *run.protocol.notes(),
        *run.protocol.notes_on(run.dataset.class_sizes),
        *of_protocol(run, run.protocol.added),
        *how_fitted(run),
        *(_scales(run) if full else ()),
        *_selection(table, select),
        *_inferred(run),
        *incomplete(results, trials),
        *_machines(run, trials),
        *((*_constant(table), *_trial_notes(table, trials)) if full else ()),
        *stored(run),
        _version(results, full),
    )


def _further(results: Results, shown: Sequence[TrialRecord]) -> Iterable[str]:
    """That the run has more draws than the table."""
    further = (len(results.trials) - len(shown)) // len(results.run.columns)
    if further:
        one = further == 1
        what = "draw or start of every method stands" if one else "draws and starts of every method stand"
        yield (
            f"{further} further {what} in the results and not in this table; "
            f"compare and stats count {'it' if one else 'them'}."
        )


def _drawn_again(run: RunRecord, trials: Sequence[TrialRecord]) -> Iterable[str]:
    """How many draws of a row are of classes that no other has, where some are of the same."""
    drawn = defaultdict[tuple[tuple[str, int], ...], dict[int, str]](dict)
    for trial in trials:
        # Of classes of which some images are drawn those differ; where all are taken none is drawn.
        whole = run.protocol.whole_classes(trial.coordinates, run.dataset.class_sizes)
        if trial.classes not in ("", "all") and whole:
            *row, (_, draw) = ((name, trial.coordinates[name]) for name in run.coordinates)
            drawn[tuple(row)][draw] = trial.classes
    again = [
        f"{different} of {len(draws)} at {run.protocol.row_name(dict(row))}"
        for row, draws in drawn.items()
        if (different := len(set(draws.values()))) < len(draws)
    ]
    if again:
        yield f"Different draws of classes: {', '.join(again)}; the others repeat one with another seed."


def smoke(run: RunRecord) -> Iterable[str]:
    """That a smoke run is one."""
    if run.smoke:
        yield f"{SMOKED[0].upper()}{SMOKED[1:]}."


def replaced(run: RunRecord) -> Iterable[str]:
    """What the run does not have from its spec file."""
    options = grouped(as_options(run.overrides))
    for option, what in (("--set", "Replaced"), ("--also", "Added")):
        if option in options:
            yield f"{what} on the command line: {'; '.join(options[option])}."


def data(run: RunRecord, full: bool = True) -> str:
    """Which data, from where, with its hash and scale, and what was read beside it.

    Of what was noted of it, not in `full` only that it is other data than its name says.
    """
    dataset, scale = run.dataset, run.spec.dataset.scale
    noted = [note.rstrip(".") for note in dataset.notes if full or is_other(note)]
    parts = [
        f"Data: {dataset.origin}; {counted(dataset.n, 'sample')} of {counted(dataset.m, 'value')} in "
        f"{counted(dataset.classes, 'class')}, sha256 {dataset.sha256[:12]}",
        f"scale {scale}: {_SCALES[scale]}" if scale in _SCALES else "",
        *(f"the {name} by content: {str(content)[:12]}" for name, content in run.beside.items()),
        "; ".join(noted),
        f"credit: {dataset.credit}" if dataset.credit else "",
    ]
    return "; ".join(part.rstrip(".") for part in parts if part) + "."


def _spread(table: Table, protocol: Protocol) -> Iterable[str]:
    if fixed := protocol.row_name(dict(table.layout.fixed)):
        yield f"In all trials: {fixed}."
    counts = sorted({cell.planned for cell in table.cells if cell.planned})
    if any(cell.mean is None and not cell.failed for cell in table.cells):
        yield "–: does not apply, or has not been run."
    many = [count for count in counts if count > 1]
    if many:
        number = f"{many[0]}" if len(many) == 1 else f"{many[0]}–{many[-1]}"
        yield (
            f"mean±std over {number} {protocol.repeated}; std is the sample standard deviation (ddof = 1: "
            "n − 1 in the denominator)" + ("; a single repeat has no ±." if 1 in counts else ".")
        )
    elif counts:
        yield "Every cell is a single repeat, without a standard deviation."
    yield from averages(table)
    if any(cell.best for cell in table.cells):
        among = "column" if table.layout.methods_down else "row"
        doubtful = any(cell.unknown for cell in table.cells)
        least = f"all repeats{' and no row of unknown origin' if doubtful else ''}"
        yield f"Bold: best of the {among} by unrounded mean, ties all marked, among cells with {least}."
    if any(cell.mean is not None and not cell.complete for cell in table.cells):
        yield "(n = a of b): mean over fewer repeats than planned; such a cell is never in bold."


def averages(table: Table) -> Iterable[str]:
    """What the row of averages is, where there is one."""
    cells = [cell for block in table.blocks if block.average for cell in block.average.cells.values()]
    if cells:
        partly = any(cell.mean is not None and not cell.complete for cell in cells)
        rows = "over the rows with all their repeats" if partly else f"of the {cells[0].planned} rows' means"
        lacking = [cell.n > 0 for cell in cells if cell.mean is None]
        none = "; – where no row has all its repeats" if not all(lacking) else ""
        other = "; – where a column lacks a row that another has" if any(lacking) else ""
        yield f"Avg: mean {rows}{none}{other}."


def _parameters(run: RunRecord) -> Iterable[str]:
    """The parameters of the columns, without those that are chosen in every trial."""
    listed = []
    for column in run.columns:
        chosen = run.protocol.chooses(column.algorithm, column.parameters)
        fixed = {name: value for name, value in column.parameters.items() if chosen.get(name, True)}
        given = [f"{name} = {value_text(value)}" for name, value in fixed.items() if value is not None]
        if column.normalize and run.protocol.reads_encodings:
            given.append(f"normalize = {column.normalize} (by its class)")
        if given:
            listed.append(f"{column.label}: {', '.join(given)}")
    if listed:
        yield "Parameters: " + "; ".join(listed) + "."


def of_protocol(run: RunRecord, names: Iterable[str]) -> Iterable[str]:
    """The values that a run's record has of some of the protocol's options."""
    recorded = run.spec.protocol
    if given := [f"{name} = {value_text(recorded[name])}" for name in names if name in recorded]:
        yield f"Protocol: {', '.join(given)}."


def how_fitted(run: RunRecord) -> Iterable[str]:
    """How the columns were fitted: parameters, then restarts and iterations, equal columns together."""
    yield from _parameters(run)
    groups = grouped((text, column.label) for column in run.columns if (text := fit_text(column.fit)))
    for text, labels in groups.items():
        yield f"Fit ({', '.join(labels)}): {text}."
    if run.spec.seed is not None:
        yield f"Seed {run.spec.seed}; all methods see the same samples in every repeat."


def _scales(run: RunRecord) -> Iterable[str]:
    """Methods whose encodings were clustered at a scale that their model leaves free."""
    if not run.protocol.reads_encodings:
        return
    methods = zip(run.columns, known_methods(run), strict=True)
    labels = [each.label for each, cls in methods if cls and cls.scale_is_free(each.parameters)]
    if labels:
        yield f"Encodings at the scale of the random start, which the model leaves free: {', '.join(labels)}."


def fit_text(fit: FitRecord) -> str:
    """How a column was fitted, in words; empty where no setting concerns its method, or float64 alone."""
    parts = [] if fit.solver in (None, "printed") else [f"{fit.solver} solver"]
    if fit.restarts is not None:
        one = fit.restarts == 1
        parts.append("1 random start" if one else f"{fit.restarts} random starts, the lowest objective kept")
    if fit.max_iter is not None:
        passes = counted(fit.max_iter, "iteration")
        if not fit.tol:
            parts.append(f"{passes} (tol 0: no early stop)")
        elif fit.max_iter <= EARLIEST_STOP:
            parts.append(f"{passes} (tol {fit.tol:g} acts from {EARLIEST_STOP} on)")
        else:
            parts.append(f"at most {passes}, stopping at a relative decrease of {fit.tol:g}")
    if fit.order not in (None, "UV"):
        parts.append(f"order {fit.order}")
    if steps := fit.inner:
        if isinstance(steps, Mapping):
            steps = ", ".join(f"{name} {count}" for name, count in steps.items())
        parts.append(f"updates of each factor per pass: {steps}")
    if fit.dtype not in (None, "float64"):
        parts.append(fit.dtype)
    return "; ".join(parts)


def _selection(table: Table, select: str) -> Iterable[str]:
    """Where something is chosen by test labels, and by how many."""
    if any(cell.best for cell in table.cells):
        for algorithm, count in Counter(column.algorithm for column in table.columns).items():
            if count > 1:
                yield (
                    f"{count} settings of {algorithm} are columns: the best of them is the best of {count} "
                    "by test labels, not a result of the method."
                )
    if table.layout.chosen and any(len(cell.choices) > 1 for cell in table.cells):
        yield f"In brackets: {how_chosen(table, select)}. The CSV holds all {table.layout.chosen_noun}s."
    elif table.layout.chosen:
        yield f"In brackets: the {table.layout.chosen_noun}, of which there is one."


def how_chosen(table: Table, select: str) -> str:
    """Which of the values that it chooses from a table shows, as a dimension, and by what."""
    count = max(len(cell.choices) for cell in table.cells)
    how = (
        "on the test samples themselves, as the papers print it: the value is too favourable"
        if select == "test"
        else "on validation samples"
    )
    return f"the {table.layout.chosen_noun} with the best mean of {count}, chosen per method and row {how}"


def _inferred(run: RunRecord) -> Iterable[str]:
    if run.spec.inferred:
        settings = ", ".join(run.spec.inferred)
        yield f"Found by calibration against the published numbers, not stated in the paper: {settings}."


def incomplete(results: Results, trials: Sequence[TrialRecord]) -> Iterable[str]:
    """Which trials have failed or have not been run yet, and what else the folder holds."""
    reasons = Counter((trial.label, trial.error) for trial in trials if trial.failed)
    for (label, reason), count in reasons.items():
        yield f"Failed: {counted(count, 'trial')} of {label}: {reason.rstrip('.')}."
    missing, planned = sum(trial.status == "missing" for trial in trials), len(trials)
    if missing:
        yield f"Not run yet: {missing} of {counted(planned, 'trial')}."
    if results.torn:
        yield "A half-written last row was left out; its trial counts as not run."
    if results.others:
        rows = counted(results.others, "row")
        yield f"The folder also holds {rows} of other settings; they are not in this table."


def _machines(run: RunRecord, trials: Sequence[TrialRecord]) -> Iterable[str]:
    """That running times were taken on several machines, and which columns' where."""
    hosts = grouped((trial.times.host, trial.label) for trial in trials if trial.times.host)
    if run.protocol.alone and len(hosts) > 1:
        where = "; ".join(f"{', '.join(dict.fromkeys(labels))} on {host}" for host, labels in hosts.items())
        yield f"Timed on several machines, whose times are not comparable: {where}."


def _constant(table: Table) -> Iterable[str]:
    """The columns without any spread, with the metrics of which that holds."""
    still: dict[tuple[str, ...], list[str]] = {}
    for column in table.columns:
        spreads = {
            block.metric.title: [
                each for row in block.rows if (each := row.cells[column.label].std) is not None
            ]
            for block in table.blocks
        }
        if titles := tuple(title for title, each in spreads.items() if each and not any(each)):
            still.setdefault(titles, []).append(column.label)
    if still:
        columns = "; ".join(f"{', '.join(labels)} ({', '.join(titles)})" for titles, labels in still.items())
        yield (
            f"±0 throughout: {columns}, since all repeats give the same value (as a method without a random "
            "start on the same samples, or few repeats by chance); it says nothing of accuracy."
        )


def _trial_notes(table: Table, trials: Sequence[TrialRecord]) -> Iterable[str]:
    """What fits noted, counted by column; notes that differ in their numbers only are one, with ranges."""
    ok = [trial for trial in trials if trial.ok]
    ran = grouped((trial.label, trial) for trial in ok)
    every = [(trial, note) for trial in ok if trial.notes for note in trial.notes.split("; ")]
    # By column, and by the texts between a note's numbers.
    alike = grouped(
        ((trial.label, *_NUMBER.split(note)), (trial, note)) for trial, note in every if not chosen_in(note)
    )
    for (label, *_), noted in alike.items():
        where = "".join(_at(name, [each for each, _ in noted], ran[label]) for name in table.layout.rows)
        note = _merged([note for _, note in noted])
        yield f"{label}, {counted(len(noted), 'trial')}{where}: {note}."
    chosen = grouped(
        ((trial.label, name), value) for trial, note in every for name, value in chosen_in(note).items()
    )
    for (label, name), values in chosen.items():
        counts = Counter(values)
        listed = ", ".join(f"{value} in {counts[value]}" for value in sorted(counts, key=by_size))
        yield f"{label}, chosen trial by trial: {name}: {listed}."
    if stopped := [*_early(ran)]:
        yield "Iterations used: " + "; ".join(stopped) + "."


def _at(name: str, noted: Sequence[TrialRecord], ran: Sequence[TrialRecord]) -> str:
    """At which values of a coordinate; nothing where it is at all of them."""
    values, every = ({trial.coordinates[name] for trial in those} for those in (noted, ran))
    return "" if values == every else f" at {name} = {', '.join(map(str, sorted(values)))}"


def _merged(notes: Sequence[str]) -> str:
    """Notes that differ in their numbers only as one: "3 to 6 of 8 clusters are used"."""
    numbers = zip(*(_NUMBER.findall(note) for note in notes), strict=True)
    ends = ((min(each, key=float), max(each, key=float)) for each in numbers)
    ranges = iter([low if low == high else f"{low} to {high}" for low, high in ends])
    return _NUMBER.sub(lambda _: next(ranges), notes[0])


def _early(columns: Mapping[str, Sequence[TrialRecord]]) -> Iterable[str]:
    """Iterations and convergence of the columns whose trials did not all use the same number."""
    for label, those in columns.items():
        used = [trial.n_iter for trial in those if trial.n_iter is not None]
        if min(used) < max(used):
            converged = sum(bool(trial.converged) for trial in those)
            yield f"{label} {min(used)}–{max(used)}, converged in {converged} of {len(those)} trials"


def _version(results: Results, full: bool = True) -> str:
    """What made the rows; not in `full` without the processors."""
    run = results.run
    used = sorted({trial.version.partition("+")[0] for trial in results.present} - {""})
    versions = ", ".join(used) or run.environment.nmfrepro or "of unknown version"
    commits = dict.fromkeys(each.commit for each in run.environments if each.commit)
    processors = dict.fromkeys(each.processor for each in run.environments if each.processor)
    made = f" ({', '.join(commits)})" if commits else ""
    more = [", ".join(processors) if full else "", plugins.in_words(run.plugins)]
    return "; ".join([f"nmfrepro {versions}{made}, run {run.spec.name}", *filter(None, more)]) + "."


def doubts(results: Results) -> Iterable[str]:
    """Which rows must not be trusted: edited for all that is known, come out different, or of other code.

    Raises
    ------
    ResultsError
        If the folder's ``verified.json`` is damaged.
    """
    verified, there = read_verified(results.folder), results.present
    if unknown := unvouched(results.folder, results.run, there):
        yield (
            f"Of unknown origin: {len(unknown)} of {counted(len(there), 'row')}. run.json was missing or "
            "damaged when the run went on, and nobody knows whether they were edited, or on which machine "
            "they were made."
        )
    if different := sum(verified.verdict(trial) == DIFFERENT for trial in there):
        rows, them = counted(different, "row"), "it" if different == 1 else "them"
        yield f"{rows} came out different when nmfrepro verify computed {them} again."
    run = results.run
    modules = [each.__module__ for each in (*known_methods(run), type(run.protocol)) if each]
    for text in plugins.changed(run.plugins, modules):
        yield f"{text[0].upper()}{text[1:]}; run the spec again for the numbers of this one."


def stored(run: RunRecord) -> Iterable[str]:
    """Which rows were made elsewhere, and by what; what was taken at several times in one note."""
    keys = ((mark.made, key) for mark in run.stored for key in mark.trials if key in run.plan)
    for made, labels in grouped((made, run.plan[key].label) for made, key in keys).items():
        yield f"Not computed here but stored: {', '.join(dict.fromkeys(labels))}; {made}."
