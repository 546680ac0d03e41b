"""The suspect stage: what each mechanism's file says of every exchange, and whose pages a suspect can have read."""

from dataclasses import dataclass
from typing import Final

import duckdb

from forensics.case.database import create_table, insert
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.resources import query
from forensics.suspect.mechanism import STATUSES, Mechanism, mechanisms

PREPARED: Final = (
    "late_write_window", "late_write_case", "stranger", "lived", "detector_line", "detector_flag", "unrecorded",
    "canary_hit", "canary_watched",
)  # fmt: skip
"""What several mechanisms look at, made before any of them."""
_BEFORE: Final = """
CREATE TABLE IF NOT EXISTS marker (marker INTEGER, tenant VARCHAR);
CREATE TABLE IF NOT EXISTS marker_sent (marker INTEGER, exchange_id VARCHAR);
CREATE TABLE IF NOT EXISTS marker_hit (marker INTEGER, exchange_id VARCHAR, alike_milli INTEGER);
CREATE TABLE IF NOT EXISTS answer_fit
  (exchange_id VARCHAR, own_milli BIGINT, neighbour_exchange_id VARCHAR, neighbour_milli BIGINT);
"""
"""What looks at texts leaves this behind (``match/markers``, ``match/answers``); empty where it did not run."""
_ROW: Final = {
    "exchange_id": "VARCHAR",
    "status": "VARCHAR",
    "reason": "VARCHAR",
    "basis": "VARCHAR",
    "detail": "VARCHAR",
    "trigger_exchange_id": "VARCHAR",
    "clearable": "BOOLEAN",
    "outcome": "VARCHAR",
    "named": "STRUCT(exchange_id VARCHAR, placement VARCHAR, last_ns BIGINT)[]",
}
"""The columns that a mechanism may return; the first two it must."""


@dataclass(frozen=True)
class SuspectReport:
    """Suspicions by mechanism and status, and the number of (suspect, candidate source) pairs."""

    suspicions: tuple[tuple[str, str, int], ...]
    candidates: int


def suspect(con: duckdb.DuckDBPyConnection, case: Case) -> SuspectReport:
    """Writes ``mechanism``, ``need``, ``suspicion`` and ``candidate``, and what mechanisms look at (``PREPARED``).

    Raises if a mechanism does not speak of every exchange exactly once: a rule that never fires must be heard.
    """
    con.execute(_BEFORE)
    horizon_ns = int(case.config.thresholds.late_write_horizon_s * 1e9)
    values: dict[str, object] = {"late_write_horizon_ns": horizon_ns}
    for name in PREPARED:
        create_table(con, name, query(f"mechanisms/{name}", case.site), **values)
    known = mechanisms(case.site)
    _list(con, known)
    create_table(con, "need", query("mechanisms/need", case.site), **values)
    _check_needs(con, known)
    columns = ", ".join(f"{name} {kind}" for name, kind in _ROW.items() if name != "named")
    con.execute(f"CREATE OR REPLACE TABLE suspicion ({columns.replace('status', 'mechanism VARCHAR, status', 1)})")
    con.execute(
        "CREATE OR REPLACE TABLE named_source"
        " (exchange_id VARCHAR, mechanism VARCHAR, source_exchange_id VARCHAR, placement VARCHAR, last_ns BIGINT)"
    )
    for each in known:
        _ask(con, each, values)
    pairs = create_table(con, "candidate", query("mechanisms/candidate_source", case.site), **values)
    rows = con.execute(
        "SELECT mechanism, status, count(*) FROM suspicion GROUP BY ALL ORDER BY mechanism, status"
    ).fetchall()
    return SuspectReport(tuple((m, s, n) for m, s, n in rows), pairs)


def _list(con: duckdb.DuckDBPyConnection, known: list[Mechanism]) -> None:
    con.execute(
        "CREATE OR REPLACE TABLE mechanism (mechanism VARCHAR, ordinal INTEGER, sources VARCHAR, carries VARCHAR)"
    )
    rows = [(each.name, each.ordinal, each.sources, each.carries) for each in known]
    insert(con, "mechanism", rows)


def _check_needs(con: duckdb.DuckDBPyConnection, known: list[Mechanism]) -> None:
    needs = {name for (name,) in con.execute("SELECT need FROM need").fetchall()}
    for each in known:
        for name in (name for choice in each.requires for name in choice if name not in needs):
            raise ForensicsError(
                f"the mechanism requires {name!r}, which nothing looks for",
                where=str(each.query.path),
                fix=f"Use one of {', '.join(sorted(needs))}",
            )


def _ask(con: duckdb.DuckDBPyConnection, mechanism: Mechanism, values: dict[str, object]) -> None:
    """Adds what one mechanism says of every exchange."""
    rows = create_table(con, "suspicion_of_one", mechanism.query, **values)
    given = [name for name, *_ in con.execute("DESCRIBE suspicion_of_one").fetchall()]
    _check(con, mechanism, rows, given)
    told = [name if name in given else f"NULL::{kind} AS {name}" for name, kind in _ROW.items()]
    con.execute(f"CREATE OR REPLACE TABLE suspicion_of_one AS SELECT {', '.join(told)} FROM suspicion_of_one")  # noqa: S608 - names of our own
    con.execute(
        "INSERT INTO suspicion BY NAME"
        " SELECT * EXCLUDE (named) REPLACE (coalesce(clearable, false) AS clearable), $mechanism AS mechanism"
        " FROM suspicion_of_one",
        {"mechanism": mechanism.name},
    )
    con.execute(
        "INSERT INTO named_source SELECT exchange_id, $mechanism, n.exchange_id, n.placement, n.last_ns"
        " FROM (SELECT exchange_id, unnest(named) AS n FROM suspicion_of_one WHERE named IS NOT NULL)",
        {"mechanism": mechanism.name},
    )
    con.execute("DROP TABLE suspicion_of_one")


def _check(con: duckdb.DuckDBPyConnection, mechanism: Mechanism, rows: int, given: list[str]) -> None:
    where = str(mechanism.query.path)
    missing = [name for name in list(_ROW)[:2] if name not in given]
    if wrong := [name for name in given if name not in (*_ROW, "mechanism")] or missing:
        raise ForensicsError(
            f"the mechanism's columns are not those of a suspicion: {', '.join(wrong)}",
            where=where,
            fix=f"Return {', '.join(list(_ROW)[:2])} and of {', '.join(list(_ROW)[2:])} what there is to say",
        )
    expected, spoken = con.execute(
        "SELECT (SELECT count(*) FROM exchange), count(DISTINCT s.exchange_id)"
        " FROM suspicion_of_one AS s SEMI JOIN exchange USING (exchange_id)"
    ).fetchone() or (0, 0)
    if not rows == spoken == expected:
        raise ForensicsError(
            f"the mechanism speaks of {rows} exchanges, but there are {expected}",
            where=where,
            fix="Its statement must return one row per row of `exchange`",
        )
    unknown = con.execute(
        "SELECT DISTINCT status FROM suspicion_of_one WHERE status IS NULL OR NOT list_contains($known, status)",
        {"known": list(STATUSES)},
    ).fetchall()
    if unknown:
        raise ForensicsError(
            f"the mechanism uses the unknown status {unknown[0][0]!r}",
            where=where,
            fix=f"Use one of {', '.join(STATUSES)}",
        )
