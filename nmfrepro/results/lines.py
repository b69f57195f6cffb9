"""CSV files of one line per trial that grow while a run goes on, and may end in the middle of a line."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core import files
from ..core.errors import ResultsError, Setting, closest

# To bring a line to disk may take longer than a trial, so short trials share one such wait, in seconds.
SYNC_EVERY = 1.0
# What becomes of a run where a file of its folder cannot be written.
KEPT = "finished trials are kept, make room and run the same command again"
FRESH = Setting("fresh")
_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Lines:
    """The rows of one file, and whether its last line was cut off."""

    header: tuple[str, ...]
    rows: Mapping[int, dict[str, str]]  # by the number of their line
    torn: bool


def read_rows(path: Path, required: Collection[str] = ("key",), usual: Collection[str] = ()) -> Lines:
    """Read a file of one line per record; no file, or an empty one, has no rows.

    The header must have the `required` columns; those that are `usual` are named where it fits no line.  A
    last line that was cut off (no line end, or NUL bytes, as after a power cut) is left out and reported as
    torn; its trial is simply not finished.

    Raises
    ------
    ResultsError
        If any other line is malformed; the message names its number.
    """
    body, newline, tail = files.read(path, missing=b"").rpartition(b"\n")
    torn = bool(tail)
    if not newline:
        return Lines((), {}, torn)
    # A spreadsheet program may have saved it with a byte order mark and Windows line ends.
    lines = [line.removesuffix(b"\r") for line in body.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    if b"\0" in lines[-1]:
        lines.pop()
        torn = True
    try:
        header = tuple(_cells(path, 1, lines[0])) if lines else ()
    except ResultsError:
        header = ()
    if len(set(header)) != len(header) or "key" not in header:
        raise ResultsError(f"{path}:1: not the header of a results file; restore it or run with ", FRESH)
    if lost := lost_columns(path, header, required):
        raise lost
    parsed = {number: _cells(path, number, line) for number, line in enumerate(lines[1:], start=2)}
    if len(parsed) > 1 and len(header) not in map(len, parsed.values()):
        raise lost_columns(path, header, usual) or ResultsError(
            f"{path}:1: {len(header)} columns, but no line has as many; restore them or run with ", FRESH
        )
    rows = {}
    for number, cells in parsed.items():
        row = dict(zip(header, cells, strict=False))
        if len(cells) != len(header) or not _KEY.fullmatch(row["key"]):
            raise malformed(path, number)
        rows[number] = row
    return Lines(header, rows, torn)


def malformed(path: Path, number: int, why: str = "malformed row") -> ResultsError:
    """The error for a line that no run wrote as it is."""
    return ResultsError(f"{path}:{number}: {why}; remove that line, its trial will be run again")


def lost_columns(path: Path, header: Sequence[str], needed: Collection[str]) -> ResultsError | None:
    """The error for a header without columns that its rows have; none where all are there."""
    lost = [name for name in dict.fromkeys(needed) if name not in header]
    if not lost:
        return None
    others = [name for name in header if name not in needed]
    misspelt = ", ".join(dict.fromkeys(filter(None, (closest(name, others) for name in lost))))
    columns, are, them = ("columns", "are", "them") if len(lost) > 1 else ("column", "is", "it")
    return ResultsError(
        f"{path}:1: {columns} {', '.join(lost)} {are} missing"
        f"{f' ({misspelt} is unknown)' if misspelt else ''}; restore {them} "
        "and keep the lines, or run with ",
        FRESH,
    )


def _cells(path: Path, number: int, line: bytes) -> list[str]:
    try:
        text = line.decode()
        parsed = list(csv.reader([text], strict=True))
    except UnicodeDecodeError:
        raise malformed(path, number, "not UTF-8 text") from None
    except csv.Error as error:
        raise malformed(path, number, str(error)) from None
    if not text.isprintable():
        raise malformed(path, number, "control characters")
    return parsed[0] if parsed else []


def format_rows(header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """CSV text with a header, one line per row; columns a row lacks stay empty."""
    return format_lines([header, *([row.get(name, "") for name in header] for row in rows)])


def format_lines(lines: Iterable[Sequence[str]]) -> str:
    """CSV text of lines of cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def cell_text(text: str) -> str:
    """Text without line breaks or control characters, so that a row stays a line."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(text.split())


class Journal:
    """A CSV file of the given rows that grows by whole lines; what was at its path is replaced.

    A line that was appended survives the end of the process, however it ends.  A power cut may cost the lines
    of the last moments; what it leaves of them is recognised when the file is read.
    """

    def __init__(self, path: Path, header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
        self.path = path
        self.header = tuple(header)
        self._synced = time.monotonic()
        self.rewrite(rows)

    def rewrite(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Replace the content, atomically: where that fails, the old file stays."""
        files.replace(self.path, format_rows(self.header, rows), KEPT)

    def append(self, row: Mapping[str, str]) -> None:
        """Add a row.

        Raises
        ------
        ResultsError
            If that fails; the file is then cut back to whole lines.
        """
        line = format_rows(self.header, [row]).partition("\n")[2].encode()
        try:
            # Not created anew: a file without its header would be worth nothing.
            with open(self.path, "r+b", buffering=0) as file:
                before = file.seek(0, os.SEEK_END)
                try:
                    while line:  # where only a part has room, the rest is told why
                        line = line[file.write(line) :]
                    if time.monotonic() - self._synced >= SYNC_EVERY:
                        os.fsync(file.fileno())
                        self._synced = time.monotonic()
                except OSError:
                    # Should this fail too, the half line is recognised when the file is read.
                    with suppress(OSError):
                        file.truncate(before)
                    raise
        except OSError as error:
            if not self.path.parent.exists():
                raise ResultsError(
                    f"{self.path.parent}: this folder was removed during the run, and its rows with it; "
                    "restore it, or run the same command again for all trials"
                ) from None
            raise ResultsError(f"{self.path}: cannot be written ({error.strerror}); {KEPT}") from None
