"""``case.duckdb``: opened hardened, read by many, rebuilt into a new file and renamed by one writer."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.resources import Query


def _settings(case: Case) -> dict[str, Any]:
    resources = case.config.resources
    return {
        "memory_limit": resources.memory,
        "threads": resources.threads,
        "temp_directory": str(case.work / "spill"),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "preserve_insertion_order": "true",
    }


def _open(path: str, case: Case, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        connection = duckdb.connect(path, read_only=read_only, config=_settings(case))
    except duckdb.Error as error:
        raise ForensicsError(
            f"cannot open the case's database ({_first_line(error)})",
            where=path,
            fix="If [resources] in case.toml is right, delete it and ingest again",
        ) from error

    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def connect(case: Case, *, read_only: bool = True) -> duckdb.DuckDBPyConnection:
    """Returns a connection to the last finished database. Raises if nothing was ingested yet."""
    if not case.database.exists():
        raise ForensicsError(
            "nothing was ingested into this case yet",
            where=str(case.root),
            fix=f"Run `forensics ingest {case.root} PATH…`",
        )
    return _open(str(case.database), case, read_only=read_only)


def connect_memory(case: Case) -> duckdb.DuckDBPyConnection:
    """Returns a scratch database with the case's bounds, for work whose result is written elsewhere."""
    return _open(":memory:", case, read_only=False)


@contextmanager
def rebuild(case: Case, *, keep: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a connection to a new database file that takes the old one's place once the block ends without error.

    With ``keep`` the new file starts as a copy of the old one.
    """
    fresh = case.work / "case.duckdb.new"
    for leftover in (fresh, fresh.with_suffix(".new.wal")):
        leftover.unlink(missing_ok=True)
    if keep:
        if not case.database.exists():
            connect(case)
        shutil.copyfile(case.database, fresh)
    connection = _open(str(fresh), case, read_only=False)
    try:
        yield connection
        connection.execute("CHECKPOINT")
    except BaseException:
        connection.close()
        fresh.unlink(missing_ok=True)
        raise
    connection.close()
    fresh.chmod(0o600)
    fresh.replace(case.database)


def create_table(con: duckdb.DuckDBPyConnection, name: str, query: Query, **values: object) -> int:
    """Replaces table ``name`` by the result of ``query`` and returns its number of rows."""
    run(con, f'CREATE OR REPLACE TABLE "{name}" AS\n{query.sql}', query.path, values)
    row = con.execute(f'SELECT count(*) FROM "{name}"').fetchone()  # noqa: S608 - a table's name of our own
    return int(row[0]) if row else 0


def select(con: duckdb.DuckDBPyConnection, query: Query, **values: object) -> duckdb.DuckDBPyConnection:
    """Runs a named query with bound ``values``; the returned connection holds its rows."""
    return run(con, query.sql, query.path, values)


def run(con: duckdb.DuckDBPyConnection, sql: str, path: Path, values: dict[str, object]) -> duckdb.DuckDBPyConnection:
    """Runs one statement from the file ``path``, binding those of ``values`` that it names."""
    wanted = {name: value for name, value in values.items() if f"${name}" in sql}
    try:
        return con.execute(sql, wanted or None)
    except duckdb.Error as error:
        raise ForensicsError(
            f"the query failed: {_first_line(error)}",
            where=str(path),
            fix="If the file is your site's own, correct it; otherwise please report this",
        ) from error


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """Adds ``rows``, values in the table's order of columns, in one statement: one by one each takes milliseconds."""
    if rows:
        names = [name for name, *_ in con.execute(f'DESCRIBE "{table}"').fetchall()]
        columns = zip(*rows, strict=True)
        added = pa.table({name: list(values) for name, values in zip(names, columns, strict=True)})
        con.register("added_rows", added)
        con.execute(f'INSERT INTO "{table}" BY NAME SELECT * FROM added_rows')  # noqa: S608 - a table's name of our own
        con.unregister("added_rows")


def dicts(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Returns the rows that a statement gave, each by its columns' names."""
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
