"""Looks at files before there is a case, and drafts what ``case.toml`` should declare about them.

The files are ingested into a scratch case that is thrown away; what its records say is the evidence for each draft.
"""

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb

from forensics import resources
from forensics.case.database import connect, select
from forensics.case.draft import BackendDraft, ModelDraft, SourceDraft, Suggestions
from forensics.case.folder import Case
from forensics.ingest import tenants, zones
from forensics.ingest.run import ingest

_ROTATION = re.compile(r"(?:\.(?:gz|zst|\d{1,4}|\d{4}-\d\d-\d\d(?:[_T-]\d\d)?|copy|old|json|model_info))+$")
_SCRATCH = '[[source]]\nfiles = "*"\nzone = "UTC"\n'


@dataclass
class _Worker:
    """What is known of one worker: the files that it wrote and what they say of it."""

    name: str
    patterns: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)
    roles: Counter[str] = field(default_factory=Counter)
    addresses: Counter[str] = field(default_factory=Counter)
    yearless: bool = False


def suggest(paths: Sequence[Path]) -> Suggestions:
    """Returns what the files at ``paths`` suggest. Files that cannot be read are told in ``notes``.

    Raises as ``ingest`` does, or if nothing at all can be read.
    """
    with tempfile.TemporaryDirectory(prefix="forensics-init-") as scratch:
        case = Case.create(Path(scratch) / "case", _SCRATCH)
        report = ingest(case, paths)
        found = Suggestions()
        if not report.files:
            found.notes = [str(problem).splitlines()[0] for problem in report.problems]
            return found
        start, end = _window(case)
        if start and end and report.problems:
            # Dates without a year are read once the other files have told it.
            case = Case(case.root)
            (case.root / "case.toml").write_text(f"{_SCRATCH}[window]\nstart = {start}\nend = {end}\n", encoding="utf-8")
            report = ingest(case, paths)
        found.start, found.end = start, end
        con = connect(case)
        try:
            _fill(con, found)
        finally:
            con.close()
        found.notes += [str(problem).splitlines()[0] for problem in report.problems]
        return found


def _query(con: duckdb.DuckDBPyConnection, name: str) -> list[dict[str, Any]]:
    result = select(con, resources.query(f"formats/drafts/{name}"))
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _window(case: Case) -> tuple[str | None, str | None]:
    con = connect(case)
    try:
        row = _query(con, "window")[0]
    finally:
        con.close()
    return row["first"], row["last"]


def _fill(con: duckdb.DuckDBPyConnection, found: Suggestions) -> None:
    workers = _workers(_query(con, "file_role"))
    offsets = {row["path"]: row for row in _query(con, "offset")}
    found.sources = [_source(worker, offsets) for worker in workers]
    for row in _query(con, "front"):
        where = _pattern(row["path"]) if row["alone"] else f"*/{row['folder']}/*"
        draft = SourceDraft({"files": where, "role": row["role"]}, f"{row['format']} files")
        if draft not in found.sources:
            found.sources.append(draft)
    identities = [json.loads(row["identity"]) for row in _query(con, "identity")]
    drafted = tenants.draft(identities)
    found.rules, found.tenants = drafted.rules, drafted.tenants
    found.models = [
        ModelDraft(row["name"], tuple(row["aliases"]), row["why"], row["context_tokens"], row["pool_tokens"])
        for row in _query(con, "model")
    ]
    found.backends = [BackendDraft(row["model"], row["why"]) for row in _query(con, "backend")]
    found.notes.append(
        f"{len(workers)} workers, {len(found.rules)} tenant rules naming {len(found.tenants)} tenants, "
        f"{len(found.models)} models; {drafted.unresolved:,} of {len(identities):,} gateway records name no tenant"
    )


def _workers(files: list[dict[str, Any]]) -> list[_Worker]:
    """Groups engine files into workers, by folder, or by name where they lie in one folder."""
    logs = [row for row in files if row["format"] != "sglang_server_info"]
    shared = _common_folders([row["path"] for row in logs])
    workers: dict[str, _Worker] = {}
    for row in logs:
        name, pattern = _place(row["path"], shared)
        worker = workers.setdefault(name, _Worker(name))
        worker.patterns.add(pattern)
        _learn(worker, row)
    by_address = {address: worker for worker in workers.values() for address in worker.addresses}
    for row in files:
        if row["format"] == "sglang_server_info":
            name = _ROTATION.sub("", PurePosixPath(row["path"]).name)
            owner = workers.get(name) or by_address.get(row["address"]) or workers.setdefault(name, _Worker(name))
            owner.patterns.add(_pattern(row["path"]))
            _learn(owner, row)
    return [workers[name] for name in sorted(workers)]


def _learn(worker: _Worker, row: dict[str, Any]) -> None:
    worker.paths.append(row["path"])
    if row["role"]:
        worker.roles[row["role"]] += row["weight"]
    if row["address"]:
        worker.addresses[row["address"]] += row["weight"]
    worker.yearless |= row["format"] == "vllm_request_log"


def _common_folders(paths: list[str]) -> int:
    """Returns how many leading folders all these paths share."""
    folders = [PurePosixPath(path).parts[:-1] for path in paths]
    count = 0
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        count += 1
    return count


def _place(path: str, shared: int) -> tuple[str, str]:
    """Returns the worker's name and the pattern of its files: its folder below the common ones, else its file's name."""
    parts = PurePosixPath(path).parts
    if len(parts) > shared + 1:
        return _folder(parts, shared)
    name = _base(parts[-1])
    if shared > 1 and name.lower() in {"server", "engine", "stdout", "stderr", "sglang", "output", "log"}:
        return _folder(parts, shared - 1)
    return name, _pattern(path)


def _folder(parts: tuple[str, ...], depth: int) -> tuple[str, str]:
    # The first folder is the one given on the command line; the case may know it by another name.
    below = "/".join(parts[min(1, depth) : depth + 1])
    if parts[depth] in {"vllm", "sglang", "logs"} and len(parts) == depth + 2:
        return _base(parts[-1]), _pattern("/".join(parts))
    return parts[depth], f"*/{below}/*"


def _base(name: str) -> str:
    """Returns a file name without rotation, compression, rank and ending."""
    return re.sub(r"(?:_\d+)?\.(?:log|txt|out|jsonl?)$", "", _ROTATION.sub("", name))


def _pattern(path: str) -> str:
    """Returns a pattern for a file and its rotations, without the folder given on the command line."""
    parts = PurePosixPath(path).parts
    below = "/".join(parts[1:]) if len(parts) > 1 else parts[0]
    return "*/" + re.sub(r"[\[\]?*]", "?", _ROTATION.sub("", below)) + ".*" if _ROTATION.search(below) else f"*/{below}*"


def _source(worker: _Worker, offsets: dict[str, dict[str, Any]]) -> SourceDraft:
    values: dict[str, str | int] = {"files": min(worker.patterns), "worker": worker.name}
    why = [f"{len(worker.paths)} files"]
    if worker.roles:
        values["role"], count = worker.roles.most_common(1)[0]
        why.append(f"role by {count:,} records")
    measured = [offsets[path] for path in worker.paths if path in offsets]
    if measured:
        best = max(measured, key=lambda row: (row["pairs"], row["path"]))
        values["zone"] = zones.name_of(best["offset_ns"])
        why.append(f"zone by {best['pairs']:,} stamps beside {best['beside']}")
    if worker.addresses:
        values["address"] = worker.addresses.most_common(1)[0][0]
        why.append("address by what it says of itself")
    if worker.yearless and measured:
        values["year"] = best["year"]
    return SourceDraft(values, f"{worker.name}: {', '.join(why)}")
