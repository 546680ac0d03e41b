"""SHA-256 within SQL by the processor's own instructions, which the engine's function does not use.

Prompts are most of what an incident's logs hold, and each is hashed: DuckDB's ``sha256`` takes as long for that as for
reading their JSON.
"""

import hashlib
from contextlib import suppress

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import ARROW
from duckdb.sqltypes import VARCHAR

NAME = "sha256_of"


def register(con: duckdb.DuckDBPyConnection) -> None:
    """Makes ``sha256_of(text)`` known to the database of ``con``: 64 hex digits, NULL for NULL."""
    with suppress(duckdb.CatalogException):  # another cursor of the same database has made it known
        con.create_function(NAME, _digests, [VARCHAR], VARCHAR, type=ARROW)


def _digests(texts: pa.ChunkedArray) -> pa.Array:
    """Returns the hexadecimal SHA-256 of each text."""
    return pa.array([None if text is None else hashlib.sha256(text).hexdigest() for text in _bytes(texts)], pa.string())


def _bytes(texts: pa.ChunkedArray) -> list[memoryview | None]:
    return [
        text.as_buffer() if text.is_valid else None
        for chunk in texts.chunks
        for text in pc.cast(chunk, pa.large_string())
    ]
