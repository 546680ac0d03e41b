"""Scores ``forensics compare`` on the PAN 2013 text-alignment training corpus: given pairs, and all pairs at once.

    python benchmarks/pan13.py DATA SCORER [--out RESULT.json] [--only given|all]

DATA is the folder with suspicious, source, pairs and cases (Parquet); SCORER is ``plagdet.py``. The peer beside it is
PAN's own baseline: exact runs of 50 characters. Prints a table and writes the same as JSON.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from forensics.match.normalise import fold
from forensics.match.seeds import GramIndex, seed_grams, segments

BASELINE = 50
KINDS = ("02-no-obfuscation", "03-random-obfuscation", "04-translation-obfuscation", "05-summary-obfuscation", "all")


def main() -> None:
    """Runs what is asked for and prints one line per run and kind."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("scorer", type=Path)
    args.add_argument("--out", type=Path)
    args.add_argument("--only", choices=("given", "all", "baseline"))
    chosen = args.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = {
            "given": lambda out: compare(chosen.data, Path(folder), out, given=True),
            "all": lambda out: compare(chosen.data, Path(folder), out, given=False),
            "baseline": lambda out: baseline(chosen.data, out),
        }
        results = {}
        for name, run in runs.items():
            if chosen.only in {None, name}:
                out = Path(folder) / f"{name}.parquet"
                began = time.perf_counter()
                run(out)
                results[name] = {"seconds": round(time.perf_counter() - began, 1), "kinds": score(chosen, out)}
                show(name, results[name])
    if chosen.out:
        chosen.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def compare(data: Path, folder: Path, out: Path, *, given: bool) -> None:
    """Runs the command as a user would."""
    command = [sys.executable, "-c", "from forensics.cli.app import main; main()", "compare", "--out", str(out)]
    command += ["--prompts", str(data / "source.parquet"), "--responses", str(data / "suspicious.parquet")]
    if given:
        pairs = pq.read_table(data / "pairs.parquet").select(["suspicious", "source"])
        pq.write_table(pairs.rename_columns(["response_id", "prompt_id"]), folder / "pairs.parquet")
        command += ["--pairs", str(folder / "pairs.parquet")]
    subprocess.run(command, check=True)


def baseline(data: Path, out: Path) -> None:
    """Exact runs of 50 folded bytes on the given pairs: what PAN's baseline does with characters."""
    texts = {
        side: dict(zip(*pq.read_table(data / f"{side}.parquet").to_pydict().values(), strict=True))
        for side in ("suspicious", "source")
    }
    listed = defaultdict(list)
    for row in pq.read_table(data / "pairs.parquet").to_pylist():
        listed[row["suspicious"]].append(row["source"])
    rows = []
    for suspicious, sources in listed.items():
        mine = fold(texts["suspicious"][suspicious])
        index = GramIndex([seed_grams(mine, BASELINE)])
        for source in sources:
            theirs = fold(texts["source"][source])
            found, at = index.lookup(*seed_grams(theirs, BASELINE))
            runs = segments(index.response[found], index.at[found], at, BASELINE)
            for a, b, n in zip(runs.at.tolist(), runs.source_at.tolist(), runs.length.tolist(), strict=True):
                places = (mine.start[a], mine.end[a + n - 1], theirs.start[b], theirs.end[b + n - 1])
                rows.append((suspicious, source, *map(int, places)))
    names = ["response_id", "prompt_id", "response_start", "response_end", "prompt_start", "prompt_end"]
    pq.write_table(pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows]), out)


def score(chosen: argparse.Namespace, out: Path) -> dict[str, dict[str, float]]:
    """Returns what the scorer says of each kind."""
    command = [sys.executable, str(chosen.scorer), str(chosen.data), str(out), "--json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    scores: dict[str, dict[str, float]] = json.loads(told)
    return scores


def show(name: str, result: dict[str, object]) -> None:
    """Prints one run."""
    kinds: dict[str, dict[str, float]] = result["kinds"]  # type: ignore[assignment]
    for kind in KINDS:
        s = kinds[kind]
        print(
            f"{name:9} {result['seconds']:>7} s  {kind:27} plagdet {s['plagdet']:.3f}  precision {s['precision']:.3f}  "
            f"recall {s['recall']:.3f}  granularity {s['granularity']:.3f}  pair recall {s['pair_recall']:.3f}"
        )
    print(f"{name:9} pairs of 01 flagged: {kinds['01-no-plagiarism']['pairs_flagged_without_case']}")


if __name__ == "__main__":
    main()
