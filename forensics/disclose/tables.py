"""The report's named queries: one table of verdict rows, from which every count and list of a report is drawn."""

from typing import Any

import duckdb

from forensics.case import database
from forensics.case.folder import Case
from forensics.case.moments import nanoseconds
from forensics.resources import query

Row = dict[str, Any]


def prepare(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Creates the report's temporary tables on ``con``, one by each of the queries of the same name.

    ``report_row`` holds the verdicts, ``report_told`` the spans whose owner is told, ``report_possible`` who may be an
    owner.
    """
    window = case.config.window
    bounds: dict[str, object] = {
        f"window_{end}_ns": nanoseconds(when) if when else None
        for end, when in (("start", window.start), ("end", window.end))
    }
    for name in ("row", "told", "possible"):
        statement = query(f"reports/{name}", case.site)
        database.run(con, f"CREATE OR REPLACE TEMP TABLE report_{name} AS\n{statement.sql}", statement.path, bounds)


def rows(con: duckdb.DuckDBPyConnection, case: Case, name: str, **values: object) -> list[Row]:
    """Returns the rows of ``queries/reports/<name>.sql`` in its order, each a dict by column name."""
    return database.dicts(database.select(con, query(f"reports/{name}", case.site), **values))


def one(con: duckdb.DuckDBPyConnection, case: Case, name: str, **values: object) -> Row:
    """Returns the only row of a query whose grain is one row."""
    (row,) = rows(con, case, name, **values)
    return row
