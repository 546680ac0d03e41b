"""The manifest: one line per evidence path, and the database that is derived from it and the evidence folders."""

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import duckdb
import pyarrow as pa

from forensics import resources
from forensics.case.database import rebuild, run
from forensics.case.folder import Case, publish_text
from forensics.case.schema import FILE, RECORD, REJECT, ddl
from forensics.errors import ForensicsError
from forensics.ingest.job import Job, Ledger


@dataclass(frozen=True)
class Entry:
    """One evidence path and the content that was found there. ``content`` is what makes two paths copies."""

    path: str
    key: str
    content: str
    raw_sha256: str
    decoded_sha256: str
    raw_bytes: int
    decoded_bytes: int
    compression: str
    cut: str | None
    format: str
    format_why: str
    file_id: str
    zone: str | None
    year: int | None
    records_read: int
    records_kept: int
    records_rejected: int
    first_ns: int | None
    last_ns: int | None
    cut_short: bool

    @classmethod
    def of(cls, job: Job, ledger: Ledger) -> "Entry":
        """Returns the entry for a content that was ingested, or whose copy was."""
        return cls(
            path=job.label,
            key=job.key,
            content=job.identity,
            raw_sha256=job.survey.raw_sha256,
            decoded_sha256=job.survey.decoded_sha256,
            raw_bytes=job.survey.raw_bytes,
            decoded_bytes=job.survey.decoded_bytes,
            compression=job.wrapping,
            cut=job.survey.cut,
            format=job.detected.form.name,
            format_why=job.detected.why,
            file_id=ledger.file_id,
            zone=ledger.zone,
            year=ledger.year,
            records_read=ledger.records_read,
            records_kept=ledger.records_kept,
            records_rejected=ledger.records_rejected,
            first_ns=ledger.first_ns,
            last_ns=ledger.last_ns,
            cut_short=ledger.cut_short,
        )


def load(case: Case) -> dict[str, Entry]:
    """Returns all entries by path. Raises if the manifest is damaged."""
    if not case.manifest.exists():
        return {}
    entries = {}
    for number, line in enumerate(case.manifest.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = Entry(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise ForensicsError(
                "the manifest is damaged",
                where=f"{case.manifest}:{number}",
                fix="Delete it and ingest the evidence again; what was ingested is found by its hash",
            ) from error
        entries[entry.path] = entry
    return entries


def save(case: Case, entries: dict[str, Entry]) -> None:
    """Replaces the manifest, and removes the evidence folders that no path needs any more."""
    lines = [json.dumps(asdict(entries[path]), sort_keys=True) + "\n" for path in sorted(entries)]
    publish_text(case.manifest, "".join(lines))
    needed = {entry.key for entry in holders(entries.values()).values()}
    for folder in case.evidence.iterdir():
        if folder.name not in needed:
            shutil.rmtree(folder, ignore_errors=True)


def holders(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Returns, for each content, the entry whose records stand for it: the one with the smallest path."""
    chosen: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda each: each.path):
        chosen.setdefault(entry.content, entry)
    return chosen


def build(case: Case, entries: dict[str, Entry]) -> None:
    """Builds ``case.duckdb`` anew with the tables ``file``, ``record`` and ``reject``.

    Raises if there is no room, or an evidence folder is gone.
    """
    kept = sorted(holders(entries.values()).values(), key=lambda each: each.path)
    for entry in kept:
        if not (case.evidence / entry.key / "record.parquet").exists():
            raise ForensicsError(
                "the case has lost what was ingested from this file", where=entry.path, fix="Ingest it again"
            )
    try:
        with rebuild(case) as con:
            _tables(con, case, entries, kept)
    except duckdb.Error as error:
        raise ForensicsError(
            f"cannot build the case's database ({str(error).strip().splitlines()[0]})",
            where=str(case.database),
            fix="Free some space, or raise memory under [resources] in case.toml, and run the same command again",
        ) from error


def _tables(con: duckdb.DuckDBPyConnection, case: Case, entries: dict[str, Entry], kept: list[Entry]) -> None:
    chosen = holders(entries.values())
    rows = []
    for path in sorted(entries):
        entry, source = entries[path], case.config.source_for(path)
        holder = chosen[entry.content].path
        rows.append(
            asdict(entry)
            | {"copy_of": None if holder == path else holder}
            | {"worker": source.worker, "role": source.role, "dp_rank": source.dp_rank}
        )
    con.register("path_entry", pa.Table.from_pylist(rows, _SCHEMA))
    con.read_parquet([str(case.evidence / entry.key / "record.parquet") for entry in kept]).create_view(
        "segment_record"
    )
    con.read_parquet([str(case.evidence / entry.key / "reject.parquet") for entry in kept]).create_view(
        "segment_reject"
    )
    for name, columns in (("record", RECORD), ("reject", REJECT), ("file", FILE)):
        query = resources.query(f"formats/shared/build_{name}")
        con.execute(f'CREATE TABLE "{name}" ({ddl(columns)})')
        run(con, f'INSERT INTO "{name}" BY NAME\n{query.sql}', query.path, {})
    con.execute("DROP VIEW segment_record")
    con.execute("DROP VIEW segment_reject")
    con.unregister("path_entry")


_TEXTS = (
    "path",
    "content",
    "raw_sha256",
    "decoded_sha256",
    "compression",
    "cut",
    "format",
    "format_why",
    "file_id",
    "zone",
)
_NUMBERS = ("raw_bytes", "decoded_bytes", "records_read", "records_kept", "records_rejected", "first_ns", "last_ns")
_SCHEMA = pa.schema(
    [(name, pa.string()) for name in (*_TEXTS, "copy_of", "worker", "role")]
    + [(name, pa.int64()) for name in _NUMBERS]
    + [("dp_rank", pa.int32()), ("cut_short", pa.bool_())]
)
