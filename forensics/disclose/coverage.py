"""What the logs cover: cells of (log, stretch of time) for the terminal and for the report's heat map."""

from typing import Any, Final

import duckdb

from forensics.case.folder import Case
from forensics.disclose import inert
from forensics.disclose.tables import Row, one, rows

STEPS_S: Final = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 7 * 86_400, 30 * 86_400)
"""Lengths of a stretch in seconds: the first is taken of which no more than the wanted number are needed."""
GAPS_SHOWN: Final = 40
_SECOND: Final = 1_000_000_000
_ANY: Final = {"client": "any client record", "engine": "any worker's log"}


def step_ns(first_ns: int, last_ns: int, most: int) -> int:
    """Returns the length in ns of a stretch, of which ``most`` span the time (30 days at the longest)."""
    return next((each for each in STEPS_S if last_ns - first_ns <= each * _SECOND * most), STEPS_S[-1]) * _SECOND


def cells(con: duckdb.DuckDBPyConnection, case: Case, most: int) -> tuple[list[Row], int]:
    """Returns rows of ``log``, ``start_ns``, ``expected``, ``present`` and ``state``, and a stretch's length in ns.

    ``state`` is ``whole``, ``short`` (half or more is there), ``missing`` or ``silent``; a stretch without a row is
    one of which nothing was expected. ``log`` is one line of plain text.
    """
    span = one(con, case, "examined_window")
    step = step_ns(span["first_ns"] or 0, span["last_ns"] or 0, most)
    found = rows(con, case, "coverage_cell", bin_ns=step)
    return [row | {"log": name(row)} for row in found], step


def name(row: Row) -> str:
    """Returns what the log of a row is called."""
    return inert.text(f"{row['who']}: {_ANY.get(row['source'], row['source'])}")


def tables(con: duckdb.DuckDBPyConnection, case: Case) -> dict[str, Any]:
    """Returns the report's lists: ``logs`` by counter, the greatest ``gaps``, and ``unseen`` stretches by worker."""
    logs = [{**row, "log": name(row)} for row in rows(con, case, "coverage_log")]
    gaps = [{**row, "log": name(row)} for row in rows(con, case, "coverage_gap", most=GAPS_SHOWN)]
    return {"logs": logs, "gaps": gaps, "unseen": rows(con, case, "coverage_blind")}
