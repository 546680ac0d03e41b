"""One ingested content on disk: ``evidence/<key>/`` with its records, texts, rejects and ledger.

The folder is written within another one beside its place and renamed, so that what stands there is whole. Of a large
content whose records are lines, parts are sealed on the way: a run that was killed goes on behind the last of them.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import clock, envelopes, refusals
from forensics.ingest.account import Account
from forensics.ingest.framing.records import Context, Frame, Reject
from forensics.ingest.job import YEARLESS, Job, Ledger
from forensics.ingest.parts import Parts
from forensics.ingest.project import Projected, Projector
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


def write(case: Case, job: Job, projector: Projector, advance: Advance | None = None) -> Ledger:
    """Ingests one content, batch by batch, and publishes its folder. Returns its ledger.

    Raises ``ForensicsError`` if the file needs a declaration that is missing, changed while it was read, holds nothing
    of its format, or if the disk is full; nothing of it is kept then.
    """
    writer = _Writer(case, job)
    with writer:
        for batch in writer.batches(advance):
            try:
                projected = projector.project([batch])[0]
            except ForensicsError as error:
                raise ForensicsError(error.what, where=f"{job.label} (by {error.where})", fix=error.fix) from error
            writer.take(projected)
        return writer.publish()


def write_small(
    case: Case, jobs: Sequence[Job], projector: Projector, advance: Advance | None = None
) -> list[Ledger | ForensicsError]:
    """Ingests several small contents with one projection per format. Returns a ledger or what went wrong for each."""
    writers = [_Writer(case, job) for job in jobs]
    results: list[Ledger | ForensicsError] = []
    try:
        try:
            batches = [list(chain.from_iterable(writer.batches(advance))) for writer in writers]
            projected = projector.project(batches)
        except ForensicsError:
            # One of them is to blame; alone, each is told apart.
            return [_alone(case, job, projector) for job in jobs]
        for writer, given in zip(writers, projected, strict=True):
            try:
                writer.take(given)
                results.append(writer.publish())
            except ForensicsError as error:
                results.append(error)
        return results
    finally:
        for writer in writers:
            writer.close()


def _alone(case: Case, job: Job, projector: Projector) -> Ledger | ForensicsError:
    try:
        return write(case, job, projector)
    except ForensicsError as error:
        return error


class _Writer:
    """Writes one content's folder. Nothing stands in its place until ``publish``."""

    def __init__(self, case: Case, job: Job) -> None:
        self.case, self.job = case, job
        self.ledger = Ledger(job.file_id, job.detected.form.name, job.zone, job.year)
        plain = job.path if job.survey.compression == "none" else None
        opens = envelopes.opener(job.detected.envelopes)
        self.context = Context(job.label, job.detected.form.name, job.year, plain, opens=opens)
        self.stream = Decoded(job.path, job.label)
        self.rejects: list[Reject] = []
        try:
            self.parts = Parts(case.evidence / f".{job.key}.new")
        except OSError as error:
            raise refusals.unwritable(case.evidence, error) from error
        self.account = Account(self.parts, job.file_id)
        if self.parts.state is not None:
            self._resume(self.parts.state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(keep=kind is not None and not issubclass(kind, Exception))

    def close(self, *, keep: bool = False) -> None:
        """Lets go of the files; what was not published is removed, but for parts that an interrupted run may keep."""
        self.parts.close(keep=keep)

    def batches(self, advance: Advance | None) -> Iterator[list[Frame]]:
        """Yields the content's frames, about ``BATCH_BYTES`` at a time."""
        framer = self.job.detected.form.framer(self.job.detected.framing)
        batch: list[Frame] = []
        size = 0
        for found in framer(_watched(self.stream, advance, self.context.start[1]), self.context):
            if self.context.oversized:
                self._oversized()
            self.ledger.records_read += 1
            if isinstance(found, Reject):
                self.rejects.append(found)
                continue
            batch.append(found)
            size += len(found.raw)
            if size >= BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
                yield batch
                batch, size = [], 0
                self._seal()
        self._oversized()
        if batch:
            yield batch

    def take(self, results: list[Projected]) -> None:
        """Writes what a batch gave."""
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

    def _seal(self) -> None:
        """Makes what was read so far last, if reading could go on from here and enough has come together."""
        context = self.context
        if not context.by_line or context.after is None or self.job.detected.envelopes:
            return
        if context.after[1] - context.start[1] < PART_BYTES:
            return
        context.start = context.after
        try:
            self._settle()
            self.parts.seal(
                {
                    "start": context.start,
                    "counts": context.counts,
                    "ledger": asdict(self.ledger),
                    "account": self.account.state,
                }
            )
        except OSError as error:
            raise refusals.unwritable(self.case.evidence, error) from error

    def _resume(self, state: dict[str, Any]) -> None:
        """Goes on where an earlier run sealed its last part."""
        self.ledger = Ledger(**state["ledger"])
        self.context.start = (state["start"][0], state["start"][1])
        self.context.counts, self.context.by_line = state["counts"], True
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
        self.ledger.counts = dict(sorted(self.context.counts.items()))

    def _oversized(self) -> None:
        self.ledger.records_read += len(self.context.oversized)
        self.rejects += self.context.oversized
        self.context.oversized.clear()

    def _timed(self, result: Projected) -> pa.Table:
        """Returns the records in UTC, and counts them."""
        records, job = result.records, self.job
        if job.year is None and job.detected.framing in YEARLESS and clock.lacks_year(records):
            raise refusals.missing_year(job.label, job.detected.form.name)
        if job.zone is None and clock.needs_zone(records):
            raise refusals.missing_zone(job.label, job.detected.form.name)
        records, ambiguous = clock.to_utc(records, job.zone)
        self.context.count("ambiguous_stamps", ambiguous)
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
