"""Ingest against a bare ``read_json`` of the same file into a table: JSON lines, the same compressed, and 20 MB lines.

    python benchmarks/ingest.py --megabytes 150 --times 3 --json ingest.json

Every measurement is a process of its own, the shortest of several counts, and bare and ingest take turns, so that a
busy machine is unfair to neither. CPU seconds are those of all threads; memory is the largest resident set.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import duckdb
from payloads import payload

from forensics.case.folder import Case
from forensics.ingest.run import ingest

DECLARED = '[[source]]\nfiles = "*"\nzone = "UTC"\n'
LONG = 20 << 20
"""Bytes of one very long line."""


def write(path: Path, size: int, characters: int) -> None:
    """Writes records to ``path`` until they are ``size`` bytes, and the same compressed beside it."""
    dice = Random(7)
    with path.open("w", encoding="utf-8") as out:
        number = 0
        while out.tell() < size:
            out.write(json.dumps(payload(dice, number, characters)) + "\n")
            number += 1
    with path.open("rb") as plain, gzip.open(f"{path}.gz", "wb", compresslevel=6) as packed:
        while chunk := plain.read(1 << 20):
            packed.write(chunk)


def bare(path: Path, folder: Path, threads: int) -> None:
    """Reads the file into a table of a database on disk."""
    con = duckdb.connect(str(folder / "bare.duckdb"), config={"threads": threads})
    con.execute("CREATE TABLE held AS SELECT * FROM read_json(?, maximum_object_size = 268435456)", [str(path)])
    con.execute("CHECKPOINT")
    con.close()


def whole(path: Path, folder: Path, threads: int) -> None:
    """Ingests the file into a new case."""
    case = Case.create(folder / "case", DECLARED)
    report = ingest(case, [path], threads=threads)
    assert report.problems == [], report.problems
    assert report.files[0].records_kept == report.files[0].records_read > 0


WAYS: dict[str, Callable[[Path, Path, int], None]] = {"read_json": bare, "ingest": whole}


def once(way: str, path: Path, threads: int) -> dict[str, float]:
    """Runs one way in this process and returns what it took; what loads the programs is not counted."""
    with tempfile.TemporaryDirectory() as scratch:
        wall, cpu = time.monotonic(), time.process_time()
        WAYS[way](path, Path(scratch), threads)
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    return {"wall": wall, "cpu": cpu, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measured(path: Path, threads: int, times: int) -> dict[str, dict[str, float]]:
    """Returns, for either way, the shortest times and the most memory."""
    found: dict[str, dict[str, float]] = {}
    for _ in range(times):
        for way in WAYS:
            command = [sys.executable, __file__, "--once", way, "--file", str(path), "--threads", str(threads)]
            told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ).stdout)
            best = found.setdefault(way, told)
            found[way] = {
                "wall": min(best["wall"], told["wall"]),
                "cpu": min(best["cpu"], told["cpu"]),
                "mib": max(best["mib"], told["mib"]),
            }
    return found


def rows(folder: Path, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yields one row per file that is measured."""
    size = arguments.megabytes * 1_000_000
    for name, total, characters in (
        ("8 kB lines", size, 8_000),
        ("1 kB lines", size // 2, 200),
        ("100 kB lines", size, 100_000),
        ("20 MB lines", 5 * LONG, LONG),
    ):
        path = folder / f"{name.replace(' ', '_')}.jsonl"
        write(path, total, characters)
        for given in (path, Path(f"{path}.gz")):
            found = measured(given, arguments.threads, arguments.times)
            yield {"file": name + (", gzip" if given.suffix == ".gz" else ""), "bytes": given.stat().st_size, **found}
            given.unlink()


def main() -> None:
    """Prints one line per file, and writes them as JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--megabytes", type=int, default=150)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--once", choices=list(WAYS))
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    if arguments.once:
        print(json.dumps(once(arguments.once, arguments.file, arguments.threads)))
        return
    print(f"{'':<20}{'':>7}{'read_json':>16}{'ingest':>24}{'times':>15}")
    print(f"{'file':<20}{'MB':>7}" + f"{'wall':>8}{'CPU':>8}" * 2 + f"{'MiB':>8}{'wall':>9}{'CPU':>6}")
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows(Path(scratch), arguments):
            plain, ours = row["read_json"], row["ingest"]
            row["times_wall"], row["times_cpu"] = ours["wall"] / plain["wall"], ours["cpu"] / plain["cpu"]
            found.append(row)
            print(
                f"{row['file']:<20}{row['bytes'] / 1e6:>7.1f}{plain['wall']:>8.2f}{plain['cpu']:>8.2f}"
                f"{ours['wall']:>8.2f}{ours['cpu']:>8.2f}{ours['mib']:>8.0f}{row['times_wall']:>9.2f}{row['times_cpu']:>6.2f}",
                flush=True,
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
