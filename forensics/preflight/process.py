"""What is known of one engine process: the columns of the table ``process`` that every check reads."""

from collections.abc import Iterable, Mapping

import duckdb

PROCESS: dict[str, str] = {
    "process": "VARCHAR",
    "path": "VARCHAR",
    "address": "VARCHAR",
    "line": "BIGINT",
    "shown": "VARCHAR",
    "told_by": "VARCHAR",
    "engine": "VARCHAR",
    "version": "VARCHAR",
    "role": "VARCHAR",
    "disaggregated": "BOOLEAN",
    "pool_tokens": "BIGINT",
    "context_tokens": "BIGINT",
    "context_is_least": "BOOLEAN",
    "ranks": "INTEGER",
    "dp_size": "INTEGER",
    "restarted": "BOOLEAN",
    "settings": "BOOLEAN",
    "auto_truncate": "BOOLEAN",
    "page_size": "BIGINT",
    "kv_dtype": "VARCHAR",
    "backend": "VARCHAR",
    "kv_checksum": "BOOLEAN",
    "kv_canary": "VARCHAR",
    "prefix_cache": "BOOLEAN",
    "deferred": "BOOLEAN",
    "deferred_seconds": "BIGINT",
    "batch_indices": "BIGINT",
    "detections": "BIGINT",
    "detected_line": "BIGINT",
}
"""``address`` is host:port where it names one worker. ``shown`` is ``running`` or ``declared``, ``told_by``
``server_info`` or ``log``. ``settings`` says whether all of its arguments are shown, so that an absent one is off;
``context_is_least``, whether the context may be longer; ``restarted``, whether it has not said its limits since
its last start. Limits are in tokens."""

Process = dict[str, object]
"""Some columns of one process; the others are not known."""


def create(con: duckdb.DuckDBPyConnection, processes: Iterable[Mapping[str, object]]) -> None:
    """Creates the table ``process`` from rows that hold some of its columns."""
    con.execute(f"CREATE TABLE process ({', '.join(f'{name} {kind}' for name, kind in PROCESS.items())})")
    marks = ", ".join("?" for _ in PROCESS)
    for each in processes:
        con.execute(f"INSERT INTO process VALUES ({marks})", [each.get(name) for name in PROCESS])  # noqa: S608
