"""Every world of the simulator from one side alone: a gateway's records, prefill's, decode's, one tenant's.

    python -m benchmarks.scopes [--seeds 2] [--world NAME …]

Each world is analysed with all its records, then with those of one side only. Checked: no verdict contradicts the whole
one (affected against not affected, or confirmed with another source), what is affected lies between the printed bounds,
the report names what is missing, and one tenant's records never say *not affected*. Prints a line per world, seed and
side, with what each side could still prove; exits 1 if anything fails.
"""

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Final

from forensics.case.database import connect, dicts
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.disclose.headline import headline
from forensics.disclose.summary import summary
from forensics.disclose.tables import prepare
from forensics.ingest.run import ingest
from forensics.scenario.faulty import EVERY
from forensics.scenario.worlds import write_world

LACKS: Final[Mapping[str, set[str]]] = {
    "gateway": {"prefill_logs", "decode_logs", "limits"},
    "prefill": {"client_records", "decode_logs"},
    "decode": {"client_records", "prefill_logs", "limits"},
    "one-tenant": {"prefill_logs", "decode_logs", "limits", "other_tenants"},
}
"""What each side must say that it lacks."""
_IDS: Final = (
    "SELECT v.*, x.room, x.decode_rid, x.prefill_rid FROM verdict AS v INNER JOIN exchange AS x USING (exchange_id) "
    "ORDER BY v.exchange_id"
)
_COUNTED: Final = ("customer", "unresolved")

Verdict = Mapping[str, Any]


@dataclass
class Told:
    """What one side's records give: verdicts by integrity, bounds, and every fault as a sentence."""

    side: str
    integrity: dict[str, int] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)
    truly: int = 0
    faults: list[str] = field(default_factory=list)


def whole(root: Path, name: str, seed: int) -> list[dict[str, Any]]:
    """Writes a world to ``root`` and returns the verdicts that all its records give."""
    write_world(root, EVERY[name](seed), seed=seed)
    (root / "whole").mkdir()
    shutil.copytree(root / "logs", root / "whole" / "logs")
    return _verdicts(_analysed(root, root / "whole" / "logs"))


def one_side(root: Path, side: str, full: list[dict[str, Any]], place: Path) -> Told:
    """Returns what the records of ``side`` alone give, judged by the verdicts of all of them."""
    shutil.copytree(root / "logs", place / "logs")
    _KEEP[side](place / "logs")
    case = _analysed(root, place / "logs", side if side in ("gateway", "one-tenant") else "provider")
    rows = _verdicts(case)
    with connect(case) as con:
        prepare(con, case)
        counts = summary(con, case)
    told = Told(side, bounds=dict(counts["bounds"]))
    for row in rows:
        told.integrity[row["integrity"]] = told.integrity.get(row["integrity"], 0) + 1
    pairs = [(row, match) for row in rows if (match := _match(row, full))]
    if not pairs:
        told.faults.append("no exchange is known to both")
    for row, match in pairs:
        told.faults += [f"{row['request_id']}: {fault}" for fault in _contradictions(row, match)]
    told.truly = sum(m["integrity"] == "affected" for r, m in pairs if r["tenant_class"] in _COUNTED)
    unsure = len(rows) - len(pairs)
    told.faults += _misled(told, counts, headline(counts), unsure)
    return told


def _contradictions(row: Verdict, match: Verdict) -> list[str]:
    faults = []
    if {row["integrity"], match["integrity"]} == {"affected", "not_affected"}:
        faults.append(f"{row['integrity']} ({row['integrity_reason']}), by all records {match['integrity']}")
    if row["disclosure"] == "confirmed" and row["source_tenant"] not in (match["source_tenant"], None):
        faults.append(f"confirmed with {row['source_tenant']}, by all records {match['source_tenant']}")
    return faults


def _misled(told: Told, counts: dict[str, Any], sentence: str, unsure: int) -> list[str]:
    """Returns what is wrong with a side's bounds and with what it says of itself.

    ``unsure`` exchanges share forged ids: one side alone cannot tell which of several each is.
    """
    faults = []
    certain, possible = told.bounds["certain"], told.bounds["possible"]
    if not (certain <= told.truly + unsure and told.truly <= possible):
        faults.append(f"{told.truly} affected (and {unsure} unsure) do not lie within {certain} to {possible}")
    if missing := LACKS[told.side] - {each["what"] for each in counts["missing"]}:
        faults.append(f"does not say that it lacks {', '.join(sorted(missing))}")
    if told.side == "one-tenant":
        if told.integrity.get("not_affected"):
            faults.append(f"{told.integrity['not_affected']} read not affected")
        if "cannot show that any response was not affected" not in sentence:
            faults.append("does not say what one tenant's records cannot show")
    if told.side == "gateway" and not sentence.startswith("From a gateway's records alone: at least "):
        faults.append("does not begin with its bounds")
    return faults


def _analysed(root: Path, logs: Path, scope: str = "provider") -> Case:
    declared = (root / "case.toml").read_text(encoding="utf-8")
    case = Case.create(logs.parent / "case", f'scope = "{scope}"\n{declared}')
    problems = ingest(case, [logs]).problems
    if problems:
        raise problems[0]
    analyze_case(case, with_controls=False)
    return case


def _verdicts(case: Case) -> list[dict[str, Any]]:
    """Returns the verdicts with the ids that the other sides know."""
    with connect(case) as con:
        return dicts(con.execute(_IDS))


def _match(row: Verdict, full: list[dict[str, Any]]) -> Verdict | None:
    """Returns the whole verdict of the same exchange: by the decode rid, the prefill rid, or the client's own id.

    What shares its ids with another exchange is left out: one side alone cannot tell which it is.
    """
    for name in ("decode_rid", "prefill_rid", "request_id"):
        if row[name] is not None:
            same = [each for each in full if each[name] == row[name]]
            return same[0] if len(same) == 1 else None
    return None


def _gateway(logs: Path) -> None:
    shutil.rmtree(logs / "sglang")
    shutil.rmtree(logs / "router")


def _engines(role: str) -> Callable[[Path], None]:
    def keep(logs: Path) -> None:
        shutil.rmtree(logs / "litellm")
        shutil.rmtree(logs / "router")
        for path in (logs / "sglang").iterdir():
            if path.is_dir() and not path.name.startswith(role) and path.name != "server_info":
                shutil.rmtree(path)
        for path in (logs / "sglang" / "server_info").iterdir():
            if not path.name.startswith(role):
                path.unlink()

    return keep


def _one_tenant(logs: Path) -> None:
    """Keeps what the tenant with the most calls was sent."""
    _gateway(logs)
    path = logs / "litellm" / "standard_logging.jsonl"
    lines = path.read_text(encoding="utf-8", errors="surrogatepass").splitlines(keepends=True)
    owners = [_owner(json.loads(line)) for line in lines]
    most = max(sorted(set(owners)), key=owners.count)
    kept = "".join(line for line, owner in zip(lines, owners, strict=True) if owner == most)
    path.write_text(kept, encoding="utf-8", errors="surrogatepass")


def _owner(payload: Mapping[str, Any]) -> str:
    metadata = payload["metadata"]
    tenant = (metadata.get("requester_metadata") or {}).get("tenant")
    header = (metadata.get("requester_custom_headers") or {}).get("x-tenant-id")
    user = (payload.get("end_user") or "").partition(":")
    return str(tenant or header or (user[0] if user[1] else "") or metadata.get("user_api_key_team_alias"))


_KEEP: Final[Mapping[str, Callable[[Path], None]]] = {
    "gateway": _gateway,
    "prefill": _engines("prefill"),
    "decode": _engines("decode"),
    "one-tenant": _one_tenant,
}


def main() -> int:
    """Prints a line per world, seed and side; returns 1 if any is at fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=1, help="The first seed.")
    parser.add_argument("--world", action="append", choices=sorted(EVERY), help="Only this world; may be repeated.")
    asked = parser.parse_args()
    faulty = runs = 0
    print(f"{'world':<18}{'seed':>5} {'side':<11}{'affected':>9}{'open':>6}{'not':>5}   bounds and truth")
    for name, seed in product(asked.world or EVERY, range(asked.first, asked.first + asked.seeds)):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            root = Path(folder)
            full = whole(root, name, seed)
            told = [one_side(root, side, full, root / side) for side in LACKS]
        for each in told:
            runs += 1
            faulty += bool(each.faults)
            counts = [each.integrity.get(kind, 0) for kind in ("affected", "undetermined", "not_affected")]
            print(
                f"{name:<18}{seed:>5} {each.side:<11}{counts[0]:>9}{counts[1]:>6}{counts[2]:>5}   "
                f"{each.bounds['certain']} <= {each.truly} <= {each.bounds['possible']}",
                flush=True,
            )
            for fault in each.faults:
                print(f"{'':<24}{fault}", flush=True)
    print(f"{runs - faulty} of {runs} sides of worlds contradict nothing")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
