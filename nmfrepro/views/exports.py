"""A results folder for other programs: LaTeX macros, Parquet, RO-Crate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..analysis.tables import Table
from ..core.errors import ResultsError
from ..results.folder import Results
from .escapes import escape_latex
from .tables import number

DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
MACROS = "made by nmfrepro export macros"
"""What the first line of any such file says."""
# What a reader of the crate should know of each file.
FILES = {
    "trials.csv": "One row per trial: coordinates, method, parameters, seeds, metrics as fractions",
    "timings.csv": "Seconds of every trial, with machine and time",
    "run.json": "The spec with every setting, data hash, versions, processor and BLAS, digests of rows",
    "table.md": "The table",
    "table.csv": "The table in long form, unrounded",
    "compare.md": "Every cell beside the published one",
    "verified.json": "The rows that were computed again, and how they came out",
}


def made_by(results: Results) -> str:
    """What the first line of a run's macros says."""
    return f": results/{results.run.spec.name}, {MACROS}"


def macros(results: Results, table: Table, digits: int = 1) -> str:
    r"""LaTeX macros for every number of a table: ``\OrlNlcfAccuracyNLCFKEight`` and the same with ``Std``.

    Raises
    ------
    ResultsError
        If two numbers would have one name.
    """
    named: dict[str, str] = {}
    lines = [f"% {escape_latex(table.title)}{made_by(results)}"]
    for where, name, value in _numbers(results.run.spec.name, table, digits):
        if name in named:
            raise ResultsError(
                f"{results.folder}: {where} and {named[name]} would both be \\{name}; "
                "give one of the columns another name (as: …)"
            )
        named[name] = where
        lines.append(f"\\newcommand{{\\{name}}}{{{value}}} % {where}")
    return "\n".join(lines) + "\n"


def _numbers(prefix: str, table: Table, digits: int) -> Iterator[tuple[str, str, str]]:
    """Every number of a table: where it stands, the macro's name, and its text."""
    for block in table.blocks:
        for row in block.lines:
            at = [f"{name} {value}" for name, value in zip(table.layout.rows, row.where, strict=False)]
            at = at or [row.name]
            for label, cell in row.cells.items():
                where = " ".join(f"{block.name}, {label}, {', '.join(at)} (n = {cell.n})".split())
                name = tex_name(prefix, block.name, label, *at)
                for suffix, value in (("", cell.mean), ("Std", cell.std)):
                    if value is not None:
                        yield where, name + suffix, number(value, block.metric.unit, digits)


def tex_name(*parts: str) -> str:
    """The name of a macro, which TeX makes of letters alone: figures are spelled, all else parts words."""
    words = re.findall(r"[A-Za-z]+|[0-9]|(?<=[0-9])\.(?=[0-9])", " ".join(parts))
    spelled = (DIGITS[int(word)] if word.isdigit() else "Point" if word == "." else word for word in words)
    return "".join(word[0].upper() + word[1:] for word in spelled)


def parquet(results: Results, path: Path) -> None:
    """Write the rows as a Parquet file, with the types that they have as a data frame.

    Raises
    ------
    ResultsError
        If pyarrow is not installed, or the file cannot be written.
    """
    try:
        results.frame.to_parquet(path, engine="pyarrow", index=False)
    except ImportError:
        raise ResultsError("Parquet needs pyarrow: pip install pyarrow") from None
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written ({error.strerror or error})") from None


def rocrate(results: Results, path: Path) -> None:
    """Write the folder as a zipped RO-Crate: its files, what made them, and the data by its hash.

    Raises
    ------
    ResultsError
        If rocrate is not installed, or the file cannot be written.
    """
    try:
        from rocrate.model.contextentity import ContextEntity
        from rocrate.rocrate import ROCrate
    except ImportError:
        raise ResultsError("RO-Crate needs rocrate: pip install rocrate") from None
    run, crate = results.run, ROCrate()
    crate.name = run.spec.title
    crate.description = f"Trials of the experiment {run.spec.name}, run with nmfrepro"
    files = [
        crate.add_file(results.folder / name, properties={"name": name, "description": text})
        for name, text in FILES.items()
        if (results.folder / name).is_file()
    ]
    for figure in sorted(results.folder.glob("figures/*.*")):
        files.append(crate.add_file(figure, dest_path=f"figures/{figure.name}"))
    environment = run.environment
    software = {"@type": "SoftwareApplication", "name": "nmfrepro", "softwareVersion": environment.nmfrepro}
    data = {"@type": "Dataset", "name": run.dataset.name, "description": run.dataset.origin}
    tool = crate.add(ContextEntity(crate, "#nmfrepro", software | {"identifier": environment.commit or ""}))
    images = crate.add(ContextEntity(crate, "#data", data | {"identifier": f"sha256:{run.dataset.sha256}"}))
    action = {"@type": "CreateAction", "name": f"nmfrepro run {run.spec.name}"}
    action |= {"description": f"On {environment.processor}, Python {environment.python}"}
    made = crate.add(ContextEntity(crate, "#run", action))
    made["instrument"], made["object"], made["result"] = tool, images, files
    crate.root_dataset["mentions"] = [made]
    try:
        crate.write_zip(path)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written ({error.strerror or error})") from None
