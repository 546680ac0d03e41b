"""One lane per decode worker and rank: its suspects and their candidate sources."""

from collections import defaultdict
from typing import Any

from forensics.case.moments import iso
from forensics.disclose import inert
from forensics.disclose.tables import Row


def lanes(suspects: list[Row], candidates: list[Row]) -> list[dict[str, Any]]:
    """Returns the lanes in order, each with ``worker``, ``dp_rank``, a ``name`` of both, and its ``suspects``.

    ``suspects`` are rows of ``reports/lane`` with their ``sources`` (rows of ``reports/lane_candidate``).
    """
    sources: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in candidates:
        sources[row["exchange_id"], row["mechanism"]].append({**row, "received_at": iso(row["received_ns"])})
    grouped: dict[tuple[Any, Any], list[Row]] = defaultdict(list)
    for row in suspects:
        key = row["exchange_id"], row["mechanism"]
        grouped[row["decode_worker"], row["dp_rank"]].append({**row, "sources": sources[key]})
    return [
        {"worker": worker, "dp_rank": dp_rank, "name": _name(worker, dp_rank), "suspects": found}
        for (worker, dp_rank), found in grouped.items()
    ]


def _name(worker: str | None, dp_rank: int | None) -> str:
    return f"{inert.text(worker or '') or 'unknown worker'}, rank {'unknown' if dp_rank is None else dp_rank}"
