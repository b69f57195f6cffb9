"""Experiments by paper, each paper with its claims; what belongs to none is the user's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...analysis.compare.gain import FAILS, HOLDS, OPEN, Claim
from ...analysis.compare.verdict import UNJUDGED
from ...core.grouping import grouped
from ...metrics import Metric
from ...papers.catalogue import PAPERS
from ...spec import SMOKE
from ...spec import files as specfiles
from ..comparison import interval_text, tally
from .experiment import Experiment
from .page import IN_PART

CLAIMS = (HOLDS, IN_PART, FAILS, OPEN)
"""What a paper's claim comes to over all its data and metrics."""


@dataclass(frozen=True)
class Finding:
    """What one experiment tells of one claim by one metric."""

    claim: Claim
    metric: Metric
    experiment: Experiment

    @property
    def verdict(self) -> str:
        """On the claim; none where the experiment has none."""
        return UNJUDGED if self.experiment.unjudged else self.claim.verdict

    @property
    def sentence(self) -> str:
        """The claim in print and our gain in one line."""
        claim, ours = self.claim, self.claim.ours
        stated = "better" if claim.stated is None else f"{claim.stated:+z.2f} points"
        interval = "" if math.isnan(ours.error) else f"90 % interval {interval_text(ours.interval())}, "
        least = "" if math.isnan(claim.detectable) else f"; the paper could find {claim.detectable:.1f}"
        return (
            f"{claim.better} before {claim.other}, {self.metric.title.lower()} on {self.experiment.dataset}: "
            f"in print {stated}{least}; our paired gain {ours.mean:+z.2f} ({interval}{ours.pairs} pairs): "
            f"{self.verdict}"
        )


@dataclass(frozen=True)
class ClaimRow:
    """One claim with what every experiment and metric tells of it, None where one tells nothing."""

    better: str
    other: str
    findings: tuple[Finding | None, ...]

    @property
    def verdict(self) -> str:
        """All of it together."""
        verdicts = {each.verdict for each in self.findings if each} - {UNJUDGED}
        if not verdicts:
            return UNJUDGED
        if HOLDS in verdicts:
            return HOLDS if verdicts == {HOLDS} else IN_PART
        return FAILS if FAILS in verdicts else OPEN


@dataclass(frozen=True)
class PaperSection:
    """A paper with its experiments, or the user's own ones."""

    key: str  # of the paper: "nlcf"; "" for experiments of no paper
    title: str
    citation: str
    experiments: tuple[tuple[int, Experiment], ...]  # with the number that each has on the page

    @cached_property
    def heads(self) -> tuple[tuple[int, Experiment, Metric], ...]:
        """The columns of the claims: experiments and metrics."""
        return tuple(
            (number, experiment, each.metric)
            for number, experiment in self.experiments
            for each in experiment.comparisons
            if each.claims
        )

    @cached_property
    def claims(self) -> tuple[ClaimRow, ...]:
        """The paper's claims, those that more experiments tell of first."""
        by_methods: dict[tuple[str, str], dict[tuple[int, Metric], Finding]] = {}
        for number, experiment in self.experiments:
            for each in experiment.comparisons:
                for claim in each.claims:
                    findings = by_methods.setdefault((claim.better, claim.other), {})
                    findings.setdefault((number, each.metric), Finding(claim, each.metric, experiment))
        heads = [(number, metric) for number, _, metric in self.heads]
        rows = [
            ClaimRow(*names, tuple(findings.get(head) for head in heads))
            for names, findings in by_methods.items()
        ]
        return tuple(sorted(rows, key=lambda row: -sum(each is not None for each in row.findings)))

    @property
    def counts(self) -> dict[str, int]:
        """How many claims come to what."""
        return tally((row.verdict for row in self.claims), CLAIMS)


def sections(experiments: Sequence[Experiment]) -> list[PaperSection]:
    """All experiments, each in one section: papers as the catalogue has them, own runs last."""
    by_paper = grouped((paper_of(each), (number, each)) for number, each in enumerate(experiments, 1))
    shown = []
    for key in (*PAPERS, ""):
        if those := by_paper.get(key):
            those.sort(key=lambda pair: not pair[1].comparisons)
            title, citation = (PAPERS[key].title, PAPERS[key].published) if key else ("Own runs", "")
            shown.append(PaperSection(key, title, citation, tuple(those)))
    return shown


def paper_of(experiment: Experiment) -> str:
    """The paper that an experiment is of: the one it is compared with, or whose shipped spec it has."""
    run = experiment.run
    if run is None:
        return ""
    if run.spec.published:
        return run.spec.published.partition("/")[0]
    name = run.spec.name.removesuffix(SMOKE)
    if name not in specfiles.experiments():
        return ""
    by_word = {paper.word or key: key for key, paper in PAPERS.items()}
    return next((by_word[word] for word in name.split("_") if word in by_word), "")


def totals(experiments: Sequence[Experiment]) -> dict[str, list[Experiment]]:
    """What is counted together: settings as stated or plainly chosen, and after calibration.

    Experiments without a verdict are not counted.
    """
    judged = [each for each in experiments if each.judged]
    groups = {
        "Settings as stated or plainly chosen": [each for each in judged if not each.inferred],
        "After calibration to the published numbers": [each for each in judged if each.inferred],
    }
    return {title: those for title, those in groups.items() if those}
