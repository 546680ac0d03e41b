"""Looks at files before there is a case, and drafts what ``case.toml`` should declare about them.

The files are ingested into a scratch case that is thrown away; what its records say is the evidence for each draft.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from forensics import resources
from forensics.case.database import connect, dicts, select
from forensics.case.draft import BackendDraft, ModelDraft, SourceDraft, Suggestions
from forensics.case.folder import Case
from forensics.ingest import tenants, workers
from forensics.ingest.run import ingest

_SCRATCH = '[[source]]\nfiles = "*"\nzone = "UTC"\n'


def suggest(paths: Sequence[Path | str]) -> Suggestions:
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
            (case.root / "case.toml").write_text(
                f"{_SCRATCH}[window]\nstart = {start}\nend = {end}\n", encoding="utf-8"
            )
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
    found = dicts(select(con, resources.query(f"formats/drafts/{name}")))
    # A member of an archive is drafted like a file in a folder; [[source]] matches its path either way.
    return [row | {"path": row["path"].replace("!", "/")} if row.get("path") else row for row in found]


def _window(case: Case) -> tuple[str | None, str | None]:
    con = connect(case)
    try:
        row = _query(con, "window")[0]
    finally:
        con.close()
    return row["first"], row["last"]


def _fill(con: duckdb.DuckDBPyConnection, found: Suggestions) -> None:
    found.sources, count = workers.draft(_query(con, "file_role"), _query(con, "file_rid"), _query(con, "offset"))
    for row in _query(con, "front"):
        where = workers.pattern_of(row["path"]) if row["alone"] else f"*/{row['folder']}/*"
        found.sources.append(SourceDraft({"files": where, "role": row["role"]}, f"{row['format']} files"))
    identities = [json.loads(row["identity"]) for row in _query(con, "identity")]
    drafted = tenants.draft(identities)
    found.rules, found.tenants = drafted.rules, drafted.tenants
    found.models = [
        ModelDraft(row["name"], tuple(row["aliases"]), row["why"], row["context_tokens"], row["pool_tokens"])
        for row in _query(con, "model")
    ]
    found.backends = [BackendDraft(row["model"], row["why"]) for row in _query(con, "backend")]
    found.notes.append(
        f"{count} workers, {len(found.rules)} tenant rules naming {len(found.tenants)} tenants, "
        f"{len(found.models)} models; {drafted.unresolved:,} of {len(identities):,} gateway records name no tenant"
    )
