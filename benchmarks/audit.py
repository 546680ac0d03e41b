"""Fourteen nights through the audit, twice: with texts kept, and with fingerprints only.

    python -m benchmarks.audit WORK [--nights 14] [--crowd 4]

Three nights leak, one night never arrives, one file comes a night late, and one run is killed. Printed and checked:
what was told against what happened, each once; what the last night costs against its own data analysed alone (CPU
seconds of the process, all threads); and which leaks of 60 letters or digits or more the fingerprints find of those
that texts find.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forensics.audit.config import load
from forensics.audit.result import Result
from forensics.audit.run import Audit
from forensics.scenario.nights import Nights, script, write_nights
from forensics.scenario.truth import Expected

LETTERS = 60
LATE = "sglang/decode-a/req/pd-decode-a_0.log"
EXPECT = "".join(f'[[expect]]\nworker = "{name}"\nhours = [8]\n' for name in ("gateway", "decode-a", "decode-b"))
FINGERPRINTS = '[keep]\nretention = "fingerprints"\nkey_file = "../audit.key"\n'
FIRST = datetime(2026, 10, 6, 23, tzinfo=UTC)


@dataclass
class Played:
    """What an audit told over all nights, and what its last run cost in CPU seconds."""

    results: list[Result] = field(default_factory=list)
    last_cpu_s: float = 0.0

    @property
    def told(self) -> Counter[str]:
        """How often each request was told as a finding."""
        return Counter(row["request_id"] for each in self.results for row in each.findings)

    @property
    def disclosed(self) -> set[str]:
        """The requests of which it was told, then or later, that they carry another tenant's text."""
        rows = [row for each in self.results for row in (*each.findings, *each.changed)]
        return {row["request_id"] for row in rows if row["disclosure"] in ("confirmed", "probable")}


@dataclass(frozen=True)
class Plan:
    """Which nights (from 0) leak, never arrive, lack a file that comes a night late, and are killed at first."""

    nights: int
    leaks: frozenset[int]
    missing: int
    late: int
    killed: int


def fourteen(nights: int = 14) -> Plan:
    """Returns the plan for so many nights."""
    return Plan(nights, frozenset({nights // 3, nights // 2 + 1, nights - 2}), 2, nights // 3, nights // 2 + 1)


def simulate(work: Path, plan: Plan, *, crowd: int, seed: int = 1) -> Nights:
    """Writes all nights to ``work/sim``."""
    return write_nights(work / "sim", script(plan.nights, plan.leaks, seed=seed, crowd=crowd), plan.nights, seed=seed)


def play(work: Path, nights: Nights, plan: Plan, name: str, settings: str, *, with_controls: bool = False) -> Played:
    """Delivers night after night to an audit of its own and returns what it told."""
    base = work / name
    shutil.rmtree(base, ignore_errors=True)
    (base / "logs").mkdir(parents=True)
    shutil.copy(nights.case, base / "case.toml")
    (base / "audit.toml").write_text(f'inputs = ["logs"]\n{EXPECT}{settings}')
    (work / "audit.key").write_text("0123456789abcdef0123456789abcdef")
    played = Played()
    for night, folder in enumerate(nights.folders):
        if night != plan.missing:
            shutil.copytree(folder, base / "logs" / folder.name)
        if night == plan.late:
            (base / "logs" / folder.name / LATE).unlink()
        if night == plan.late + 1:
            before = nights.folders[plan.late]
            shutil.copy(before / LATE, base / "logs" / before.name / LATE)
        now = FIRST + timedelta(days=night)
        if night == plan.killed:
            kill(base, now)
        audit = Audit(load(base / "audit.toml"), base, with_controls)
        began = time.process_time()
        results = audit.run(now_ns=int(now.timestamp()) * 10**9)
        played.last_cpu_s = time.process_time() - began
        audit.tell(results)
        played.results += results
        for each in results:
            print(f"{name:>12} night {night:>2}: {len(each.findings)} findings, {len(each.holes)} holes, "
                  f"exit {each.exit_code()}, {played.last_cpu_s:.1f} CPU s", flush=True)  # fmt: skip
    return played


def kill(base: Path, now: datetime) -> None:
    """Starts a run in a process of its own and kills it in the midst of its analysis."""
    command = "from forensics.cli.app import main; main()"
    arguments = [sys.executable, "-c", command, "audit", str(base / "audit.toml"), "--now", now.isoformat()]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not (base / "store" / "work" / "case" / "case.duckdb").exists():
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)


def alone(work: Path, nights: Nights, *, with_controls: bool = False) -> float:
    """Returns the CPU seconds that the last night takes a store that holds nothing else."""
    base = work / "alone"
    shutil.rmtree(base, ignore_errors=True)
    (base / "logs").mkdir(parents=True)
    shutil.copy(nights.case, base / "case.toml")
    (base / "audit.toml").write_text(f'inputs = ["logs"]\n{EXPECT}')
    shutil.copytree(nights.folders[-1], base / "logs" / nights.folders[-1].name)
    began = time.process_time()
    Audit(load(base / "audit.toml"), base, with_controls).run(
        now_ns=int((FIRST + timedelta(days=60)).timestamp()) * 10**9
    )
    return time.process_time() - began


def wanted(nights: Nights, plan: Plan) -> set[str]:
    """Returns the requests that were affected in a night that arrived."""
    lost = (nights.folders[plan.missing] / "litellm" / "standard_logging.jsonl").read_text(encoding="utf-8")
    rows = [each for each in nights.truth.exchanges if each.integrity == "affected"]
    return {each.request_id for each in rows if each.request_id not in lost}


def long_leaks(nights: Nights) -> set[str]:
    """Returns the affected requests that carry a piece of another tenant of so many letters or digits, as it was."""
    return {
        each.request_id for each in nights.truth.exchanges if each.integrity == "affected" and _is_long(each, nights)
    }


def _is_long(each: Expected, nights: Nights) -> bool:
    tenant_of = {item.request_id: item.tenant for item in nights.truth.exchanges}
    foreign = [word for word in each.words if tenant_of.get(word["source"]) != each.tenant]
    return any(sum(letter.isalnum() for letter in word["output_text"]) >= LETTERS for word in foreign)


def main() -> int:
    """Plays both audits and prints how they did; returns 1 if they did not do as they must."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--nights", type=int, default=14)
    parser.add_argument("--crowd", type=int, default=4)
    parser.add_argument(
        "--controls", action="store_true", help="Plant controls in each run: the same cost on every night."
    )
    given = parser.parse_args()
    plan = fourteen(given.nights)
    nights = simulate(given.work, plan, crowd=given.crowd)
    texts = play(given.work, nights, plan, "plaintext", "", with_controls=given.controls)
    once = texts.told == Counter(wanted(nights, plan))
    print(f"told exactly once each: {once} ({len(texts.told)} findings)")
    cost = alone(given.work, nights, with_controls=given.controls)
    print(f"last night {texts.last_cpu_s:.2f} CPU s, alone {cost:.2f}: {texts.last_cpu_s / cost:.2f} times")
    prints = play(given.work, nights, plan, "fingerprints", FINGERPRINTS, with_controls=given.controls)
    same = prints.told == texts.told
    long = long_leaks(nights) & texts.disclosed
    found = len(long & prints.disclosed)
    print(f"fingerprints: the same findings: {same}; {found} of {len(long)} leaks of {LETTERS} letters or more")
    return 0 if once and same and texts.last_cpu_s <= 1.3 * cost and found >= 0.99 * len(long) else 1


if __name__ == "__main__":
    sys.exit(main())
