"""What `make stored` writes of results/reference: the package's archives, and an index of the folders."""

from collections.abc import Iterable
from pathlib import Path

from nmfrepro.results.folder import read
from nmfrepro.results.reference import ARCHIVES, SUFFIX, archive, names, pack

SOURCE = Path(__file__).parent
INDEX = SOURCE / "README.md"
HEAD = """# The reference study

Made by the commands of `make reference` and `make models`, in several sessions, each row at the commit
named; [REPRODUCTION.md](../../REPRODUCTION.md) says what came of it.  Minutes are those of one core, all
trials together, where times were kept; a machine with other work made them, so a quiet one takes less.
The commits are those that made the rows, the last one first; a test holds keys to today's.

| folder | experiment | trials | minutes | commits |
|---|---|--:|--:|---|
"""


def main() -> None:
    """One archive for every results folder, and none besides."""
    wanted = {path.parent.relative_to(SOURCE).as_posix(): path.parent for path in SOURCE.rglob("run.json")}
    for name in set(names()) - wanted.keys():
        archive(name).unlink()
    total = 0
    for name, folder in sorted(wanted.items()):
        packed, path = pack(folder), ARCHIVES / f"{name}{SUFFIX}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != packed:
            path.write_bytes(packed)
        total += len(packed)
    INDEX.write_text(index(wanted.values()), encoding="utf-8")
    print(f"{len(wanted)} archives, {total:,} bytes")


def index(folders: Iterable[Path]) -> str:
    """A table of the folders: what each holds, what it took, and what made it."""
    lines, trials, minutes = [], 0, 0.0
    for folder in sorted(folders):
        results, name = read(folder), folder.relative_to(SOURCE).as_posix()
        took = sum((trial.times.seconds or 0) / 60 for trial in results.present)
        environments = (results.run.environment, *results.run.earlier_environments)
        commits = dict.fromkeys(str(each.commit)[:8] for each in environments)
        what = f"[{name}]({name}) | {results.run.spec.title}"
        lines.append(f"| {what} | {len(results.present)} | {took:.1f} | {', '.join(commits)} |\n")
        trials, minutes = trials + len(results.present), minutes + took
    return f"{HEAD}{''.join(lines)}| all | | {trials} | {minutes:.0f} | |\n"


if __name__ == "__main__":
    main()
