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
import pyarrow.parquet as pq

from forensics.case.database import create_table, select
from forensics.case.folder import Case
from forensics.match.public import public_texts
from forensics.match.sweep import engine, index, pricing, scan, seeding
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
_LATEST: Final = np.iinfo(np.int64).max


@dataclass(frozen=True)
class SweepReport:
    """What was read and what was found; thresholds in milli-bits."""

    figures: Figures
    passages: int
    responses: int
    probable_milli: int
    confirmed_milli: int

    def __str__(self) -> str:
        return (
            f"{self.figures.responses:>7,} responses against {self.figures.texts:,} texts: {self.passages:,} passages in "
            f"{self.responses:,} responses (probable from {self.probable_milli / 1000:.1f} bits, confirmed from "
            f"{self.confirmed_milli / 1000:.1f})"
        )


class CaseCorpus:
    """The texts of a case, and public ones behind them, which belong to nobody."""

    def __init__(self, con: duckdb.DuckDBPyConnection, case: Case, public: Path) -> None:
        """``con`` has the tables that link wrote; ``public`` is where the public texts are written for reading."""
        files = sorted(str(path) for path in case.evidence.glob("*/text.parquet"))
        _write_public(case, public)
        rows = select(con, query("match/sweep_text", case.site), files=files).fetch_arrow_table() if files else None
        self.parts: list[dict[str, Any]] = []
        columns = ["exchange_id", "side", "part", "message_index", "field"]
        if rows is not None:
            self.parts = rows.select(columns).to_pylist()
        self.units: Sequence[Unit]
        self.meta: Meta
        self.units, self.meta = _numbered(rows, files, public)


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
    create_table(con, "unexplained_match", query("match/unexplained_match", case.site), confirmed_milli=confirmed)
    state.close()
    (case.work / "public.parquet").unlink(missing_ok=True)
    responses = len({corpus.parts[each.answer]["exchange_id"] for each in found})
    return SweepReport(run.figures, len(found), responses, probable, confirmed)


def _key(con: duckdb.DuckDBPyConnection, case: Case, memory: int) -> str:
    """Returns a digest of all that a sweep's steps follow from."""
    contents = sorted(path.parent.name for path in case.evidence.glob("*/text.parquet"))
    exchanges = con.execute("SELECT count(*), bit_xor(hash(x)) FROM exchange AS x").fetchone()
    public = [hashlib.sha256(text.text.encode()).hexdigest() for text in public_texts(case)]
    settings = [seeding.GRAM, seeding.INNER, index.MOST, index.SHELF, engine.LEAST, engine.SEGMENT, scan.FIELDS]
    said = json.dumps(
        [contents, exchanges, public, settings, pricing.MOST_BITS, memory], default=str
    )
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _write_public(case: Case, path: Path) -> None:
    texts = [text.text for text in public_texts(case)]
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)


def _numbered(rows: pa.Table | None, files: Sequence[str], public: Path) -> tuple[list[Unit], Meta]:
    """Returns the units to read and what is known of each text, numbered in the order of units and rows."""
    units: list[Unit] = []
    characters = [np.empty(0, dtype=np.int64)]
    total = 0 if rows is None else len(rows)
    names = np.array([] if rows is None else rows["filename"].to_pylist(), dtype=object)
    at = np.array([] if rows is None else rows["file_row_number"].to_numpy(), dtype=np.int64)
    for name in files:
        mine = np.flatnonzero(names == name)
        for group, begin, count, size in _row_groups(name):
            which = mine[(at[mine] >= begin) & (at[mine] < begin + count)]
            numbers = np.full(count, -1, dtype=np.int64)
            numbers[at[which] - begin] = which
            units.append(Unit(Path(name), group, numbers))
            characters.append(np.full(len(which), size, dtype=np.int64))
    shared = 0
    for group, begin, count, size in _row_groups(str(public)):
        units.append(Unit(public, group, total + begin + np.arange(count)))
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


def _meta(rows: pa.Table | None, characters: np.ndarray[Any, np.dtype[np.int64]], shared: int) -> Meta:
    def column(name: str, unknown: Any) -> np.ndarray[Any, Any]:
        values = [] if rows is None else rows[name].to_pylist()
        return np.array([unknown if value is None else value for value in values] or np.empty(0))

    def numbered(name: str) -> tuple[np.ndarray[Any, Any], int]:
        values, number = np.unique(column(name, "").astype(str), return_inverse=True)
        return number.astype(np.int64), len(values)

    def with_public(values: np.ndarray[Any, Any], public: int, kind: type) -> np.ndarray[Any, Any]:
        return np.concatenate([values.astype(kind), np.full(shared, public, dtype=kind)])

    tenant, tenants = numbered("tenant")
    return Meta(
        tenant=with_public(tenant, -1, np.int64),
        exchange=with_public(numbered("exchange_id")[0], -3, np.int64),
        characters=characters,
        since=with_public(column("since_ns", 0), 0, np.int64),
        began=with_public(column("began_ns", _LATEST), _LATEST, np.int64),
        until=with_public(column("until_ns", _LATEST), _LATEST, np.int64),
        prompt=with_public(column("side", "") == "prompt", 0, np.bool_),
        answer=with_public(column("answer", 0), 0, np.bool_),
        tenants=tenants,
    )


def _keep(con: duckdb.DuckDBPyConnection, corpus: CaseCorpus, found: Sequence[Passage]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE sweep_span ({SPAN_COLUMNS})")
    rows: list[dict[str, Any]] = []
    count: dict[str, int] = {}
    for each in found:
        mine, theirs, span = corpus.parts[each.answer], corpus.parts[each.source], each.span
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
