"""Runs a story: its evidence as files, the case that ingest makes of it, and that case in readable words."""

import hashlib
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from forensics.case.folder import Case
from forensics.ingest.run import IngestReport, ingest
from tests.ingest.cases import rows

HERE = Path(__file__).parent
STORIES = sorted(path.parent.name for path in HERE.glob("*/logs"))
DECLARED = (
    '[window]\nstart = 2026-09-02T00:00:00Z\nend = 2026-09-03T00:00:00Z\n[[source]]\nfiles = "*"\nzone = "Etc/GMT-2"\n'
)
"""What stories declare unless they say otherwise: engines in a zone two hours ahead of UTC."""

_PARQUET = ".parquet.yml"
_PLACES = ("record_id", "file_id", "byte_offset", "prompt_hash")
_TIMES = ("at_ns", "received_ns", "first_token_ns", "finished_ns")


def evidence(story: str, folder: Path) -> Path:
    """Writes the story's evidence below ``folder`` and returns the folder to ingest, named ``logs``."""
    logs = folder / "logs"
    shutil.copytree(HERE / story / "logs", logs)
    for written in sorted(logs.rglob(f"*{_PARQUET}")):
        _parquet(
            yaml.safe_load(written.read_text(encoding="utf-8")), written.with_name(written.name.removesuffix(".yml"))
        )
        written.unlink()
    return logs


def _parquet(told: dict[str, Any], path: Path) -> None:
    names = list(dict.fromkeys(name for row in told["rows"] for name in row))
    types = told.get("types", {})
    columns = [_column([row.get(name) for row in told["rows"]], types.get(name)) for name in names]
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path)


def _column(values: list[Any], kind: str | None) -> pa.Array:
    if kind is None:
        return pa.array(values)
    if kind == "counts":
        pairs = [None if value is None else list(value.items()) for value in values]
        return pa.array(pairs, pa.map_(pa.string(), pa.int64()))
    return pa.array(values).cast(pa.type_for_alias(kind) if "[" not in kind else pa.timestamp(kind[-3:-1]))


def run(story: str, folder: Path) -> tuple[Case, IngestReport]:
    """Ingests the story's evidence into a new case below ``folder``."""
    declared = HERE / story / "case.toml"
    case = Case.create(folder / "case", declared.read_text(encoding="utf-8") if declared.exists() else DECLARED)
    return case, ingest(case, [evidence(story, folder)], threads=1)


def tell(story: str, case: Case, report: IngestReport) -> dict[str, Any]:
    """Returns the case in words: its files, and under each its records with their texts, as ``expect.yml`` has them."""
    texts: dict[str, dict[str, list[Any]]] = {}
    for part in rows(case, "SELECT * FROM text ORDER BY record_id, side, part"):
        texts.setdefault(part["record_id"], {}).setdefault(part["side"], []).append(_part(part))
    records = {
        (row.pop("path"), row["byte_offset"], row["item"]): row
        for row in rows(case, "SELECT path, record.* FROM record JOIN file USING (file_id) WHERE copy_of IS NULL")
    }
    files: list[dict[str, Any]] = []
    for each in sorted(report.files, key=lambda one: one.path):
        found = [records[key] for key in sorted(records) if key[0] == each.path]
        told: dict[str, Any] = {"path": each.path, "format": each.format}
        told |= {"rejected": each.rejected} if each.rejected else {}
        told |= {"counts": each.counts} if each.counts else {}
        told["records"] = [_record(row, each.format, texts.get(row["record_id"], {})) for row in found]
        files.append(told)
    problems = [str(problem) for problem in report.problems]
    return {"_hash": digest(story), "files": files, **({"problems": problems} if problems else {})}


def _record(row: dict[str, Any], form: str, texts: dict[str, list[Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, value in row.items():
        if value is None or name in _PLACES or (name == "format" and value == form) or (name == "item" and value == 0):
            continue
        told[name.removesuffix("_ns") if name in _TIMES else name] = _time(value) if name in _TIMES else _plain(value)
    return told | texts


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {
        name: part[name]
        for name in ("role", "field", "fragment", "text")
        if part[name] is not None and part[name] not in ("content", "whole")
    }


def _plain(value: Any) -> Any:
    """Drops what JSON objects leave empty, which only says that the record did not have it."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    return value


def _time(ns: int) -> str:
    return f"{datetime.fromtimestamp(ns // 10**9, UTC):%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}Z"


def digest(story: str) -> str:
    """Returns the SHA-256 of the story's inputs, so that an expectation of other inputs is noticed."""
    found = hashlib.sha256()
    for path in sorted(path for path in (HERE / story).rglob("*") if path.is_file() and path.name != "expect.yml"):
        found.update(f"{path.relative_to(HERE).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def written(told: dict[str, Any]) -> str:
    """Returns the words as YAML."""
    plain = json.loads(json.dumps(told))
    said: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=120)
    return said
