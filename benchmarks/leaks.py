"""Fingerprints against texts on many leaks: what an audit that keeps no text misses of what one with texts finds.

    python -m benchmarks.leaks WORK [--worlds 4] [--leaks 84] [--first 1] [--whole]

Each world has two nights. In the first, tenants send what will leak: prose, code, records of names and figures,
Chinese, Japanese, Russian, Korean. In the second, prompts that prefill cannot hold read the pages of the first, and
their answers say pieces of 60 to 2,000 letters or digits of it, in one manner each (``leaks_data.KINDS``), or say
nothing foreign (one in 13). Both audits get the same files; so does, with ``--whole``, one analysis of all of it, which
has all texts at hand. Printed by kind: how many leaks each finds, and what share of those that the audit with texts
finds the fingerprints find, with Wilson's interval. Exits 1 where that share is under 0.99.
"""

import argparse
import json
import math
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.audit import FINGERPRINTS, Plan, play
from benchmarks.leaks_data import KINDS, OWN, SHORTEST, Author, script
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.ingest.run import ingest
from forensics.scenario.nights import Nights, write_nights
from forensics.scenario.scorecard import FOUND, verdicts

GOAL: Final = 0.99
TOTAL: Final = "all kinds"
PLAN: Final = Plan(2, frozenset({1}), missing=-9, late=-9, killed=-9)


@dataclass(frozen=True)
class Leak:
    """A response of the second night: which kind it says, how many letters or digits of others."""

    request_id: str
    kind: str
    letters: int


def simulate(work: Path, leaks: int, seed: int) -> tuple[Nights, list[Leak]]:
    """Writes both nights to ``work/sim`` and returns what leaked."""
    shutil.rmtree(work / "sim", ignore_errors=True)
    planned = script(leaks, seed)
    author = Author(planned.world)
    nights = write_nights(work / "sim", planned, 2, seed=seed, author=author)
    affected = [each for each in nights.truth.exchanges if each.key in author.said]
    return nights, [Leak(each.request_id, *author.said[each.key]) for each in affected if each.integrity == "affected"]


def analysed(work: Path, nights: Nights) -> set[str]:
    """Returns of which requests one analysis of both nights says that they carry another tenant's text."""
    shutil.rmtree(work / "case", ignore_errors=True)
    case = Case.create(work / "case", nights.case.read_text(encoding="utf-8"))
    ingest(case, [str(folder) for folder in nights.folders], threads=1)
    analyze_case(case)
    return {row["request_id"] for row in verdicts(case) if row["disclosure"] in FOUND}


def wilson(found: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Returns the 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    share = found / of
    middle = share + z * z / (2 * of)
    width = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - width) / (1 + z * z / of), min(1.0, (middle + width) / (1 + z * z / of))


def found_by(work: Path, leaks: int, seed: int, *, whole: bool) -> tuple[list[Leak], dict[str, set[str]]]:
    """Plays one world; returns what leaked, and of which requests each says that they carry another tenant's text.

    What a world came to is kept in ``work``, so that a bench that was interrupted goes on with the next one.
    """
    kept = work / f"world-{seed}-of-{leaks}{'-whole' if whole else ''}.json"
    if not kept.exists():
        nights, said = simulate(work, leaks, seed)
        found = {
            "texts": play(work, nights, PLAN, "plaintext", "").disclosed,
            "prints": play(work, nights, PLAN, "fingerprints", FINGERPRINTS).disclosed,
            **({"analysis": analysed(work, nights)} if whole else {}),
        }
        told = {"leaks": [asdict(each) for each in said], "found": {name: sorted(ids) for name, ids in found.items()}}
        kept.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    told = json.loads(kept.read_text(encoding="utf-8"))
    return [Leak(**each) for each in told["leaks"]], {name: set(ids) for name, ids in told["found"].items()}


def main() -> int:
    """Plays the worlds and prints the table; returns 1 if fingerprints find too few."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--leaks", type=int, default=84, help="Over-pool prompts of each world.")
    parser.add_argument("--first", type=int, default=1, help="The first world's seed.")
    parser.add_argument("--whole", action="store_true", help="Also analyse each world with all its texts at hand.")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    leaks: list[Leak] = []
    found: dict[str, set[str]] = {}
    for seed in range(given.first, given.first + given.worlds):
        said, by = found_by(given.work, given.leaks, seed, whole=given.whole)
        leaks += said
        found = {name: found.get(name, set()) | ids for name, ids in by.items()}
    return 0 if _table(leaks, found) >= GOAL else 1


def _table(leaks: list[Leak], found: dict[str, set[str]]) -> float:
    """Prints what was found of each kind, then what not all found; returns the share of all kinds."""
    rows = {kind: [each for each in leaks if each.kind == kind and each.letters >= SHORTEST] for kind in KINDS}
    rows[TOTAL] = [each for some in rows.values() for each in some]
    names = sorted(found)
    print(f"{'kind':<24}{'leaks':>6}" + "".join(f"{name:>10}" for name in names) + "   prints of texts")
    share = 1.0
    for kind, mine in rows.items():
        ids = {each.request_id for each in mine}
        of, both = ids & found["texts"], ids & found["texts"] & found["prints"]
        share = len(both) / len(of) if of else 1.0
        low, high = wilson(len(both), len(of))
        counts = "".join(f"{len(ids & found[name]):>10}" for name in names)
        print(f"{kind:<24}{len(ids):>6}{counts}   {share:.3f} ({low:.3f}-{high:.3f})")
    own = {each.request_id for each in leaks if each.kind == OWN}
    print(f"{OWN:<24}{len(own):>6}" + "".join(f"{len(own & found[name]):>10}" for name in names))
    for each in leaks:
        saying = [name for name in names if each.request_id in found[name]]
        if len(saying) not in (0, len(names)) or (not saying and each.kind != OWN):
            print(f"  {each.request_id} {each.kind}, {each.letters} letters: found by {', '.join(saying) or 'none'}")
    return share


if __name__ == "__main__":
    sys.exit(main())
