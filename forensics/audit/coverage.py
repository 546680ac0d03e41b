"""Whether enough was seen: declared sources, workers and hours against what the kept contents hold.

``Ledger`` is all that the audit asks of coverage, so that a finer account can take the place of ``HourLedger``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

from forensics.audit.config import Expect

HOUR_NS: Final = 3600 * 10**9
SEEN: Final = "hours.json"
"""Of a kept content: its rows of ``audit/seen_hour``, without the file."""


class Ledger(Protocol):
    """Says how well an hour of a source is covered."""

    def lacking(self, expect: Expect, hour: int) -> str:
        """Returns why the hour (hours since 1970 UTC) does not meet its floor; nothing if it does."""
        ...


@dataclass
class HourLedger:
    """Counts records, and the minutes that have any, per source and hour, over all kept contents."""

    seen: dict[tuple[str, int], tuple[int, int]]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> "HourLedger":
        """Reads what was noted of each kept content."""
        seen: dict[tuple[str, int], tuple[int, int]] = {}
        for folder in folders:
            path = folder / SEEN
            for who, hour, records, minutes in json.loads(path.read_text()) if path.exists() else ():
                before = seen.get((who, hour), (0, 0))
                seen[who, hour] = before[0] + records, before[1] | minutes
        return cls(seen)

    def lacking(self, expect: Expect, hour: int) -> str:
        """Returns why the hour does not meet its floor; nothing if it does."""
        records, minutes = self.seen.get((expect.worker, hour), (0, 0))
        if records < expect.per_hour:
            return f"{records:,} records, at least {expect.per_hour:,} are due"
        quiet = _longest_run(~minutes, 60)
        if expect.quiet_minutes and quiet > expect.quiet_minutes:
            return f"{quiet} minutes without a record, at most {expect.quiet_minutes} are allowed"
        return ""


def _longest_run(bits: int, width: int) -> int:
    """Returns how many neighbouring bits of the lowest ``width`` are set at most."""
    shown = "".join("1" if bits >> at & 1 else "0" for at in range(width))
    return max(len(each) for each in shown.split("0"))


def due(expect: Expect, began_ns: int, since_ns: int, until_ns: int) -> Iterator[int]:
    """Yields the hours that should be there: whole ones since the audit's records began, not before ``since_ns``."""
    first = max(began_ns, since_ns) // HOUR_NS
    for hour in range(first, until_ns // HOUR_NS):
        if not expect.hours or hour % 24 in expect.hours:
            yield hour


def holes(
    expected: Sequence[Expect], ledger: Ledger, *, began_ns: int | None, since_ns: int, until_ns: int
) -> dict[tuple[str, int], dict[str, Any]]:
    """Returns the hours below their floor, by (source, hour). Nothing was due before the first record ever read."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    if began_ns is None:
        return found
    for expect in expected:
        for hour in due(expect, began_ns, since_ns, until_ns):
            if why := ledger.lacking(expect, hour):
                row = {"kind": "hole", "worker": expect.worker, "hour": stamp(hour), "why": why}
                found[expect.worker, hour] = row
    return found


def told(places: Iterable[tuple[str, int]], lacking: Mapping[tuple[str, int], dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns one row for the ``hours`` of a source that follow one another from ``hour`` on and lack the same."""
    rows: list[dict[str, Any]] = []
    last: tuple[str, int] | None = None
    for who, hour in sorted(places):
        row = lacking[who, hour]
        if last == (who, hour - 1) and rows[-1]["why"] == row["why"]:
            rows[-1]["hours"] += 1
        else:
            rows.append({**row, "hours": 1})
        last = who, hour
    return rows


def stamp(hour: int) -> str:
    """Returns the beginning of an hour (hours since 1970 UTC), ISO 8601."""
    return f"{datetime.fromtimestamp(hour * 3600, UTC):%Y-%m-%dT%H:00:00Z}"
