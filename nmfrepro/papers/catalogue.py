"""Which published tables there are, and how each is to be read: the content of ``catalogue.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.typed import from_yaml


@dataclass(frozen=True)
class Paper:
    """A paper: who published it where, its entry in ``references.bib``, its headings → our methods.

    `venue` ends with the year.  `word` is what names of experiments have for it where that is not its own
    name here.
    """

    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    cites: str
    methods: Mapping[str, str]
    word: str = ""

    @property
    def published(self) -> str:
        """By whom and where."""
        return f"{', '.join(self.authors)}, {self.venue}"

    @property
    def citation(self) -> str:
        """In one line."""
        return f"{', '.join(self.authors)}: {self.title}, {self.venue}"

    @property
    def brief(self) -> str:
        """In few words: "Chen et al. 2013"."""
        names = " and ".join(self.authors) if len(self.authors) < 3 else f"{self.authors[0]} et al."
        return f"{names} {self.year}"


@dataclass(frozen=True)
class TableSource:
    """How one CSV file is to be read.

    Attributes
    ----------
    number : str
        The table's number in its paper.
    rows : str
        What its rows count: "k" or "train" (training images per class); "all" where there is one number for
        all of them, "claims" for a lost table of which only differences between averages survive in the text.
    paper, brief : str
        Citation in one line, and in few words.
    dataset : str or None
        Our name of the dataset; None where the file names several, or the paper none.
    repeats : int or None
        Runs behind a cell; None where the paper does not say.
    spread : str or None
        What ± is: "std" in points, "variance" (of the 0–1 score, times 100), or None where there is none.
    single_without_spread : bool
        Whether a cell without ± in a table that has them is a single run (all classes, one draw).
    fractions : bool
        Whether scores are printed as fractions instead of percent.
    companions : tuple of str
        Tables drawn from the same runs, compared along with this one.
    proposed : str
        The printed heading of the method the paper proposes; its lead over the others is the table's claim.
    size : (int, int) or None
        Images and classes of the data as the paper has them.
    validation : bool
        Whether part of the images left over by training is for validation: how many are scored is not known.
    equal : bool
        Whether every class is known to have as many images.
    printed_p, printed_difference : str
        Friedman's p-value and Nemenyi's critical difference as printed; "" where the paper has none.
    notes : tuple of str
        What a reader of the numbers must know.
    """

    number: str
    rows: str
    paper: str = ""
    brief: str = ""
    dataset: str | None = None
    repeats: int | None = None
    spread: str | None = None
    single_without_spread: bool = False
    fractions: bool = False
    companions: tuple[str, ...] = ()
    proposed: str = ""
    size: tuple[int, int] | None = None
    validation: bool = False
    equal: bool = False
    printed_p: str = ""
    printed_difference: str = ""
    notes: tuple[str, ...] = ()

    @property
    def cited(self) -> str:
        """The table in few words, as a legend has room for: "Table V, Chen et al. 2013"."""
        return f"{self.number}, {self.brief}"


@dataclass(frozen=True)
class _Catalogue:
    papers: Mapping[str, Paper]
    tables: Mapping[str, TableSource]


_READ: _Catalogue = from_yaml(_Catalogue, Path(__file__).with_suffix(".yaml"))
PAPERS = _READ.papers
"""The five papers, as the names of published tables begin."""
SOURCES = {
    name: replace(table, paper=paper.citation, brief=paper.brief)
    for name, table in _READ.tables.items()
    if (paper := PAPERS[name.partition("/")[0]])
}
"""The published tables by name: "nlcf/table5_orl"."""
