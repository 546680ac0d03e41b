"""What stays of a run: its contents and exchanges go into the store, and what is past the window leaves it."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.audit.analysis import KEPT
from forensics.audit.night import STANDING, Night
from forensics.audit.store import Store, Watermark, publish, run_name
from forensics.case.database import connect

_STANDING_KINDS: Final = ("start", "limits", "topology")
_METADATA: Final = ("ledger.json", "record.parquet", "reject.parquet")
"""Files of a content's folder that hold no text."""


def keep(night: Night, store: Store, mark: Watermark, number: int, *, texts: bool) -> None:
    """Puts a run's contents and exchanges into the store and names them in ``mark``, which does not count yet."""
    for key, entry in sorted(night.new.items()):
        _content(night.case.evidence / key, store, key, texts=texts)
        mark.contents[key] = asdict(entry)
        mark.latest_ns = max(mark.latest_ns or 0, entry.last_ns or 0) or None
        if entry.first_ns is not None:
            mark.began_ns = min(mark.began_ns or entry.first_ns, entry.first_ns)
    for key in sorted(night.superseded):
        del mark.contents[key]
    if night.new:
        name = run_name(number)
        _exchanges(night, store.work / "kept", number)
        publish(store.work / "kept", store.kept / name)
        spans = night.spans
        mark.runs[name] = [min(a for a, _ in spans), max(b for _, b in spans)] if spans else [None, None]


def _content(found: Path, store: Store, key: str, *, texts: bool) -> None:
    new = store.work / f"content-{key}"
    new.mkdir(mode=0o700)
    for file in found.iterdir():
        if file.name in _METADATA or (texts and file.name == "text.parquet"):
            file.rename(new / file.name)
    records = pq.read_table(new / "record.parquet")
    standing = records.filter(pc.is_in(records["kind"], pa.array(_STANDING_KINDS)))
    if standing.num_rows:
        pq.write_table(standing, new / STANDING, compression="zstd")
    publish(new, store.evidence / key)


def _exchanges(night: Night, place: Path, number: int) -> None:
    place.mkdir(mode=0o700)
    with connect(night.case) as con:
        for table in KEPT:
            rows = con.sql(
                f"SELECT *, $run AS run FROM {table} SEMI JOIN current_exchange USING (exchange_id) ORDER BY ALL",  # noqa: S608
                params={"run": number},
            )
            pq.write_table(rows.to_arrow_table(), place / f"{table}.parquet", compression="zstd")


def expire(mark: Watermark, horizon_ns: int, present: frozenset[str]) -> int:
    """Takes contents and runs that ended before the horizon out of ``mark``, and returns how many contents those were.

    What is told of an input stays as long as the input is there, or it would be read again.
    """
    old = [key for key, each in mark.contents.items() if (each["last_ns"] or horizon_ns) < horizon_ns]
    for key in old:
        del mark.contents[key]
    mark.runs = {name: span for name, span in mark.runs.items() if (span[1] or horizon_ns) >= horizon_ns}
    mark.reported = [each for each in mark.reported if (each["received_ns"] or horizon_ns) >= horizon_ns]
    paths = {each["path"].partition("!")[0] for each in mark.contents.values()}
    mark.seen = {label: seen for label, seen in mark.seen.items() if label in present or label in paths}
    return len(old)
