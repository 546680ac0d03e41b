"""Prefix-cache timing (T1) on simulated tenants: how often sharing is found, how often alleged where there is none.

Arrivals, lengths and bursts as fitted to public traces (``fit_arrivals.py``), with queueing, jitter, stalls, caches
that forget, and tenants that send before dawn what they share (``forensics/scenario/caches.py``). Each world is played
where all tenants share their caches, where every other one has a salt, and where all have one. It is put to the
product's own SQL and statistics, and to two naive rules: a first use under 0.7 of what its first sender waited, for
any or for most of a tenant's first uses. Prints a table, writes JSON, and exits 1 where, of tenants that all share,
fewer than 0.95 are named, or anywhere more than one in a thousand of those that do not share. Where only some share, a
first use is not always a hit, so power is shown there and not judged.

    .venv/bin/python benchmarks/timing.py [--tenants 1000] [--seeds 1] [--out timing.json]
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import duckdb

from forensics.case.folder import Case
from forensics.scenario.caches import Habits, Service, Use, is_salted, load_tables, play
from forensics.timing.run import weigh

NAIVE = 0.7
SALTED = (0.0, 0.5, 1.0)
RULES = ("ours", "any", "most")
POWER, FALSE_ALARMS = 0.95, 0.001
WORLDS = {
    "quiet": (Service(load=0.3), Habits()),
    "busy": (Service(load=0.6), Habits()),
    "jittery": (Service(load=0.5, jitter=0.35, stalls=0.03), Habits()),
    "forgetful": (Service(load=0.5, cache_tokens=4_000_000), Habits()),
    "night work": (Service(load=0.6), Habits(night_workers=1.0)),
}


def found(uses: list[Use], habits: Habits) -> tuple[set[int], str]:
    """Returns the tenants that the product names, and what it says of the boundary between tenants."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as con:
        load_tables(con, uses, habits)
        weigh(con, Case.create(Path(folder) / "case", ""))
        rows = con.execute("SELECT tenant FROM timing_test WHERE boundary = 'tenants' AND status = 'shared'").fetchall()
        said = con.execute("SELECT status FROM isolation WHERE boundary = 'tenants'").fetchone()
    return {int(name[1:]) for (name,) in rows}, said[0] if said else ""


def naive(uses: list[Use]) -> tuple[set[int], set[int]]:
    """Returns the tenants that the naive rule names by any of their first uses, and by most of them."""
    seen: set[tuple[int, str]] = set()
    under: dict[int, list[bool]] = defaultdict(list)
    for use in uses:
        if (use.tenant, use.prefix) not in seen and use.sender_waited is not None:
            under[use.tenant].append(use.waited < NAIVE * use.sender_waited)
        seen.add((use.tenant, use.prefix))
    return (
        {tenant for tenant, each in under.items() if any(each)},
        {tenant for tenant, each in under.items() if sum(each) * 2 > len(each)},
    )


def measure(name: str, salted: float, tenants: int, seed: int) -> dict[str, Any]:
    """Returns one row of the table: how many tenants that share, and how many that do not, each rule names."""
    service, habits = replace(WORLDS[name][0], salted=salted), WORLDS[name][1]
    uses = play(service, habits, tenants, seed=seed)
    apart = {tenant for tenant in range(tenants) if is_salted(service, habits, tenant)}
    named, said = found(uses, habits)
    by_any, by_most = naive(uses)
    row: dict[str, Any] = {
        "world": name,
        "seed": seed,
        "sharing": tenants - len(apart),
        "apart": len(apart),
        "said": said,
    }
    for rule, names in (("ours", named), ("any", by_any), ("most", by_most)):
        row |= {f"{rule}_right": len(names - apart), f"{rule}_wrong": len(names & apart)}
    powerful = bool(apart) or row["ours_right"] >= POWER * tenants
    row["good"] = powerful and row["ours_wrong"] <= FALSE_ALARMS * tenants
    return row


def main() -> int:
    """Prints and writes the table; returns 1 where the judged world misses its goals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("timing.json"))
    parser.add_argument("--world", action="append", choices=sorted(WORLDS), help="Only this world; may be repeated.")
    asked = parser.parse_args()
    print(
        f"{'world':<12}{'seed':>5}{'sharing':>9}{'apart':>7}   {'named rightly':^23}   {'named wrongly':^23}   boundary"
    )
    print(f"{'':<33}   {'ours / any / most':^23}   {'ours / any / most':^23}")
    rows = []
    for name, seed, salted in product(asked.world or WORLDS, range(1, asked.seeds + 1), SALTED):
        row = measure(name, salted, asked.tenants, seed)
        right, wrong = (" / ".join(f"{row[f'{rule}_{how}']:>5}" for rule in RULES) for how in ("right", "wrong"))
        head = f"{name:<12}{seed:>5}{row['sharing']:>9}{row['apart']:>7}"
        print(f"{head}   {right:^23}   {wrong:^23}   {row['said']}", flush=True)
        rows.append(row)
    good = [row["good"] for row in rows]
    asked.out.write_text(json.dumps({"rows": rows, "power": POWER, "false_alarms": FALSE_ALARMS}, indent=1) + "\n")
    print(f"power at least {POWER} and at most 1 false alarm in 1,000 tenants: {sum(good)} of {len(good)} worlds")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
