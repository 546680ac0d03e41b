"""A table of a live Postgres server as evidence: ``postgresql://host/database#table``, copied into the case.

The copy is the evidence. It is known by its content, so that a later state of the table stands beside an earlier one
and replaces nothing, and it stays in ``CASE/snapshots/``, since the server will not give that state again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from forensics.errors import ForensicsError
from forensics.ingest.snapshot import SPEND, place_of, snapshot
from forensics.ingest.walk import Found

_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class Kept:
    """One snapshot in the case, for the custody log: its label, the server without password, rows, bytes, SHA-256."""

    label: str
    server: str
    rows: int
    size: int
    sha256: str


def is_live(given: str) -> bool:
    """Whether this is the address of a Postgres server."""
    return given.startswith(_SCHEMES)


def keep(given: str, folder: Path, advance: Callable[[int], None]) -> tuple[Found, Kept]:
    """Copies the table that ``given`` names into ``folder``, and returns the copy as evidence and what to log of it.

    Without ``#table`` it is LiteLLM's spend table. ``advance`` is told how many bytes of rows came. A state that is
    there already is not kept twice. Raises as ``snapshot`` does.
    """
    uri, _, fragment = given.partition("#")
    table = unquote(fragment) or SPEND
    fresh = folder / "copying.parquet"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        done = snapshot(uri, fresh, table, advance)
        path = folder / f"{done.sha256}.parquet"
        fresh.chmod(0o600)
        fresh.replace(path)
    except OSError as error:
        raise ForensicsError(
            f"no room for the copy of a table ({error.strerror or error})", where=str(folder), fix="Free some space"
        ) from error
    server = place_of(uri)
    label = f"{server.partition('?')[0]}/{table}@{done.sha256[:16]}"
    return Found(label, path), Kept(label, server, done.rows, done.size, done.sha256)
