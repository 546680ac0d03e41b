"""The sweep of a case: reads its texts where ingest left them and writes ``unexplained_match``."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.case.database import create_table
from forensics.case.folder import Case
from forensics.match.kernel import Ints
from forensics.match.public import public_texts
from forensics.match.sweep import alike, engine, index, pricing, readers, scan, seeding
from forensics.match.sweep.calibration import LITERAL, Calibration, calibrated
from forensics.match.sweep.corpus import Meta, Unit
from forensics.match.sweep.engine import Figures, Progress, Sweep, threshold
from forensics.match.sweep.state import State
from forensics.match.sweep.verify import Passage
from forensics.resources import query

SPAN_COLUMNS: Final = """
    exchange_id VARCHAR, span INTEGER, source_exchange_id VARCHAR,
    response_part INTEGER, response_field VARCHAR, response_start BIGINT, response_end BIGINT,
    source_side VARCHAR, source_part INTEGER, source_message_index INTEGER, source_field VARCHAR,
    source_start BIGINT, source_end BIGINT, bits_milli BIGINT, similarity_milli BIGINT
"""
_LATEST: Final = int(np.iinfo(np.int64).max)
_NO_ROWS: Final = {
    "filename": pa.string(), "file_row_number": pa.int64(), "exchange_id": pa.string(), "side": pa.string(),
    "part": pa.int32(), "message_index": pa.int32(), "field": pa.string(), "tenant": pa.int64(), "exchange": pa.int64(),
    "since": pa.int64(), "began": pa.int64(), "until": pa.int64(), "prompt": pa.bool_(), "answer": pa.bool_(),
}  # fmt: skip


@dataclass(frozen=True)
class SweepReport:
    """What was read and what was found; thresholds in milli-bits."""

    figures: Figures
    passages: int
    responses: int
    probable_milli: int
    confirmed_milli: int
    probable: Calibration
    confirmed: Calibration

    def __str__(self) -> str:
        return (
            f"{self.figures.responses:>7,} responses against {self.figures.texts:,} texts: {self.passages:,} passages "
            f"in {self.responses:,} responses (probable from {self.probable_milli / 1000:.1f} bits, confirmed from "
            f"{self.confirmed_milli / 1000:.1f}). Responses above the probable threshold: {self.probable}; above the "
            f"confirmed one: {self.confirmed}. By chance: as much shared with texts that came only later"
        )


class CaseCorpus:
    """The texts of a case, and public ones behind them, which belong to nobody."""

    def __init__(self, con: duckdb.DuckDBPyConnection, case: Case, public: Path) -> None:
        """``con`` has the tables that link wrote; ``public`` is where the public texts are written for reading."""
        files = sorted(str(path) for path in case.evidence.glob("*/text.parquet"))
        _write_public(case, public)
        self._rows = _rows(con, case, files)
        self.units: Sequence[Unit]
        self.meta: Meta
        self.units, self.meta = _numbered(self._rows, files, public)

    def parts(self, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Returns exchange, side, part, message index and field of the texts with these numbers."""
        wanted = sorted(set(numbers))
        listed = self._rows.select(["exchange_id", "side", "part", "message_index", "field"])
        return dict(zip(wanted, listed.take(pa.array(wanted, pa.int64())).to_pylist(), strict=True))


def sweep(con: duckdb.DuckDBPyConnection, case: Case, *, threads: int, memory: int, progress: Progress) -> SweepReport:
    """Sweeps the case and writes ``sweep_span`` and ``unexplained_match`` (contract: ``docs/architecture.md``).

    ``memory`` in bytes bounds what is held at once. The result depends on neither bound. An interrupted sweep goes on
    where it stopped if neither evidence nor declarations have changed.
    """
    con.execute(f"SET threads = {int(threads)}")
    state = State.open(case.work / "sweep", _key(con, case, memory))
    corpus = CaseCorpus(con, case, case.work / "public.parquet")
    margins = case.config.thresholds
    probable = threshold(corpus.meta, round(margins.probable_margin_bits * 1000))
    confirmed = threshold(corpus.meta, round(margins.confirmed_margin_bits * 1000))
    run = Sweep(corpus, state, threads=threads, memory=memory, least_milli=probable, progress=progress)
    found = run.passages()
    _keep(con, corpus, found)
    create_table(
        con,
        "unexplained_match",
        query("match/unexplained_match", case.site),
        confirmed_milli=confirmed,
        literal=LITERAL,
    )
    state.close()
    (case.work / "public.parquet").unlink(missing_ok=True)
    responses = len({each.answer for each in found})
    weak = calibrated(found, run.chance, run.figures.responses, probable)
    strong = calibrated(found, run.chance, run.figures.responses, confirmed, LITERAL)
    return SweepReport(run.figures, len(found), responses, probable, confirmed, weak, strong)


def no_sweep(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Writes the tables of a sweep without rows, so that what reads them finds them."""
    con.execute(f"CREATE OR REPLACE TABLE sweep_span ({SPAN_COLUMNS})")
    create_table(
        con, "unexplained_match", query("match/unexplained_match", case.site), confirmed_milli=0, literal=LITERAL
    )


def _key(con: duckdb.DuckDBPyConnection, case: Case, memory: int) -> str:
    """Returns a digest of all that a sweep's steps follow from."""
    contents = sorted(path.parent.name for path in case.evidence.glob("*/text.parquet"))
    exchanges = con.execute("SELECT count(*), bit_xor(hash(x)) FROM exchange AS x").fetchone()
    public = [hashlib.sha256(text.text.encode()).hexdigest() for text in public_texts(case)]
    settings = [seeding.GRAM, seeding.INNER, index.MOST, index.SHELF, engine.SLACK, engine.SEGMENT, scan.FIELDS]
    settings += [pricing.NOVEL_LETTER, pricing.ALIKE, alike.HALVING, alike.AT_ALL, readers.LONG, memory]
    margin = case.config.thresholds.probable_margin_bits
    said = json.dumps([contents, exchanges, public, settings, margin], default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _write_public(case: Case, path: Path) -> None:
    texts = [text.text for text in public_texts(case)]
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)


def _rows(con: duckdb.DuckDBPyConnection, case: Case, files: Sequence[str]) -> pa.Table:
    """Returns the rows of ``match/sweep_text``."""
    if not files:
        return pa.table({name: pa.array([], kind) for name, kind in _NO_ROWS.items()})
    create_table(con, "sweep_text", query("match/sweep_text", case.site), files=list(files), latest=_LATEST)
    try:
        return con.cursor().sql("SELECT * FROM sweep_text ORDER BY filename, file_row_number").to_arrow_table()
    finally:
        con.execute("DROP TABLE sweep_text")


def _numbered(rows: pa.Table, files: Sequence[str], public: Path) -> tuple[list[Unit], Meta]:
    """Returns the units to read and what is known of each text, numbered in the order of units and rows."""
    units: list[Unit] = []
    characters = [np.empty(0, dtype=np.int64)]
    names, at = rows["filename"].combine_chunks(), rows["file_row_number"].to_numpy().astype(np.int64)
    begins = {name: pc.index(names, name).as_py() for name in files}
    for name in files:
        first = begins[name]
        mine = at[first : first + pc.sum(pc.equal(names, name)).as_py()] if first >= 0 else at[:0]
        for group, begin, count, size in _row_groups(name):
            low, high = np.searchsorted(mine, [begin, begin + count]).tolist()
            numbers = np.full(count, -1, dtype=np.int64)
            numbers[mine[low:high] - begin] = first + np.arange(low, high)
            units.append(Unit(Path(name), group, numbers))
            characters.append(np.full(high - low, size, dtype=np.int64))
    shared = 0
    for group, begin, count, size in _row_groups(str(public)):
        units.append(Unit(public, group, len(rows) + begin + np.arange(count)))
        characters.append(np.full(count, size, dtype=np.int64))
        shared += count
    return units, _meta(rows, np.concatenate(characters), shared)


def _row_groups(name: str) -> list[tuple[int, int, int, int]]:
    """Returns (row group, its first row, rows, bytes of text in a row on average) of a file."""
    groups = []
    with pq.ParquetFile(name) as file:
        column = file.schema_arrow.names.index("text")
        begin = 0
        for group in range(file.num_row_groups):
            about = file.metadata.row_group(group)
            size = about.column(column).total_uncompressed_size // max(about.num_rows, 1)
            groups.append((group, begin, about.num_rows, int(size)))
            begin += about.num_rows
    return groups


def _meta(rows: pa.Table, characters: Ints, shared: int) -> Meta:
    """Returns what is known of the rows, and of the ``shared`` public texts after them."""

    def column(name: str, public: int) -> Ints:
        values = rows[name].to_numpy().astype(np.int64)
        return np.concatenate([values, np.full(shared, public, dtype=np.int64)])

    tenant = column("tenant", -1)
    return Meta(
        tenant=tenant,
        exchange=column("exchange", -3),
        characters=characters,
        since=column("since", 0),
        began=column("began", _LATEST),
        until=column("until", _LATEST),
        prompt=column("prompt", 0) > 0,
        answer=column("answer", 0) > 0,
        tenants=int(tenant.max(initial=-1)) + 1,
    )


def _keep(con: duckdb.DuckDBPyConnection, corpus: CaseCorpus, found: Sequence[Passage]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE sweep_span ({SPAN_COLUMNS})")
    rows: list[dict[str, Any]] = []
    count: dict[str, int] = {}
    parts = corpus.parts([number for each in found for number in (each.answer, each.source)])
    for each in found:
        mine, theirs, span = parts[each.answer], parts[each.source], each.span
        exchange_id = mine["exchange_id"]
        count[exchange_id] = count.get(exchange_id, 0) + 1
        rows.append({
            "exchange_id": exchange_id, "span": count[exchange_id], "source_exchange_id": theirs["exchange_id"],
            "response_part": mine["part"], "response_field": mine["field"], "response_start": span.response_start,
            "response_end": span.response_end, "source_side": theirs["side"], "source_part": theirs["part"],
            "source_message_index": theirs["message_index"], "source_field": theirs["field"],
            "source_start": span.source_start, "source_end": span.source_end, "bits_milli": span.bits_milli,
            "similarity_milli": span.similarity_milli,
        })  # fmt: skip
    if rows:
        con.register("found_spans", pa.Table.from_pylist(rows))
        con.execute("INSERT INTO sweep_span BY NAME SELECT * FROM found_spans")
        con.unregister("found_spans")
