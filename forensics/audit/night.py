"""The case of one run: what is new, and as much of what is kept as belongs to it. It lives in the store's scratch."""

import shutil
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.audit.fingerprints import sealed
from forensics.audit.grown import continued
from forensics.audit.inputs import Input
from forensics.audit.store import Store, Watermark
from forensics.case.config import CaseConfig
from forensics.case.database import connect_memory, insert
from forensics.case.folder import Case, publish_text
from forensics.errors import ForensicsError
from forensics.ingest import manifest
from forensics.ingest.manifest import Entry
from forensics.ingest.run import IngestReport, ingest
from forensics.resources import query

Span = tuple[int, int]
DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True)
class NightCase(Case):
    """A case whose declarations and site queries lie elsewhere."""

    declared: CaseConfig = field(default_factory=CaseConfig)
    home: Path = Path()

    @cached_property
    def config(self) -> CaseConfig:
        """What the audit's ``case`` file declares; public texts by their whole paths."""
        return replace(
            self.declared, public_text=tuple(str((self.home / name).absolute()) for name in self.declared.public_text)
        )

    @property
    def site(self) -> Path | None:
        """The site's own queries beside the declarations, if there are any."""
        folder = self.home / "queries"
        return folder if folder.is_dir() else None


@dataclass
class Night:
    """What was read: ``new`` contents by key, ``superseded`` keys of kept ones that they continue, and what became of
    every input. ``spans`` are the new contents' times."""

    case: NightCase
    new: dict[str, Entry] = field(default_factory=dict)
    superseded: set[str] = field(default_factory=set)
    copies: int = 0
    too_old: int = 0
    problems: list[ForensicsError] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def spans(self) -> list[Span]:
        """The time ranges of the new contents, ns UTC."""
        return sorted({(e.first_ns, e.last_ns) for e in self.new.values() if e.first_ns and e.last_ns})

    @property
    def file_ids(self) -> list[str]:
        """The new contents' file ids."""
        return sorted({entry.file_id for entry in self.new.values()})


def horizon(now_ns: int, latest_ns: int | None, days: int) -> int:
    """Returns the time before which nothing is kept: ``days`` before now, or before the newest record if that is older.

    So a clock that jumps ahead lets nothing expire, and neither does a record with a stamp of the future.
    """
    return min(now_ns, latest_ns if latest_ns is not None else now_ns) - days * DAY_NS


def begin(store: Store, declared: CaseConfig, home: Path) -> NightCase:
    """Returns an empty case in the store's scratch."""
    root = store.work / "case"
    root.mkdir(mode=0o700)
    publish_text(root / "case.toml", "# The declarations are those that audit.toml names.\n")
    return NightCase(root, declared, home)


def read(case: NightCase, inputs: Sequence[Input], mark: Watermark, now_ns: int, days: int) -> Night:
    """Ingests what is new and tells it from what only has another name, has grown, or is older than the window."""
    night = Night(case)
    report = _ingest(case, inputs, night)
    kept = mark.entries()
    contents = {entry.content: key for key, entry in kept.items()}
    entries = manifest.load(case)
    latest_ns = max((each for each in (mark.latest_ns, *(e.last_ns for e in entries.values())) if each), default=None)
    horizon_ns = horizon(now_ns, latest_ns, days)
    for label, entry in sorted(entries.items()):
        if entry.content in contents or entry.key in night.new:
            night.copies += 1
        elif entry.last_ns is not None and entry.last_ns < horizon_ns:
            night.too_old += 1
        else:
            night.new[entry.key] = entry
            path = next((each.given for each in inputs if each.label == label and "://" not in each.given), None)
            night.superseded |= continued(entry, Path(path) if path else None, kept)
    night.problems += report.problems
    taken = {label.partition("!")[0] for label in entries}
    for problem in report.problems:
        label = (problem.where or "").partition("!")[0]
        if label not in taken:
            night.refused[label] = str(problem)
    return night


def _ingest(case: NightCase, inputs: Sequence[Input], night: Night) -> IngestReport:
    readable = []
    for each in inputs:
        if each.trouble:
            night.problems.append(ForensicsError(each.trouble, where=each.label, fix="Leave it out, or mend it"))
            night.refused[each.label] = str(night.problems[-1])
        else:
            readable.append(each.given)
    return ingest(case, readable, threads=case.config.resources.threads) if readable else IngestReport()


def seal(night: Night, secret: bytes) -> None:
    """Puts keyed digests in the place of digests of texts in the new records: a guess could be checked by those."""
    for key in sorted(night.new):
        path = night.case.evidence / key / "record.parquet"
        records = pq.read_table(path)
        for name in ("prompt_hash", "raw_md5"):
            told = [each and sealed(secret, each) for each in records[name].to_pylist()]
            records = records.set_column(records.column_names.index(name), name, pa.array(told, pa.string()))
        pq.write_table(records, path, compression="zstd")


def assemble(night: Night, store: Store, mark: Watermark, lookback_ns: int) -> None:
    """Builds the run's database: the new contents, and the kept records around them in time."""
    case = night.case
    near = [(first - lookback_ns, last + lookback_ns) for first, last in night.spans]
    entries = {entry.path: entry for entry in night.new.values()}
    with connect_memory(case) as con:
        con.execute("CREATE TABLE near (from_ns BIGINT, to_ns BIGINT)")
        insert(con, "near", near)
        for key, entry in sorted(mark.entries().items()):
            place = store.evidence / key
            if key in night.superseded or not (_meets(entry, near) or (place / STANDING).exists()):
                continue
            label = entry.path if entry.path not in entries else _other_name(entry.path, set(entries))
            again = replace(entry, path=label, key=f"kept-{key}")
            entries[label] = again
            _context(con, place, case.evidence / again.key, whole=_meets(entry, near))
    manifest.save(case, entries)
    manifest.build(case, entries)


STANDING: Final = "standing.parquet"
"""Of a kept content, its records of starts and limits, where it has any."""


def _meets(entry: Entry, near: Sequence[Span]) -> bool:
    if entry.first_ns is None or entry.last_ns is None:
        return False
    return any(entry.first_ns <= last and entry.last_ns >= first for first, last in near)


def _context(con: duckdb.DuckDBPyConnection, kept: Path, place: Path, *, whole: bool) -> None:
    """Writes what a kept content gives to this run: records near new ones with their texts, or its standing ones."""
    place.mkdir(mode=0o700)
    shutil.copyfile(kept / "reject.parquet", place / "reject.parquet")
    if not whole:
        shutil.copyfile(kept / STANDING, place / "record.parquet")
        return
    records = place / "record.parquet"
    _written(con, "audit/context_record", records, path=str(kept / "record.parquet"))
    if (kept / "text.parquet").exists():
        _written(
            con, "audit/context_text", place / "text.parquet", path=str(kept / "text.parquet"), records=str(records)
        )


def _written(con: duckdb.DuckDBPyConnection, name: str, place: Path, **values: object) -> None:
    pq.write_table(con.sql(query(name).sql, params=values).to_arrow_table(), place, compression="zstd")


def _other_name(path: str, taken: AbstractSet[str]) -> str:
    """Returns a name for a rotated file's old content, which patterns with a ``*`` match as they do its own name."""
    folder, _, name = path.rpartition("/")
    while path in taken:
        folder = f"{folder}/."
        path = f"{folder}/{name}"
    return path
