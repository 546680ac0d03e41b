"""A table of a live Postgres server as a Parquet file, so that what is analysed later stays what was seen.

The table is read in one read-only transaction that sees one state of the database, in the order of its primary key,
through ADBC, batch by batch.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from forensics.errors import ForensicsError

if TYPE_CHECKING:
    from adbc_driver_postgresql import dbapi

SPEND = "LiteLLM_SpendLogs"

_FIND = (
    "SELECT table_schema FROM information_schema.tables WHERE table_name = $1 ORDER BY table_schema = 'public' DESC, 1"
)
_KEY = """
SELECT a.attname
FROM pg_index AS i
INNER JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = any(i.indkey)
INNER JOIN pg_class AS c ON c.oid = i.indrelid
INNER JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE i.indisprimary AND c.relname = $1 AND n.nspname = $2
ORDER BY array_position(i.indkey, a.attnum)
"""


@dataclass(frozen=True)
class Snapshot:
    """What was written: its path, number of rows, bytes, and SHA-256."""

    path: Path
    rows: int
    size: int
    sha256: str


@dataclass(frozen=True)
class Since:
    """Rows to be taken: those whose ``column`` of time is at ``moment`` (as Postgres writes it) or later."""

    column: str
    moment: str


def snapshot(
    uri: str,
    target: Path,
    table: str = SPEND,
    advance: Callable[[int], None] = lambda _: None,
    since: Since | None = None,
) -> Snapshot:
    """Copies a table of the server at ``uri``, or its rows ``since`` a time, into the new Parquet file ``target``.

    ``advance`` is told how many bytes of rows came. Raises if the server cannot be reached, has no such table, or if
    ``target`` exists or cannot be written. Nothing stands at ``target`` then.
    """
    if target.exists():
        raise ForensicsError("exists already", where=str(target), fix="Choose another name, or move that file away")
    partial = target.with_name(f".{target.name}.new")
    try:
        with _connection(uri) as con:
            rows = _copy(con, table, partial, advance, since)
        partial.replace(target)
    except OSError as error:
        raise ForensicsError(
            f"cannot be written ({error.strerror or error})", where=str(target), fix="Check the folder"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    with target.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return Snapshot(target, rows, target.stat().st_size, digest)


def place_of(uri: str) -> str:
    """Returns ``uri`` without user and password, for messages."""
    return re.sub(r"(?<=://)[^/?#]*@", "", re.sub(r"([?&]password=)[^&]*", r"\1…", uri))


@contextmanager
def _connection(uri: str) -> Iterator["dbapi.Connection"]:
    # The driver takes a second that other commands need not wait.
    from adbc_driver_manager import Error  # noqa: PLC0415
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415

    try:
        with dbapi.connect(uri) as con:
            yield con
    except Error as error:
        told = str(error).replace(uri, place_of(uri)).strip().splitlines()[0]
        raise ForensicsError(
            f"the server did not answer as needed: {told}",
            where=place_of(uri),
            fix="Check the address, the account's right to read the table, and the network",
        ) from error


def _copy(
    con: "dbapi.Connection", table: str, partial: Path, advance: Callable[[int], None], since: Since | None
) -> int:
    """Writes the table's rows to ``partial`` and returns how many there were."""
    with con.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute(_FIND, (table,))
        schemas = [row[0] for row in cursor.fetchall()]
        if not schemas:
            raise ForensicsError(f"the database has no table {table!r}", fix="Name it as it is spelled, with --table")
        cursor.execute(_KEY, (table, schemas[0]))
        keys = [row[0] for row in cursor.fetchall()]
        order = ", ".join(f'({_quoted(key)})::text COLLATE "C"' for key in keys) or 't::text COLLATE "C"'
        # Identifiers cannot be bound; these were given by the catalogue and are quoted.
        newer = f"WHERE {_quoted(since.column)} >= $1::text::timestamp" if since else ""
        rows_of = f"SELECT * FROM {_quoted(schemas[0])}.{_quoted(table)} AS t {newer} ORDER BY {order}"  # noqa: S608
        cursor.execute(rows_of, (since.moment,) if since else None)
        reader = cursor.fetch_record_batch()
        schema = pa.schema([pa.field(each.name, _plain(each.type)) for each in reader.schema])
        rows = 0
        with pq.ParquetWriter(partial, schema, compression="zstd") as writer:
            for batch in reader:
                columns = [_stored(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                rows += batch.num_rows
                advance(batch.nbytes)
    return rows


def _plain(kind: pa.DataType) -> pa.DataType:
    """Returns what a column is stored as: JSON, numerics and Postgres' other types of their own as text."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _stored(column: pa.Array, kind: pa.DataType) -> pa.Array:
    return column.storage if isinstance(column, pa.ExtensionArray) else column.cast(kind)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
