"""One lane per decode worker and rank: its suspects and their candidate sources, placed in time."""

from collections import defaultdict
from typing import Any, Final

from forensics.disclose.tables import Row, iso

_ORDER: Final = ("candidate", "source", "other", "undetermined", "affected")


def lanes(suspects: list[Row], candidates: list[Row]) -> list[dict[str, Any]]:
    """Returns the lanes in order, each with ``worker``, ``dp_rank``, ``suspects`` and ``marks``.

    ``suspects`` are rows of ``reports/lane`` with their ``sources`` (rows of ``reports/lane_candidate``). A mark has
    ``at`` (its place in the lane, in hundredths of a percent of the time that all lanes share), ``kind`` (``affected``,
    ``undetermined``, ``other``, ``source``, ``candidate``) and ``title``.
    """
    sources: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in candidates:
        sources[row["exchange_id"], row["mechanism"]].append({**row, "received_at": iso(row["received_ns"])})
    times = [row["received_ns"] for row in (*suspects, *candidates) if row["received_ns"] is not None]
    first, last = (min(times), max(times)) if times else (0, 0)
    grouped: dict[tuple[Any, Any], list[Row]] = defaultdict(list)
    for row in suspects:
        key = row["exchange_id"], row["mechanism"]
        grouped[row["decode_worker"], row["dp_rank"]].append({**row, "sources": sources[key]})
    return [
        {
            "worker": worker,
            "dp_rank": dp_rank,
            "suspects": found,
            "marks": _marks(found, first, last),
            "from": iso(first),
            "to": iso(last),
        }
        for (worker, dp_rank), found in grouped.items()
    ]


def _marks(suspects: list[Row], first: int, last: int) -> list[dict[str, Any]]:
    """Returns the marks of one lane in order; of several for one exchange the one that says more stays."""
    shown = [(source, "source" if source["found"] else "candidate") for each in suspects for source in each["sources"]]
    shown += [(each, each["integrity"] if each["integrity"] in _ORDER else "other") for each in suspects]
    marks: dict[tuple[int, str], dict[str, Any]] = {}
    for row, kind in shown:
        if row["received_ns"] is None:
            continue
        at = (row["received_ns"] - first) * 10_000 // max(last - first, 1)
        key = at, row["request_id"] or ""
        if key not in marks or _ORDER.index(marks[key]["kind"]) < _ORDER.index(kind):
            marks[key] = {"at": at, "kind": kind, "title": f"{kind} {row['request_id']} ({row['tenant']})"}
    return [marks[key] for key in sorted(marks)]
