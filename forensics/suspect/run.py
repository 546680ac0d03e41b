"""The suspect stage: what each mechanism's file says of every exchange, and whose pages a suspect can have read."""

from dataclasses import dataclass

import duckdb

from forensics.case.database import create_table, run
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.resources import Query, queries, query


@dataclass(frozen=True)
class SuspectReport:
    """Suspicions by mechanism and status, and the number of (suspect, candidate source) pairs."""

    suspicions: tuple[tuple[str, str, int], ...]
    candidates: int


def mechanisms(case: Case) -> list[Query]:
    """Returns the files of ``queries/mechanisms`` that judge exchanges: those whose header names a mechanism."""
    return [each for each in queries("mechanisms", case.site) if "mechanism" in each.header]


def suspect(con: duckdb.DuckDBPyConnection, case: Case) -> SuspectReport:
    """Writes ``late_write_window``, ``late_write_case``, ``suspicion`` and ``candidate``.

    Raises if a mechanism does not speak of every exchange exactly once: a rule that never fires must be heard.
    """
    values: dict[str, object] = {"late_write_horizon_ns": int(case.config.thresholds.late_write_horizon_s * 1e9)}
    for name in ("late_write_window", "late_write_case", "stranger"):
        create_table(con, name, query(f"mechanisms/{name}", case.site), **values)
    con.execute("DROP TABLE IF EXISTS suspicion")
    for each in mechanisms(case):
        _add(con, each, values)
    pairs = create_table(con, "candidate", query("mechanisms/candidate_source", case.site), **values)
    rows = con.execute(
        "SELECT mechanism, status, count(*) FROM suspicion GROUP BY ALL ORDER BY mechanism, status"
    ).fetchall()
    return SuspectReport(tuple((m, s, n) for m, s, n in rows), pairs)


def _add(con: duckdb.DuckDBPyConnection, mechanism: Query, values: dict[str, object]) -> None:
    rows = create_table(con, "suspicion_of_one", mechanism, **values)
    expected = con.execute("SELECT count(*), count(DISTINCT exchange_id) FROM exchange").fetchone() or (0, 0)
    if rows != expected[0]:
        raise ForensicsError(
            f"the mechanism speaks of {rows} exchanges, but there are {expected[0]}",
            where=str(mechanism.path),
            fix="Its statement must return one row per row of `exchange`",
        )
    target = "INSERT INTO suspicion BY NAME" if _exists(con, "suspicion") else "CREATE TABLE suspicion AS"
    run(con, f"{target} SELECT * FROM suspicion_of_one", mechanism.path, {})  # noqa: S608 - tables of our own
    con.execute("DROP TABLE suspicion_of_one")


def _exists(con: duckdb.DuckDBPyConnection, table: str) -> bool:
    return con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchone() is not None
