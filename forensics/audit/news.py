"""What is new among findings: told once, whatever is delivered again, grows, or is joined better later."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from forensics.audit.store import Watermark
from forensics.errors import ForensicsError

Row = dict[str, Any]

NEAR_NS: Final = 600 * 10**9
"""Within which an exchange that is known by another id now was received before."""
_IDENTITY: Final = ("exchange_id", "request_id", "tenant", "decode_rid", "decode_worker", "received_ns", "disclosure")
_STRENGTH: Final = {None: 0, "undetermined": 0, "none_found": 1, "probable": 2, "confirmed": 3}


@dataclass
class News:
    """New findings, those that a site has accepted, and earlier ones of which more is known now."""

    findings: list[Row] = field(default_factory=list)
    accepted: list[Row] = field(default_factory=list)
    changed: list[Row] = field(default_factory=list)


def identified(row: Mapping[str, Any]) -> str:
    """Returns the id that a finding has in every run and output: 16 hex digits."""
    return hashlib.sha256(f"{row['mechanism']}\0{row['exchange_id']}".encode()).hexdigest()[:16]


def sort_out(
    rows: Iterable[Mapping[str, Any]], mark: Watermark, present: frozenset[str], baseline: Sequence[Row]
) -> News:
    """Tells new findings from known ones, and notes the new ones in ``mark``.

    ``present`` are the ids of the exchanges that this run or a kept one holds: only where the exchange of a known
    finding is no longer among them can it be the same under another id.
    """
    news = News()
    for row in rows:
        known = _known(row, mark.reported, present)
        if known is not None:
            if _STRENGTH[row["disclosure"]] > _STRENGTH[known["disclosure"]]:
                news.changed.append({"finding": known["finding"], "before": known["disclosure"], **row})
            known.update({name: row[name] for name in _IDENTITY})
            continue
        finding = {"finding": identified(row), **row}
        mark.reported.append({"finding": finding["finding"]} | {name: row[name] for name in _IDENTITY})
        (news.accepted if any(accepts(each, finding) for each in baseline) else news.findings).append(finding)
    return news


def _known(row: Mapping[str, Any], reported: list[Row], present: frozenset[str]) -> Row | None:
    for each in reported:
        if each["exchange_id"] == row["exchange_id"]:
            return each
    for each in reported:
        if each["exchange_id"] not in present and _alike(each, row):
            return each
    return None


def _alike(known: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    if abs((known["received_ns"] or 0) - (row["received_ns"] or 0)) > NEAR_NS:
        return False
    same_call = known["request_id"] == row["request_id"] and known["tenant"] == row["tenant"]
    rid = known["decode_rid"] is not None and known["decode_rid"] == row["decode_rid"]
    return same_call or (rid and known["decode_worker"] == row["decode_worker"])


def accepted(path: Path) -> list[Row]:
    """Returns the baseline: one JSON object per line, whose fields must all be equal to those of what it accepts.

    The fields are those of ``ACCEPTABLE``; a line also needs a ``why``.

    Raises if a line is none, or would accept everything.
    """
    if not path.exists():
        return []
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            each = json.loads(line)
        except ValueError as error:
            raise ForensicsError(f"not JSON: {error}", where=where, fix="Correct that line") from error
        if not isinstance(each, dict) or not isinstance(each.get("why"), str) or not each["why"]:
            raise ForensicsError("an accepted finding needs a reason", where=where, fix='Add "why": "…"')
        unknown = set(each) - {"why", *ACCEPTABLE}
        if unknown or not set(each) & set(ACCEPTABLE):
            raise ForensicsError(
                "an accepted finding is named by what it is", where=where, fix=f"Use {', '.join(ACCEPTABLE)}"
            )
        lines.append(each)
    return lines


ACCEPTABLE: Final = ("finding", "request_id", "tenant", "mechanism", "kind", "worker", "check", "hour")


def accepts(line: Mapping[str, Any], finding: Mapping[str, Any]) -> bool:
    return all(finding.get(name) == value for name, value in line.items() if name != "why")
