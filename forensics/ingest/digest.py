"""SHA-256 within SQL by the processor's own instructions, which the engine's function does not use.

Prompts are most of what an incident's logs hold, and each is hashed: DuckDB's ``sha256`` takes as long for that as for
reading their JSON. The function is given the messages as they are, since joining them would copy every text twice.
"""

import hashlib
from contextlib import suppress

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import ARROW, SPECIAL
from duckdb.sqltypes import VARCHAR, DuckDBPyType

NAME = "sha256_of_messages"

_PARTS = DuckDBPyType("STRUCT(message_index BIGINT, role VARCHAR, field VARCHAR, fragment VARCHAR, text VARCHAR)[]")

_SPOKEN = frozenset({"content", "tool_result"})


def register(con: duckdb.DuckDBPyConnection) -> None:
    """Makes ``sha256_of_messages(parts)`` known to ``con``: 64 hex digits, NULL where nothing is said."""
    with suppress(duckdb.CatalogException):  # another cursor of the same database has made it known
        con.create_function(NAME, _hashes, [_PARTS], VARCHAR, type=ARROW, null_handling=SPECIAL)


def _hashes(parts: pa.ChunkedArray) -> pa.Array:
    """Returns the digest of each list of parts, as ``queries/formats/macros/prompt_hash_of.sql`` defines it."""
    return pa.array([each for chunk in parts.chunks for each in _digests(chunk)], pa.string())


def _digests(lists: pa.ListArray) -> list[str | None]:
    parts = lists.values
    index, role, field = (parts.field(name).to_pylist() for name in ("message_index", "role", "field"))
    text = pc.cast(parts.field("text"), pa.large_binary())
    _, places, content = text.buffers()
    ends = memoryview(places).cast("q")[text.offset : text.offset + len(text) + 1] if len(text) else ()
    held = memoryview(content) if content is not None else memoryview(b"")
    starts = lists.offsets.to_pylist()
    found: list[str | None] = []
    for place, known in enumerate(lists.is_valid().to_pylist()):
        digest, last = None, None
        for part in range(starts[place], starts[place + 1]) if known else ():
            if field[part] not in _SPOKEN:
                continue
            digest = digest or hashlib.sha256()
            if index[part] != last:
                last = index[part]
                digest.update(f"\x1e{last}\x1f{role[part] or ''}\x1f".encode())
            digest.update(held[ends[part] : ends[part + 1]])
        found.append(digest.hexdigest() if digest else None)
    return found
