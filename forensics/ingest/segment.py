"""One ingested content on disk: ``evidence/<key>/`` with its records, texts, rejects and ledger.

The folder is written under another name beside its place and renamed, so that what stands there is whole.
"""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import clock
from forensics.ingest.detect import Detected
from forensics.ingest.framing.records import Context, Frame, Reject
from forensics.ingest.project import Projected, Projector
from forensics.ingest.streams import CHUNK, Decoded, Survey

Advance = Callable[[int], None]
"""Told how many bytes were done since it was last called."""

_RECORD_FIRST = ["file_id", "format", "line", "byte_offset", "item"]
_REJECT = pa.schema(
    [
        ("file_id", pa.string()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("reason", pa.string()),
        ("length", pa.int64()),
    ]
)
_BATCH_RECORDS = 20_000


@dataclass
class Ledger:
    """What one content holds, as counted when it was read. Times are nanoseconds UTC."""

    file_id: str
    format: str
    zone: str | None
    year: int | None
    records_read: int = 0
    records_kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    formats: dict[str, int] = field(default_factory=dict)
    first_ns: int | None = None
    last_ns: int | None = None
    cut_short: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def records_rejected(self) -> int:
        return sum(self.rejected.values())

    def check(self, where: str) -> None:
        """Raises unless every record that was read is accounted for."""
        if self.records_read != self.records_kept + self.records_rejected:
            raise ForensicsError(
                f"read {self.records_read:,} records but kept {self.records_kept:,} and rejected {self.records_rejected:,}",
                where=where,
                fix="This is a fault of the program: please report it; nothing of the file was kept",
            )


@dataclass(frozen=True)
class Job:
    """One content to be ingested: where it lies, its hashes, its format, and what is declared about it."""

    label: str
    path: Path
    survey: Survey
    detected: Detected
    zone: str | None
    year: int | None
    recipe: str

    @property
    def identity(self) -> str:
        """What makes this content this content: its decoded bytes, and its name where the name is part of it."""
        named = self.label if self.detected.form.named_by_path else ""
        return f"{self.survey.decoded_sha256}\n{named}" if named else self.survey.decoded_sha256

    @property
    def file_id(self) -> str:
        """16 hex digits: the head of the decoded hash, or of (hash, path) where the path is part of the content."""
        if self.detected.form.named_by_path:
            return hashlib.sha256(self.identity.encode()).hexdigest()[:16]
        return self.survey.decoded_sha256[:16]

    @property
    def key(self) -> str:
        """Name of the evidence folder."""
        parts = [self.identity, self.detected.form.name, self.detected.framing, self.detected.form.query.sql, self.recipe]
        parts += [self.zone or "", str(self.year or ""), self.survey.cut or ""]
        return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def load(case: Case, key: str) -> Ledger | None:
    """Returns the ledger of a content that was ingested already, or None."""
    path = case.evidence / key / "ledger.json"
    try:
        return Ledger(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(case: Case, job: Job, projector: Projector, advance: Advance | None = None) -> Ledger:
    """Ingests one content and publishes its folder. Returns its ledger.

    Raises ``ForensicsError`` if the file needs a declaration that is missing, changed while it was read, holds nothing
    of its format, or if the disk is full; nothing of it is kept then.
    """
    target = case.evidence / job.key
    fresh = case.evidence / f".{job.key}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True, mode=0o700)
        ledger = _Writer(fresh, job, projector).run(advance)
        (fresh / "ledger.json").write_text(json.dumps(asdict(ledger), sort_keys=True, indent=1) + "\n", encoding="utf-8")
        if target.exists():  # a ledger that could not be read
            shutil.rmtree(target)
        fresh.rename(target)
    except OSError as error:
        raise ForensicsError(
            f"cannot write to the case ({error.strerror or error})",
            where=str(case.evidence),
            fix="Free some space or check its permissions, and run the same command again",
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return ledger


class _Writer:
    def __init__(self, folder: Path, job: Job, projector: Projector) -> None:
        self.folder, self.job, self.projector = folder, job, projector
        self.ledger = Ledger(job.file_id, job.detected.form.name, job.zone, job.year)
        self.context = Context(job.label, job.detected.form.name, job.year, job.path)
        self.records: pq.ParquetWriter | None = None
        self.texts: pq.ParquetWriter | None = None
        self.rejects: list[Reject] = []
        self.ambiguous = 0

    def run(self, advance: Advance | None) -> Ledger:
        stream = Decoded(self.job.path, self.job.label)
        framer = self.job.detected.form.framer(self.job.detected.framing)
        batch: list[Frame] = []
        size = 0
        try:
            for found in framer(_watched(stream, advance), self.context):
                self._oversized()
                self.ledger.records_read += 1
                if isinstance(found, Reject):
                    self.rejects.append(found)
                    continue
                batch.append(found)
                size += len(found.raw)
                if size >= CHUNK or len(batch) >= _BATCH_RECORDS:
                    self._flush(batch)
                    batch, size = [], 0
            self._oversized()
            self._flush(batch)
        finally:
            for writer in (self.records, self.texts):
                if writer is not None:
                    writer.close()
        self._finish(stream)
        return self.ledger

    def _oversized(self) -> None:
        self.ledger.records_read += len(self.context.oversized)
        self.rejects += self.context.oversized
        self.context.oversized.clear()

    def _flush(self, batch: list[Frame]) -> None:
        if not batch and self.records is not None:
            return
        results = self.projector.project(batch) if batch else []
        for result in results:
            self.rejects += result.rejects
        kept = [self._timed(result) for result in results if result.records.num_rows]
        if kept:
            records = pa.concat_tables(kept).sort_by([("byte_offset", "ascending"), ("item", "ascending")])
            if self.records is None:
                self.records = pq.ParquetWriter(self.folder / "record.parquet", records.schema, compression="zstd")
            self.records.write_table(records)
        texts = [self._identified(result.texts) for result in results if result.texts.num_rows]
        if texts:
            table = pa.concat_tables(texts).sort_by([(name, "ascending") for name in ("byte_offset", "item", "side", "part")])
            if self.texts is None:
                self.texts = pq.ParquetWriter(self.folder / "text.parquet", table.schema, compression="zstd")
            self.texts.write_table(table)

    def _timed(self, result: Projected) -> pa.Table:
        records = result.records
        if self.job.year is None and self.job.detected.framing == "vllm" and _yearless(records):
            raise missing_year(self.job.label, self.job.detected.form.name)
        if self.job.zone is None and clock.needs_zone(records):
            raise missing_zone(self.job.label, self.job.detected.form.name)
        records, ambiguous = clock.to_utc(records, self.job.zone)
        self.ambiguous += ambiguous
        self.ledger.records_kept += records.num_rows
        name = records["format"][0].as_py()
        self.ledger.formats[name] = self.ledger.formats.get(name, 0) + records.num_rows
        extremes = pc.min_max(records["at_ns"]).as_py()
        if extremes["min"] is not None:
            first, last = self.ledger.first_ns, self.ledger.last_ns
            self.ledger.first_ns = extremes["min"] if first is None else min(first, extremes["min"])
            self.ledger.last_ns = extremes["max"] if last is None else max(last, extremes["max"])
        records = self._identified(records)
        return records.select([*_RECORD_FIRST, *[n for n in records.column_names if n not in _RECORD_FIRST]])

    def _identified(self, table: pa.Table) -> pa.Table:
        return table.add_column(0, "file_id", pa.array([self.job.file_id] * table.num_rows, pa.string()))

    def _finish(self, stream: Decoded) -> None:
        form = self.job.detected.form.name
        if stream.decoded_sha256 != self.job.survey.decoded_sha256:
            raise ForensicsError(
                "changed while it was read",
                where=self.job.label,
                fix="Copy the file, or wait until nothing writes to it, and ingest it again",
            )
        self.ledger.rejected = dict(sorted(Counter(reject.reason for reject in self.rejects).items()))
        self.ledger.check(self.job.label)
        if not self.ledger.records_kept:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.ledger.rejected.items())
            raise ForensicsError(
                f"holds no record of format {form} ({reasons or 'it is empty'})",
                where=self.job.label,
                fix="Leave --format out to have the format detected, or name the right one",
            )
        self.ledger.cut_short = self.context.cut or self.job.survey.cut is not None or "cut_short" in self.ledger.rejected
        self.context.count("ambiguous_stamps", self.ambiguous)
        self.ledger.counts = dict(sorted(self.context.counts.items()))
        self.rejects.sort()
        rows: list[list[Any]] = [
            [self.job.file_id] * len(self.rejects),
            *([reject[place] for reject in self.rejects] for place in range(4)),
        ]
        table = pa.Table.from_arrays([pa.array(v, f.type) for v, f in zip(rows, _REJECT, strict=True)], schema=_REJECT)
        pq.write_table(table, self.folder / "reject.parquet", compression="zstd")


def missing_zone(label: str, form: str) -> ForensicsError:
    """The refusal of a file whose stamps are local, with the lines that would let it in."""
    return ForensicsError(
        f"{form} has local time stamps without a zone, and none is declared: refused",
        where=label,
        fix=f'Add to case.toml:\n\n[[source]]\nfiles = "{_toml(label)}"\nzone = "UTC"  # or the zone of the host that wrote it\n',
    )


def missing_year(label: str, form: str) -> ForensicsError:
    """The refusal of a file whose dates have no year, with the lines that would let it in."""
    return ForensicsError(
        f"{form} has dates without a year, and none is declared: refused",
        where=label,
        fix=f'Add to case.toml:\n\n[[source]]\nfiles = "{_toml(label)}"\nyear = 2026  # of the first record\n\nor a [window]',
    )


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _yearless(records: pa.Table) -> bool:
    return bool(pc.any(pc.and_(records["at_is_local"], pc.is_null(records["at_ns"]))).as_py())


def _watched(stream: Decoded, advance: Advance | None) -> Iterator[bytes]:
    for chunk in stream:
        yield chunk
        if advance is not None:
            advance(len(chunk))
