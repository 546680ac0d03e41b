"""What stays of a run: its contents and exchanges go into the store, and what is past the window leaves it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.audit.analysis import KEPT, Judged
from forensics.audit.coverage import SEEN
from forensics.audit.drift import TIMES
from forensics.audit.fingerprints import Key
from forensics.audit.night import STANDING, Night
from forensics.audit.shelf import Writer
from forensics.audit.store import Store, Watermark, publish, run_name
from forensics.case import texts
from forensics.case.database import connect
from forensics.case.folder import publish_text
from forensics.match.library import CaseLibrary

_STANDING_KINDS: Final = ("start", "limits", "topology")
_METADATA: Final = ("ledger.json", "record.parquet", "reject.parquet", SEEN)
"""Files of a content's folder that hold no text."""


def keep(
    night: Night,
    judged: Judged,
    store: Store,
    mark: Watermark,
    number: int,
    *,
    key: Key,
    window: int,
    with_texts: bool,
) -> None:
    """Puts a run's contents and exchanges into the store and names them in ``mark``, which does not count yet.

    Fingerprints are of density ``window``; without texts they are all that stays of what was said.
    """
    if night.new:
        name = run_name(number)
        _exchanges(night, store.work / "kept", number, key, window)
        publish_text(store.work / "kept" / TIMES, json.dumps(judged.timing))
        publish(store.work / "kept", store.kept / name)
        spans = night.spans
        mark.runs[name] = [min(a for a, _ in spans), max(b for _, b in spans)] if spans else [None, None]
    for content, entry in sorted(night.new.items()):
        found = night.case.evidence / content
        hours = [each for each in judged.hours if each["file_id"] == entry.file_id]
        told = [[each["who"], each["hour"], each["records"], each["minutes"]] for each in hours]
        publish_text(found / SEEN, json.dumps(told))
        _content(found, store, content, with_texts=with_texts)
        mark.contents[content] = asdict(entry)
        mark.latest_ns = max(mark.latest_ns or 0, entry.last_ns or 0) or None
        if entry.first_ns is not None:
            mark.began_ns = min(mark.began_ns or entry.first_ns, entry.first_ns)
    for content in sorted(night.superseded):
        del mark.contents[content]


def _content(found: Path, store: Store, key: str, *, with_texts: bool) -> None:
    new = store.work / f"content-{key}"
    new.mkdir(mode=0o700)
    for file in found.iterdir():
        if file.name in _METADATA or (with_texts and file.name == "text.parquet"):
            file.rename(new / file.name)
    records = pq.read_table(new / "record.parquet")
    standing = records.filter(pc.is_in(records["kind"], pa.array(_STANDING_KINDS)))
    if standing.num_rows:
        pq.write_table(standing, new / STANDING, compression="zstd")
    publish(new, store.evidence / key)


def _exchanges(night: Night, place: Path, number: int, key: Key, window: int) -> None:
    place.mkdir(mode=0o700)
    with connect(night.case) as con:
        _prints(con, night, Writer(place / "prints", number, key, window))
        for table in KEPT:
            rows = con.sql(
                f"SELECT *, $run AS run FROM {table} SEMI JOIN current_exchange USING (exchange_id) ORDER BY ALL",  # noqa: S608
                params={"run": number},
            )
            pq.write_table(rows.to_arrow_table(), place / f"{table}.parquet", compression="zstd")
        outdated = con.sql("SELECT run, exchange_id FROM outdated_now ORDER BY ALL").to_arrow_table()
        pq.write_table(outdated, place / "outdated.parquet", compression="zstd")


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


def _prints(con: duckdb.DuckDBPyConnection, night: Night, writer: Writer) -> None:
    texts.attach(con, night.case)
    library = CaseLibrary(con)
    new = set(night.file_ids)
    wanted = [name for name, part in library.parts.items() if part.record_id.partition(":")[0] in new]
    for text in library.fetch(wanted):
        writer.take(library.parts[text.text_id], text)
    writer.finish()
