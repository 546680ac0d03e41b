"""The stage: evidence paths in; evidence folders, manifest and the tables ``file``, ``record``, ``reject`` out.

The result depends on the evidence and ``case.toml`` only, not on order, threads or interruptions: every content is
published whole under a key made of its hash, and the database is built from all of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from forensics.case import custody
from forensics.case.config import CaseConfig
from forensics.case.database import connect, connect_memory
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import manifest, segment
from forensics.ingest.detect import detect
from forensics.ingest.formats import Formats
from forensics.ingest.project import Projector
from forensics.ingest.segment import Job, Ledger
from forensics.ingest.streams import survey
from forensics.ingest.walk import Found, find


class Progress(Protocol):
    """What a display is told. ``stage`` begins a stage of ``total`` bytes, ``advance`` adds to it."""

    def stage(self, name: str, total: int) -> None:
        """A new stage begins."""

    def advance(self, done: int) -> None:
        """``done`` bytes more are dealt with; called from several threads."""


@dataclass(frozen=True)
class FileReport:
    """What one evidence path gave. ``status`` is ``new``, ``known`` (unchanged), ``replaced`` or ``copy``."""

    path: str
    status: str
    format: str
    why: str
    compression: str
    records_read: int
    records_kept: int
    rejected: dict[str, int]
    records_duplicate: int
    first_ns: int | None
    last_ns: int | None
    cut_short: bool
    copy_of: str | None
    counts: dict[str, int]


@dataclass
class IngestReport:
    """What an ingest did: one report per file, and what could not be done. It is complete if there are no problems."""

    files: list[FileReport] = field(default_factory=list)
    problems: list[ForensicsError] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0, or 2 if any file was refused, unreadable or incomplete."""
        return 2 if self.problems else 0


def ingest(
    case: Case,
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    threads: int = 2,
    progress: Progress | None = None,
) -> IngestReport:
    """Reads evidence files and folders into the case and returns what became of each.

    ``format`` names the format of all of them, or a SQL file of the user's own, instead of having it detected. Files
    that cannot be taken become problems of the report; the others are ingested all the same. Raises if a path does
    not exist, another writer has the case, or the case cannot be written.
    """
    with case.lock():
        return _Ingest(case, format, max(1, threads), progress).run(paths)


def refresh(case: Case) -> None:
    """Builds the database anew from what was ingested, so that changed ``[[source]]`` declarations take effect."""
    with case.lock():
        manifest.build(case, manifest.load(case))


class _Ingest:
    def __init__(self, case: Case, wanted: str | None, threads: int, progress: Progress | None) -> None:
        self.case, self.threads, self.progress = case, threads, progress
        self.formats = Formats(case.site)
        self.wanted = self.formats.get(wanted).name if wanted else None
        self.report = IngestReport()
        self.known = manifest.load(case)
        self.ledgers: dict[str, Ledger] = {}
        self.status: dict[str, str] = {}

    def run(self, paths: Sequence[Path]) -> IngestReport:
        found = find(paths, spare=self.case.root)
        self.case.evidence.mkdir(mode=0o700, exist_ok=True)
        jobs = self._surveyed(found)
        entries = dict(self.known)
        for job, ledger in self._written(jobs):
            entry = manifest.Entry.of(job, ledger)
            before = self.known.get(job.label)
            unchanged = before is not None and before.content == entry.content
            self.status[job.label] = "new" if before is None else "known" if unchanged else "replaced"
            self.ledgers[job.label] = ledger
            entries[job.label] = entry
        if entries:
            manifest.save(self.case, entries)
            manifest.build(self.case, entries)
            self._tell()
        self.report.problems.sort(key=lambda problem: (problem.where or "", problem.what))
        custody.record(
            self.case,
            "ingest",
            files=[{"path": each.path, "status": each.status} for each in self.report.files],
            problems=len(self.report.problems),
        )
        return self.report

    def _surveyed(self, found: list[Found]) -> list[Job]:
        """First reading: hashes, compression and format of every file."""
        readable = []
        for each in found:
            if each.trouble is None:
                readable.append(each)
            else:
                self._problem(ForensicsError(each.trouble, where=each.label, fix=each.fix))
        if self.progress is not None:
            self.progress.stage("reading", sum(_size(each.path) for each in readable))
        with ThreadPoolExecutor(self.threads) as pool:
            return [job for job in pool.map(self._survey, readable) if job is not None]

    def _survey(self, found: Found) -> Job | None:
        try:
            seen = survey(found.path, found.label, self.progress and self.progress.advance)
            if seen.cut is not None and not seen.decoded_bytes:
                raise ForensicsError(f"{seen.cut}, and nothing can be read", where=found.label, fix="Get the whole file")
            if not seen.decoded_bytes:
                raise ForensicsError("the file is empty", where=found.label, fix="Leave it out, or get the whole file")
            source = self.case.config.source_for(found.label)
            detected = detect(seen.head, found.label, self.formats, self.wanted or source.format)
        except ForensicsError as error:
            self._problem(error)
            return None
        year = source.year or _year(self.case.config)
        return Job(found.label, found.path, seen, detected, source.zone, year, self.formats.recipe)

    def _written(self, jobs: list[Job]) -> list[tuple[Job, Ledger]]:
        """Second reading, of every content once; copies share the records of the smallest path."""
        groups: dict[str, list[Job]] = defaultdict(list)
        for job in sorted(jobs, key=lambda each: each.label):
            groups[job.identity].append(job)
        if self.progress is not None:
            self.progress.stage("ingesting", sum(group[0].survey.decoded_bytes for group in groups.values()))
        with self._projectors() as idle, ThreadPoolExecutor(self.threads) as pool:

            def work(group: list[Job]) -> list[tuple[Job, Ledger]]:
                projector = idle.get()
                try:
                    return self._group(group, projector)
                finally:
                    idle.put(projector)

            return [done for result in pool.map(work, groups.values()) for done in result]

    def _group(self, group: list[Job], projector: Projector) -> list[tuple[Job, Ledger]]:
        advance = self.progress and self.progress.advance
        for place, job in enumerate(group):
            try:
                ledger = segment.load(self.case, job.key)
                if ledger is None:
                    ledger = segment.write(self.case, job, projector, advance)
                elif advance:
                    advance(job.survey.decoded_bytes)
            except ForensicsError as error:
                self._problem(error)
                continue
            if job.survey.cut is not None:
                what = f"{job.survey.cut}; the {ledger.records_kept:,} records before are kept"
                self._problem(ForensicsError(what, where=job.label, fix="Get the whole file and ingest it again"))
            return [(each, ledger) for each in group[place:]]
        return []

    @contextmanager
    def _projectors(self) -> Iterator["SimpleQueue[Projector]"]:
        """One connection per thread, all within the case's one bound of memory."""
        idle: SimpleQueue[Projector] = SimpleQueue()
        con = connect_memory(self.case)
        try:
            for _ in range(self.threads):
                idle.put(Projector(con.cursor(), self.formats))
            yield idle
        finally:
            con.close()

    def _tell(self) -> None:
        con = connect(self.case)
        try:
            rows = con.execute(
                "SELECT path, format, format_why, compression, records_read, records_kept, records_duplicate, first_ns, "
                "last_ns, cut_short, copy_of FROM file ORDER BY path"
            ).fetchall()
        finally:
            con.close()
        for path, form, why, compression, read, kept, duplicate, first, last, cut, copy_of in rows:
            if path not in self.status:
                continue
            ledger = self.ledgers[path]
            self.report.files.append(
                FileReport(
                    path,
                    "copy" if copy_of else self.status[path],
                    form,
                    why,
                    compression,
                    read,
                    kept,
                    {} if copy_of else ledger.rejected,
                    duplicate,
                    first,
                    last,
                    cut,
                    copy_of,
                    ledger.counts,
                )
            )
            if read != kept + duplicate + (0 if copy_of else ledger.records_rejected):
                raise ForensicsError("records are not all accounted for", where=path, fix="Please report this")

    def _problem(self, error: ForensicsError) -> None:
        self.report.problems.append(error)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _year(config: CaseConfig) -> int | None:
    """The year that dates without one begin in: the declared window's."""
    start = config.window.start or config.window.end
    return start.year if start else None
