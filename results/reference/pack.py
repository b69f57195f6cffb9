"""Write the archives of stored trials that travel with the package, from results/reference: `make stored`."""

from pathlib import Path

from nmfrepro.results.reference import ARCHIVES, SUFFIX, archive, names, pack

SOURCE = Path(__file__).parent


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
    print(f"{len(wanted)} archives, {total:,} bytes")


if __name__ == "__main__":
    main()
