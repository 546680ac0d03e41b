"""Sweeps made texts and says what came of it: time, memory, spill, planted leaks found, beside one DuckDB scan.

    python benchmarks/sweep_data.py CORPORA DATA --exchanges 100000
    python benchmarks/sweep.py DATA [--threads 2] [--memory 6GB] [--out sweep.json]

Prints a table and writes the same as JSON. The limit beside it is ``SELECT sum(hash(text))`` over the same files.
"""

import argparse
import hashlib
import json
import math
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq

from forensics.cli.sweeping import Ticker, memory_bytes
from forensics.match.sweep.corpus import Meta, Unit
from forensics.match.sweep.engine import Sweep, threshold
from forensics.match.sweep.state import State
from forensics.match.sweep.verify import Passage

PROBABLE, CONFIRMED = 12_000, 30_000  # margins in milli-bits, as in case.toml
NEAR = 10  # characters within which a span's end is right


class Made:
    """The texts of ``sweep_data.py``: prompts first, then responses, each numbered by its exchange."""

    def __init__(self, data: Path) -> None:
        columns: dict[str, list[Any]] = {"exchange": [], "tenant": [], "characters": [], "prompt": []}
        self.units: Sequence[Unit] = []
        units: list[Unit] = []
        for side in ("prompt", "response"):
            with pq.ParquetFile(data / f"{side}.parquet") as file:
                listed = file.read(columns=["exchange", "tenant"])
                base = sum(len(each) for each in columns["exchange"])
                for group in range(file.num_row_groups):
                    about = file.metadata.row_group(group)
                    units.append(Unit(data / f"{side}.parquet", group, base + np.arange(about.num_rows)))
                    size = about.column(2).total_uncompressed_size // about.num_rows
                    columns["characters"].append(np.full(about.num_rows, size))
                    base += about.num_rows
            columns["exchange"].append(listed["exchange"].to_numpy())
            columns["tenant"].append(listed["tenant"].to_numpy())
            columns["prompt"].append(np.full(len(listed), side == "prompt"))
        self.units = units
        exchange, tenant, characters = (
            np.concatenate(columns[name]).astype(np.int64) for name in ("exchange", "tenant", "characters")
        )
        prompt = np.concatenate(columns["prompt"])
        latest = np.iinfo(np.int64).max
        self.meta = Meta(
            tenant=tenant, exchange=exchange, characters=characters,
            since=np.where(prompt, 10 * exchange, 10 * exchange + 5),
            began=np.where(prompt, latest, 10 * exchange), until=np.where(prompt, latest, 10 * exchange + 5),
            prompt=prompt, answer=~prompt, tenants=int(tenant.max()) + 1,
        )  # fmt: skip


def main() -> None:
    """Sweeps and prints."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("--threads", type=int, default=2)
    args.add_argument("--memory", default="6GB")
    args.add_argument("--out", type=Path)
    args.add_argument("--show", type=int, default=0, help="print so many passages that were not planted")
    chosen = args.parse_args()
    result: dict[str, Any] = json.loads((chosen.data / "corpus.json").read_text(encoding="utf-8"))
    corpus = Made(chosen.data)
    least = threshold(corpus.meta, PROBABLE)
    with tempfile.TemporaryDirectory() as folder:
        state = State.open(Path(folder) / "state", "benchmark")
        began, used = time.monotonic(), time.process_time()
        sweep = Sweep(
            corpus, state, threads=chosen.threads, memory=memory_bytes(chosen.memory), least_milli=least,
            progress=Ticker(result["bytes"]),
        )  # fmt: skip
        found = sweep.passages()
        result["sweep_seconds"] = round(time.monotonic() - began, 1)
        result["cpu_seconds"] = round(time.process_time() - used, 1)
        spilled = sum(path.stat().st_size for path in Path(folder).rglob("*.npy"))
    result["peak_gb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    result["spill_gb"] = round(spilled / 1e9, 2)
    result["threads"], result["memory"] = chosen.threads, chosen.memory
    result["steps"] = {step: round(seconds, 1) for step, seconds in sweep.figures.seconds.items()}
    result["figures"] = {k: v for k, v in vars(sweep.figures).items() if k != "seconds"}
    said = [(p.answer, p.source, *vars(p.span).values()) for p in found]
    result["findings"] = hashlib.sha256(repr(said).encode()).hexdigest()[:16]
    result["passages"], result["by_chance"] = len(found), len(sweep.chance)
    result["kinds"], result["not_planted"] = judge(chosen.data, corpus, found, least - PROBABLE + CONFIRMED)
    result["scan_seconds"] = scanned(chosen.data, chosen.threads, chosen.memory)
    result["ratio"] = round(result["sweep_seconds"] / max(result["scan_seconds"], 0.01), 1)
    show(result)
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def scanned(data: Path, threads: int, memory: str) -> float:
    """Returns the seconds of one scan over the same texts."""
    with duckdb.connect(config={"threads": threads, "memory_limit": memory}) as con:
        began = time.monotonic()
        files = [str(data / f"{side}.parquet") for side in ("prompt", "response")]
        con.execute("SELECT sum(hash(text)) FROM read_parquet($files)", {"files": files}).fetchall()
        return round(time.monotonic() - began, 1)


def judge(
    data: Path, corpus: Made, found: Sequence[Passage], confirmed: int, by: str = "kind"
) -> tuple[dict[str, Any], dict[str, int]]:
    """Returns, by a column of the truth, how many leaks were found and how well; and what was not planted."""
    truth = pq.read_table(data / "truth.parquet").to_pylist()
    exchange, tenant = corpus.meta.exchange, corpus.meta.tenant
    of: dict[int, list[Passage]] = {}
    for passage in found:
        of.setdefault(int(exchange[passage.answer]), []).append(passage)
    count: dict[str, Counter[str]] = {}
    planted = set()
    for leak in truth:
        tally = count.setdefault(leak[by], Counter())
        tally["planted"] += 1
        near = [
            p for p in of.get(leak["response"], [])
            if p.span.response_start < leak["response_end"] and p.span.response_end > leak["response_start"]
            and tenant[p.source] == tenant[leak["source"]]
        ]  # fmt: skip
        planted |= {id(p) for p in near}
        if near:
            best = max(near, key=lambda p: p.span.bits_milli)
            tally["found"] += 1
            tally["confirmed"] += best.span.bits_milli >= confirmed
            tally["ends"] += abs(best.span.response_start - leak["response_start"]) <= NEAR
            tally["ends"] += abs(best.span.response_end - leak["response_end"]) <= NEAR
    others = [p for p in found if id(p) not in planted]
    responses = {"passages": len(others), "responses": len({p.answer for p in others})}
    responses["confirmed"] = sum(p.span.bits_milli >= confirmed for p in others)
    kinds = {kind: dict(row) | {"wilson": wilson(row["found"], row["planted"])} for kind, row in count.items()}
    return kinds, responses


def wilson(found: int, of: int) -> list[float]:
    """Returns the 95 % Wilson interval of a share."""
    z = 1.96
    share, width = found / of, 1 + z * z / of
    middle = (share + z * z / (2 * of)) / width
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / width
    return [round(middle - half, 4), round(middle + half, 4)]


def show(result: dict[str, Any]) -> None:
    """Prints what the sweep took, and the table."""
    print(f"{result['exchanges']:,} exchanges, {result['bytes'] / 1e9:.2f} GB, {result['tenants']:,} tenants")
    print(f"sweep {result['sweep_seconds']} s ({result['cpu_seconds']} s of processor), scan "
          f"{result['scan_seconds']} s, ratio {result['ratio']}, peak {result['peak_gb']} GB, "
          f"spill {result['spill_gb']} GB")  # fmt: skip
    figures = result["figures"]
    print("steps", result["steps"], "batches", figures["batches"], "nominated", figures["nominated"])
    print(f"findings {result['findings']}: {result['passages']} passages, not planted {result['not_planted']}, "
          f"from later texts {result['by_chance']}")  # fmt: skip
    show_kinds(result["kinds"])


def show_kinds(kinds: Mapping[str, Any]) -> None:
    """Prints one line per kind of leak: share found, number confirmed, share of ends within ten characters."""
    print(f"{'kind':<22}{'planted':>9}{'recall':>8}{'confirmed':>11}{'ends':>7}   95 %")
    for kind, row in kinds.items():
        found = row.get("found", 0)
        print(f"{kind:<22}{row['planted']:>9}{found / row['planted']:>8.3f}{row.get('confirmed', 0):>11}"
              f"{row.get('ends', 0) / max(1, 2 * found):>7.3f}   {row['wilson']}")  # fmt: skip


if __name__ == "__main__":
    main()
