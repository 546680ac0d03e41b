"""Tables of live databases: each run copies the rows since the newest one seen into a file, and reads that."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.audit.config import Postgres
from forensics.audit.inputs import Input
from forensics.audit.store import Watermark
from forensics.errors import ForensicsError
from forensics.ingest.snapshot import Since, snapshot

SCHEME = "postgres:"
"""Begins the labels of such inputs."""


def copied(tables: Sequence[Postgres], folder: Path, mark: Watermark) -> tuple[list[Input], list[ForensicsError]]:
    """Copies the new rows of each table to ``folder``, and returns the copies as inputs, and what went wrong.

    ``mark.since`` is moved on; it counts once the run does. Rows that two copies hold are one record each.
    """
    found: list[Input] = []
    problems: list[ForensicsError] = []
    for number, each in enumerate(tables):
        try:
            found += _copy(each, folder / f"{number}-{each.table}", mark)
        except ForensicsError as error:
            problems.append(error)
    return found, problems


def _copy(each: Postgres, folder: Path, mark: Watermark) -> list[Input]:
    uri = os.environ.get(each.uri_env, "")
    if not uri:
        raise ForensicsError(
            "the database has no address", where=f"${each.uri_env}", fix="Set that variable to postgresql://…"
        )
    name = f"{each.uri_env} {each.table}"
    newest = mark.since.get(name)
    since = None
    if newest:
        moment = datetime.fromisoformat(newest) - timedelta(seconds=each.overlap_s)
        since = Since(each.column, moment.isoformat(sep=" "))
    folder.mkdir(parents=True, mode=0o700)
    path = folder / f"{mark.run + 1:06d}.parquet"
    done = snapshot(uri, path, each.table, since=since)
    if not done.rows:
        return []
    last = pc.max(pq.read_table(path, columns=[each.column])[each.column]).as_py()
    if isinstance(last, datetime):
        mark.since[name] = last.isoformat()
    return [Input(f"{SCHEME}{path}", str(path), [done.rows, done.size])]
