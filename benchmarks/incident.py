"""Twenty seeds of every small world and its fixed twin, and five of the incident at full length, judged by the truth.

Prints a table and writes the same as JSON: wrong verdicts (integrity, mechanism, outcome, false confirmed), the share
of visible leaks found with the right source tenant, seconds per stage. The loose rules that look right and are not
(``benchmarks/loose``) are run over the same cases, and their errors counted.

    .venv/bin/python benchmarks/incident.py [--worlds 20] [--full 5] [--small 0] [--out incident.json]

Exit code 0: no wrong verdict anywhere, at least 95 % found in every world, and every loose rule fails somewhere.
"""

import argparse
import contextlib
import io
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.disclose.run import read_summary, report
from forensics.ingest.run import ingest
from forensics.scenario.faulty import EVERY
from forensics.scenario.incident.write import write_incident
from forensics.scenario.scorecard import Scorecard, score, verdicts
from forensics.scenario.truth import StoryTruth
from forensics.scenario.worlds import write_world

LOOSE = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "loose").glob("*.sql"))
}
Write = Callable[[Path], StoryTruth]
Row = dict[str, Any]


def run(name: str, seed: int, write: Write, *, with_report: bool = False) -> Row:
    """Takes one world through the road and returns what came of it."""
    root = Path(tempfile.mkdtemp(prefix=f"{name}-{seed}-"))
    try:
        clock = [time.monotonic()]
        truth = write(root)
        clock.append(time.monotonic())
        case = Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
        with contextlib.redirect_stderr(io.StringIO()):
            ingest(case, [truth.logs], threads=case.config.resources.threads)
            clock.append(time.monotonic())
            with case.lock():
                analyze_case(case, with_controls=False)
            clock.append(time.monotonic())
            headline = read_summary(report(case))["headline"] if with_report else ""
        clock.append(time.monotonic())
        card = score(verdicts(case), truth)
        return _row(name, seed, card, clock) | {"headline": headline, "loose": loose(case, truth)}
    finally:
        shutil.rmtree(root)


def _row(name: str, seed: int, card: Scorecard, clock: list[float]) -> Row:
    stages = ("making", "ingest", "analyze", "report")
    return {
        "world": name,
        "seed": seed,
        "exchanges": card.exchanges,
        "affected": card.affected,
        "visible": card.visible,
        "found": card.found,
        "missed": card.missed,
        "faults": card.faults,
        "seconds": {stage: round(clock[at + 1] - clock[at], 1) for at, stage in enumerate(stages)},
    }


def loose(case: Case, truth: StoryTruth) -> Row:
    """Returns how often each loose rule is wrong in this case: named and clean, or affected and not named."""
    late = {item.request_id for item in truth.exchanges if item.mechanism == "late_write"}
    over = {item.request_id for item in truth.exchanges if item.mechanism == "over_pool"}
    tenant_of = {item.request_id: item.tenant for item in truth.exchanges}
    owners = {item.request_id: {tenant_of[one] for one in item.source_request_ids} for item in truth.exchanges}
    with connect(case) as con:
        said = {name: con.execute(sql).fetchall() for name, sql in LOOSE.items()}
    aborted = {request for (request,) in said["after_abort"]}
    longer = {request for (request,) in said["above_pool"]}
    before = [(request, tenant) for request, tenant in said["one_before"] if owners.get(request)]
    return {
        "after_abort": {"wrong": len(aborted - late), "missed": len(late - aborted)},
        "above_pool": {"wrong": len(longer - over), "missed": len(over - longer)},
        "one_before": {"wrong": sum(tenant not in owners[request] for request, tenant in before), "missed": 0},
    }


def _small_worlds(seeds: int) -> list[Row]:
    rows = []
    for name, make in EVERY.items():
        for fixed in (False, True):
            for seed in range(1, seeds + 1):

                def write(root: Path, *, seed: int = seed, fixed: bool = fixed) -> StoryTruth:
                    return write_world(root, make(seed), seed=seed, fixed_engine=fixed)  # noqa: B023 - run at once

                rows.append(run(name + (" fixed" if fixed else ""), seed, write))
    return rows


def _incidents(seeds: int, *, small: bool) -> list[Row]:
    rows = []
    for seed in range(1, seeds + 1):
        name = "incident small" if small else "incident"
        rows.append(run(name, seed, lambda root, s=seed: write_incident(root, seed=s, small=small), with_report=True))
        print(f"{name} {seed}: {rows[-1]['headline']}", flush=True)
    return rows


def table(rows: list[Row]) -> str:
    """Returns one line per world, sums over its seeds."""
    lines = [
        f"{'world':<24}{'seeds':>6}{'exchanges':>10}{'affected':>9}{'wrong':>6}{'visible':>8}{'found':>7}{'seconds':>9}"
    ]
    for name in dict.fromkeys(row["world"] for row in rows):
        mine = [row for row in rows if row["world"] == name]
        visible, found = (sum(row[key] for row in mine) for key in ("visible", "found"))
        share = f"{found / visible:.1%}" if visible else "–"
        seconds = sum(sum(row["seconds"].values()) for row in mine) / len(mine)
        lines.append(
            f"{name:<24}{len(mine):>6}{sum(row['exchanges'] for row in mine):>10,}"
            f"{sum(row['affected'] for row in mine):>9,}{sum(len(row['faults']) for row in mine):>6}"
            f"{visible:>8,}{share:>7}{seconds:>9.1f}"
        )
    for rule in LOOSE:
        wrong, missed = (sum(row["loose"][rule][key] for row in rows) for key in ("wrong", "missed"))
        lines.append(f"loose rule {rule}: wrong {wrong:,} times, misses {missed:,}")
    return "\n".join(lines)


def main() -> int:
    """Runs everything; returns 1 if any world is judged wrongly or a loose rule does as well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=20, help="seeds of each small world")
    parser.add_argument("--full", type=int, default=5, help="seeds of the incident at full length")
    parser.add_argument("--small", type=int, default=0, help="seeds of the incident at a hundredth of the lengths")
    parser.add_argument("--out", type=Path, help="where to write the JSON")
    asked = parser.parse_args()
    rows = [
        *_small_worlds(asked.worlds),
        *_incidents(asked.small, small=True),
        *_incidents(asked.full, small=False),
    ]
    print(table(rows))
    for row in rows:
        for fault in (*row["faults"], *row["missed"]):
            print(f"{row['world']} {row['seed']}: {fault}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"at most {peak / 2**20:.1f} GiB of memory")
    if asked.out:
        asked.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    names = {row["world"] for row in rows}
    enough = all(_recall(rows, name) >= 0.95 for name in names)
    fail = all(any(sum(row["loose"][rule].values()) for row in rows) for rule in LOOSE)
    return 0 if enough and fail and not any(row["faults"] for row in rows) else 1


def _recall(rows: list[Row], name: str) -> float:
    visible, found = (sum(row[key] for row in rows if row["world"] == name) for key in ("visible", "found"))
    return found / visible if visible else 1.0


if __name__ == "__main__":
    sys.exit(main())
