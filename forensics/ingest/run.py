"""The stage: evidence paths in; evidence folders, manifest and the tables ``file``, ``record``, ``reject`` out.

The result depends on the evidence and ``case.toml`` only, not on order, threads or interruptions: every content is
published whole under a key made of its hash, and the database is built from all of them.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event
from typing import Protocol, TypeVar

from forensics.case import custody
from forensics.case.config import CaseConfig
from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import job as jobs_of
from forensics.ingest import manifest, segment
from forensics.ingest.archives import Unpacked
from forensics.ingest.detect import detect
from forensics.ingest.formats import Formats
from forensics.ingest.gather import Pipe, gather
from forensics.ingest.job import Job, Ledger
from forensics.ingest.projectors import Projectors
from forensics.ingest.spool import Spool
from forensics.ingest.streams import survey
from forensics.ingest.walk import Found
from forensics.ingest.wrappers.base import CHUNK

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    paths: Sequence[Path | str],
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    threads: int = 2,
    progress: Progress | None = None,
    pipe: Pipe | None = None,
) -> IngestReport:
    """Reads evidence into the case and returns what became of each file.

    ``paths`` are files, folders, patterns, ``s3://`` and ``postgresql://`` addresses, and ``-`` for the ``pipe``;
    archives are unpacked, tables copied into the case. ``format`` names the format of all of them, or a SQL file of the
    user's own, instead of having it detected. Files that cannot be taken become problems of the report; the others are
    ingested all the same. Raises if a path does not exist, another writer has the case, or the case cannot be written.
    """
    with case.lock(), Spool(case.work / "spool") as spool:
        return _Ingest(case, format, max(1, threads), progress).run(paths, spool, pipe)


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
        self.stopped = Event()
        self.known = manifest.load(case)
        self.ledgers: dict[str, Ledger] = {}
        self.status: dict[str, str] = {}

    def run(self, paths: Sequence[Path | str], spool: Spool, pipe: Pipe | None) -> IngestReport:
        gathered = gather(paths, root=self.case.root, spool=spool, pipe=pipe, bench=self)
        self.case.evidence.mkdir(mode=0o700, exist_ok=True)
        jobs = self._surveyed(gathered.files)
        entries = dict(self.known)
        for job, ledger in self._written(jobs):
            entry = manifest.Entry.of(job, ledger)
            before = self.known.get(job.label)
            unchanged = before is not None and before.content == entry.content
            self.status[job.label] = "new" if before is None else "known" if unchanged else "replaced"
            self.ledgers[job.label] = ledger
            entries[job.label] = entry
        self.stage("indexing", 0)
        if entries:
            manifest.save(self.case, entries)
            manifest.build(self.case, entries)
            self._tell()
        self.report.problems.sort(key=lambda problem: (problem.where or "", problem.what))
        custody.record(
            self.case,
            "ingest",
            given=[str(each) for each in paths],
            folder=str(Path.cwd()),
            wanted=self.wanted,
            files=[{"path": each.path, "status": each.status} for each in self.report.files],
            archives=[asdict(each) for each in sorted(gathered.archives, key=lambda each: each.label)],
            **({"snapshots": [asdict(each) for each in gathered.snapshots]} if gathered.snapshots else {}),
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
        self.stage("reading", sum(_size(each.path) for each in readable))
        return [job for job in self._each(self._survey, readable) if job is not None]

    def _survey(self, found: Found) -> Job | None:
        share = _Share(self.advance, _size(found.path))
        try:
            return self._job(found, share)
        except ForensicsError as error:
            self._problem(error)
            return None
        finally:
            share.finish()

    def _job(self, found: Found, share: "_Share") -> Job:
        seen = survey(found.path, found.label, share.advance)
        seen.cut = seen.cut or found.cut
        if not seen.decoded_bytes:
            what = f"{seen.cut}, and nothing can be read" if seen.cut else "the file is empty"
            raise ForensicsError(what, where=found.label, fix="Leave it out, or get the whole file")
        source = self.case.config.source_for(found.label)
        plain = found.path if seen.compression == "none" else None
        detected = detect(seen.head, found.label, self.formats, self.wanted or source.format, plain)
        year = source.year or _year(self.case.config)
        return Job(found.label, found.path, seen, detected, source.zone, year, self.formats.recipe)

    def _written(self, jobs: list[Job]) -> list[tuple[Job, Ledger]]:
        """Second reading, of every content once; copies share the records of the smallest path."""
        groups: dict[str, list[Job]] = defaultdict(list)
        for job in sorted(jobs, key=lambda each: each.label):
            groups[job.identity].append(job)
        self.stage("ingesting", sum(group[0].survey.decoded_bytes for group in groups.values()))
        with Projectors(self.case, self.formats, self.threads) as projectors:

            def work(bundle: list[list[Job]]) -> list[tuple[Job, Ledger]]:
                return self._bundle(bundle, projectors)

            return [done for result in self._each(work, _bundles(list(groups.values()))) for done in result]

    def _bundle(self, bundle: list[list[Job]], projectors: Projectors) -> list[tuple[Job, Ledger]]:
        """Ingests the contents of a bundle: known ones cost nothing, several small ones go together."""
        done: list[tuple[Job, Ledger]] = []
        fresh: list[list[Job]] = []
        for group in bundle:
            ledger = jobs_of.load(self.case, group[0].key)
            if ledger is None:
                fresh.append(group)
            else:
                self.advance(group[0].survey.decoded_bytes)
                done += self._took(group, ledger)
        share = _Share(self.advance, sum(group[0].survey.decoded_bytes for group in fresh))
        if len(fresh) > 1:
            results = segment.write_small(self.case, [group[0] for group in fresh], projectors, share.advance)
            for group, result in zip(fresh, results, strict=True):
                if isinstance(result, Ledger):
                    done += self._took(group, result)
                else:
                    self._problem(result)
                    done += self._one(group[1:], projectors, share)
        elif fresh:
            done += self._one(fresh[0], projectors, share)
        share.finish()
        return done

    def _one(self, group: list[Job], projectors: Projectors, share: "_Share") -> list[tuple[Job, Ledger]]:
        """Ingests the first of these copies that can be taken."""
        for place, job in enumerate(group):
            try:
                ledger = jobs_of.load(self.case, job.key) or segment.write(self.case, job, projectors, share.advance)
            except ForensicsError as error:
                self._problem(error)
                continue
            return self._took(group[place:], ledger)
        return []

    def _took(self, group: list[Job], ledger: Ledger) -> list[tuple[Job, Ledger]]:
        first = group[0]
        if first.survey.cut is not None:
            what = f"{first.survey.cut}; the {ledger.records_kept:,} records before are kept"
            self._problem(ForensicsError(what, where=first.label, fix="Get the whole file and ingest it again"))
        return [(job, ledger) for job in group]

    def _each(self, work: Callable[[Item], Result], items: list[Item]) -> list[Result]:
        """Returns the results in order. An interrupt stops running work at its next step and drops what waits."""
        pool = ThreadPoolExecutor(self.threads)
        try:
            return list(pool.map(work, items))
        except BaseException:
            self.stopped.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def unpacked(self, work: Callable[[Found], Unpacked], items: list[Found]) -> list[Unpacked]:
        """Unpacks archives in parallel."""
        return self._each(work, items)

    def stage(self, name: str, total: int) -> None:
        """A stage of ``total`` bytes begins."""
        if self.progress is not None:
            self.progress.stage(name, total)

    def advance(self, done: int) -> None:
        """``done`` bytes more are dealt with; stops the thread that says so if the run is to stop."""
        if self.stopped.is_set():
            raise KeyboardInterrupt
        if self.progress is not None:
            self.progress.advance(done)

    def _tell(self) -> None:
        con = connect(self.case)
        try:
            rows = con.execute(
                "SELECT path, format, format_why, compression, records_read, records_kept, records_duplicate, "
                "first_ns, last_ns, cut_short, copy_of FROM file ORDER BY path"
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


class _Share:
    """One content's share of a stage: what is told in all is its size, whatever becomes of it, so that no bar lies."""

    def __init__(self, advance: Callable[[int], None], size: int) -> None:
        self._advance, self._left = advance, size

    def advance(self, done: int) -> None:
        """Tells what is done, as far as the share goes: a copy tried after a refused one is not told again."""
        told = min(done, self._left)
        self._left -= told
        self._advance(told)

    def finish(self) -> None:
        """Tells the rest, which needed no reading."""
        self._advance(self._left)
        self._left = 0


def _bundles(groups: list[list[Job]]) -> list[list[list[Job]]]:
    """Returns the groups in bundles: large contents alone, small ones together by format, up to ``CHUNK`` bytes."""
    large = [[group] for group in groups if group[0].survey.decoded_bytes > segment.SMALL]
    small = [group for group in groups if group[0].survey.decoded_bytes <= segment.SMALL]
    bundles: list[list[list[Job]]] = []
    size = CHUNK
    for group in sorted(small, key=lambda each: (each[0].detected.form.name, each[0].label)):
        if size >= CHUNK:
            bundles.append([])
            size = 0
        bundles[-1].append(group)
        size += group[0].survey.decoded_bytes
    return large + bundles


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _year(config: CaseConfig) -> int | None:
    """The year that dates without one begin in: the declared window's."""
    start = config.window.start or config.window.end
    return start.year if start else None
