"""Asks the store, afterwards, which kept texts hold passages of a given one; with fingerprints alone, too."""

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from forensics.audit.fingerprints import GRAM, Key, every
from forensics.audit.run import Audit
from forensics.audit.shelf import Shelf, shelves, view
from forensics.case.database import dicts, select
from forensics.errors import ForensicsError
from forensics.match.kernel import Hashes, Ints
from forensics.match.normalise import fold
from forensics.match.seeds import segments
from forensics.resources import query

Row = dict[str, Any]


def least(audit: Audit) -> int:
    """Returns how many letters and digits in a row are always seen."""
    return audit.config.keep.window + GRAM - 1


def ask(audit: Audit, text: str) -> list[Row]:
    """Returns the exchanges whose kept prompt or response shares a run of ``least`` folded bytes with ``text``.

    Those that share most come first. Raises if the store is empty, busy, or was made with another key.
    """
    store = audit.store
    with store.lock():
        mark = store.load()
        key = Key.of(audit.config.key(audit.base))
        folders = [store.kept / name for name in sorted(mark.runs)]
        if not folders:
            raise ForensicsError("nothing is kept yet", where=str(store.root), fix="Run the audit first")
        if mark.key_id != key.name:
            raise ForensicsError(
                "the store's fingerprints were made with another key", where=str(store.root), fix="Give that key"
            )
        values, at = every(fold(text), key)
        shared = [row for shelf in shelves(folders) for row in _shared(shelf, values, at)]
        with duckdb.connect() as con:
            con.register("shared", pa.Table.from_pylist(shared, _SHARED))
            view(con, "kept_print", [folder / "prints" / "texts.parquet" for folder in folders])
            view(con, "kept_exchange_all", [folder / "exchange.parquet" for folder in folders])
            view(con, "kept_text_all", [folder / "exchange_text.parquet" for folder in folders])
            return dicts(select(con, query("audit/asked")))


_SHARED = pa.schema({name: pa.int64() for name in ("run", "number", "shared", "longest")})


def _shared(shelf: Shelf, values: Hashes, at: Ints) -> list[Row]:
    """Returns how much of the text asked about each text of a run holds: folded bytes in all, and in a row."""
    order = np.argsort(values, kind="stable")
    distinct, first = np.unique(values[order], return_index=True)
    place = at[order][first]
    columns = [np.stack([hits.text, place[hits.asked], hits.at]) for hits in shelf.look_up(distinct)]
    found = np.concatenate([np.empty((3, 0), dtype=np.int64), *columns], axis=1)
    runs = segments(found[0], found[1], found[2], GRAM)
    run = int(shelf.folder.parent.name)
    return [
        {"run": run, "number": int(each), "shared": int(length.sum()), "longest": int(length.max())}
        for each in np.unique(runs.response)
        for length in (runs.length[runs.response == each],)
    ]
