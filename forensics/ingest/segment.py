"""One ingested content on disk: ``evidence/<key>/`` with its records, texts, rejects and ledger.

The folder is written within another one beside its place and renamed, so that what stands there is whole. Of a large
content whose records are lines, parts are sealed on the way: a run that was killed goes on behind the last of them.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import clock, envelopes, refusals
from forensics.ingest.account import Account
from forensics.ingest.framing import IN_BLOCKS
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.records import Context, Frame, Reject
from forensics.ingest.job import YEARLESS, Job, Ledger
from forensics.ingest.parts import Parts
from forensics.ingest.project import Projected
from forensics.ingest.projectors import Projectors
from forensics.ingest.streams import Decoded

Advance = Callable[[int], None]
"""Told how many bytes were done since it was last called."""

SMALL = 1 << 20
"""Bytes of decoded content up to which files share one projection, since planning a query costs more than they do."""

BATCH_BYTES = 16 << 20
"""Bytes of raw records that are projected together: planning the queries costs as much as running them on 2 MB."""

PART_BYTES = 64 << 20
"""Bytes of decoded content after which a part is sealed: what a killed run loses, some seconds of work."""

_BATCH_RECORDS = 40_000
_PLACE = ("byte_offset", "item", "side", "part")
_RECORD_FIRST = ["file_id", "format", "line", "byte_offset", "item"]


def write(case: Case, job: Job, projectors: Projectors, advance: Advance | None = None) -> Ledger:
    """Ingests one content, batch by batch, and publishes its folder. Returns its ledger.

    Raises ``ForensicsError`` if the file needs a declaration that is missing, changed while it was read, holds nothing
    of its format, or if the disk is full; nothing of it is kept then.
    """
    writer = _Writer(case, job)
    with writer:
        for batch, projected in projectors.ahead(writer.batches(advance), job.label):
            writer.take(batch, projected)
        return writer.publish()


def write_small(
    case: Case, jobs: Sequence[Job], projectors: Projectors, advance: Advance | None = None
) -> list[Ledger | ForensicsError]:
    """Ingests several small contents with one projection per format. Returns a ledger or what went wrong for each."""
    writers = [_Writer(case, job) for job in jobs]
    results: list[Ledger | ForensicsError] = []
    try:
        try:
            batches = [_Batch.of(writer.batches(advance)) for writer in writers]
            projected = projectors.project([batch.frames for batch in batches])
        except ForensicsError:
            # One of them is to blame; alone, each is told apart.
            return [_alone(case, job, projectors) for job in jobs]
        for writer, batch, given in zip(writers, batches, projected, strict=True):
            try:
                writer.take(batch, given)
                results.append(writer.publish())
            except ForensicsError as error:
                results.append(error)
        return results
    finally:
        for writer in writers:
            writer.close()


def _alone(case: Case, job: Job, projectors: Projectors) -> Ledger | ForensicsError:
    try:
        return write(case, job, projectors)
    except ForensicsError as error:
        return error


@dataclass
class _Batch:
    """Records that are projected together, and what was found on the way to the last of them.

    ``read`` counts records, rejected ones included, ``counts`` is what the framer had counted by then. ``after`` is the
    (line, byte) from which another run could go on, None if none could.
    """

    frames: list[Frame | Block] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    read: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    after: tuple[int, int] | None = None

    @classmethod
    def of(cls, batches: Iterable[Self]) -> Self:
        """Returns all batches of a small content as one."""
        whole = cls()
        for each in batches:
            whole.frames += each.frames
            whole.rejects += each.rejects
            whole.read += each.read
            whole.counts = each.counts
        return whole


class _Writer:
    """Writes one content's folder. Nothing stands in its place until ``publish``."""

    def __init__(self, case: Case, job: Job) -> None:
        self.case, self.job = case, job
        self.ledger = Ledger(job.file_id, job.detected.form.name, job.zone, job.year)
        plain = job.path if job.survey.compression == "none" else None
        opens = envelopes.opener(job.detected.envelopes)
        blocks = job.detected.framing in IN_BLOCKS and not job.detected.envelopes
        self.context = Context(job.label, job.detected.form.name, job.year, plain, opens=opens, blocks=blocks)
        self.stream = Decoded(job.path, job.label)
        self.rejects: list[Reject] = []
        try:
            self.parts = Parts(case.evidence / f".{job.key}.new")
        except OSError as error:
            raise refusals.unwritable(case.evidence, error) from error
        self.account = Account(self.parts, job.file_id)
        self.ambiguous = 0
        self.sealed = self.context.start
        if self.parts.state is not None:
            self._resume(self.parts.state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(keep=kind is not None and not issubclass(kind, Exception))

    def close(self, *, keep: bool = False) -> None:
        """Lets go of the files; what was not published is removed, but for parts that an interrupted run may keep."""
        self.parts.close(keep=keep)

    def batches(self, advance: Advance | None) -> Iterator[_Batch]:
        """Yields the content's frames, about ``BATCH_BYTES`` at a time; what else was found goes with them."""
        framer = self.job.detected.form.framer(self.job.detected.framing)
        batch, size = _Batch(), 0
        for found in framer(_watched(self.stream, advance, self.context.start[1]), self.context):
            self._oversized(batch)
            if isinstance(found, Reject):
                batch.read += 1
                batch.rejects.append(found)
                continue
            batch.frames.append(found)
            batch.read += found.table.num_rows if isinstance(found, Block) else 1
            size += found.size if isinstance(found, Block) else len(found.raw)
            if size >= BATCH_BYTES or batch.read - len(batch.rejects) >= _BATCH_RECORDS:
                yield self._ended(batch)
                batch, size = _Batch(), 0
        self._oversized(batch)
        if batch.read:
            yield self._ended(batch)

    def take(self, batch: _Batch, results: list[Projected]) -> None:
        """Writes what a batch gave, and seals a part if enough has come together."""
        self.ledger.records_read += batch.read
        self.rejects += batch.rejects
        for result in results:
            self.rejects += result.rejects
        kept = [self._timed(result) for result in results if result.records.num_rows]
        texts = [self._identified(result.texts) for result in results if result.texts.num_rows]
        try:
            self._settle()
            if kept:
                self.parts.write("record", _ordered(pa.concat_tables(kept), _PLACE[:2]))
            if texts:
                self.parts.write("text", _ordered(pa.concat_tables(texts), _PLACE))
            if batch.after is not None and batch.after[1] - self.sealed[1] >= PART_BYTES:
                self._seal(batch.after, batch.counts)
        except OSError as error:
            raise refusals.unwritable(self.case.evidence, error) from error

    def publish(self) -> Ledger:
        """Checks that all is accounted for, writes the ledger, and puts the folder in its place."""
        self._check()
        target, whole = self.case.evidence / self.job.key, self.parts.folder / "whole"
        ledger = json.dumps(asdict(self.ledger), sort_keys=True, indent=1) + "\n"
        try:
            shutil.rmtree(whole, ignore_errors=True)
            whole.mkdir(mode=0o700)
            self.account.finish(whole)
            self.parts.publish(whole)
            (whole / "ledger.json").write_text(ledger, encoding="utf-8")
            if target.exists():  # its ledger could not be read
                shutil.rmtree(target)
            whole.rename(target)
        except OSError as error:
            raise refusals.unwritable(self.case.evidence, error) from error
        return self.ledger

    def _ended(self, batch: _Batch) -> _Batch:
        """Returns the batch with what is known where it ends."""
        context = self.context
        batch.counts = dict(context.counts)
        if context.by_line and not self.job.detected.envelopes:
            batch.after = context.after
        return batch

    def _seal(self, after: tuple[int, int], counts: dict[str, int]) -> None:
        """Makes what was taken so far last; another run would go on from ``after``."""
        self.sealed = after
        self.parts.seal(
            {
                "start": after,
                "counts": counts,
                "ambiguous": self.ambiguous,
                "ledger": asdict(self.ledger),
                "account": self.account.state,
            }
        )

    def _resume(self, state: dict[str, Any]) -> None:
        """Goes on where an earlier run sealed its last part."""
        self.ledger = Ledger(**state["ledger"])
        self.sealed = self.context.start = (state["start"][0], state["start"][1])
        self.context.counts, self.context.by_line = state["counts"], True
        self.ambiguous = state["ambiguous"]
        self.account.resume(state["account"])

    def _settle(self) -> None:
        """Hands what was rejected so far to the account."""
        rejects, self.rejects = self.rejects, []
        self.account.reject(rejects)

    def _check(self) -> None:
        if self.stream.decoded_sha256 != self.job.survey.decoded_sha256:
            raise refusals.changed(self.job.label)
        try:
            self._settle()
        except OSError as error:
            raise refusals.unwritable(self.case.evidence, error) from error
        self.ledger.rejected = dict(sorted(self.account.rejected.items()))
        self.ledger.check(self.job.label)
        if not self.ledger.records_kept:
            raise refusals.nothing_of_it(self.job.label, self.ledger)
        cut = self.context.cut or self.job.survey.cut is not None or "cut_short" in self.ledger.rejected
        self.ledger.cut_short = cut
        self.context.count("ambiguous_stamps", self.ambiguous)
        self.ledger.counts = dict(sorted(self.context.counts.items()))

    def _oversized(self, batch: _Batch) -> None:
        if self.context.oversized:
            batch.read += len(self.context.oversized)
            batch.rejects += self.context.oversized
            self.context.oversized.clear()

    def _timed(self, result: Projected) -> pa.Table:
        """Returns the records in UTC, and counts them."""
        records, job = result.records, self.job
        if job.year is None and job.detected.framing in YEARLESS and clock.lacks_year(records):
            raise refusals.missing_year(job.label, job.detected.form.name)
        if job.zone is None and clock.needs_zone(records):
            raise refusals.missing_zone(job.label, job.detected.form.name)
        records, ambiguous = clock.to_utc(records, job.zone)
        self.ambiguous += ambiguous
        self.ledger.records_kept += records.num_rows
        name = records["format"][0].as_py()
        self.ledger.formats[name] = self.ledger.formats.get(name, 0) + records.num_rows
        extremes = pc.min_max(records["at_ns"]).as_py()
        if extremes["min"] is not None:
            first, last = self.ledger.first_ns, self.ledger.last_ns
            self.ledger.first_ns = extremes["min"] if first is None else min(first, extremes["min"])
            self.ledger.last_ns = extremes["max"] if last is None else max(last, extremes["max"])
        self.account.note(records)
        records = self._identified(records)
        return records.select([*_RECORD_FIRST, *[n for n in records.column_names if n not in _RECORD_FIRST]])

    def _identified(self, table: pa.Table) -> pa.Table:
        return table.add_column(0, "file_id", pa.array([self.job.file_id] * table.num_rows, pa.string()))


def _ordered(table: pa.Table, place: Sequence[str]) -> pa.Table:
    """Returns the rows by their place; those that are in order already, as most batches of records, are not copied."""
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in place])
    inward = np.arange(table.num_rows, dtype=np.uint64)
    return table if np.array_equal(order.to_numpy(), inward) else table.take(order)


def _watched(stream: Decoded, advance: Advance | None, skipped: int) -> Iterator[bytes]:
    """Yields the content behind its first ``skipped`` bytes; those are read and hashed like the rest."""
    for chunk in stream:
        if skipped < len(chunk):
            yield chunk[skipped:]
        skipped = max(0, skipped - len(chunk))
        if advance is not None:
            advance(len(chunk))
