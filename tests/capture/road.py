"""The road over the capture, stage by stage, on a case of its own."""

import os
import shutil
from pathlib import Path

from forensics.case.database import connect
from forensics.case.draft import template
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.ingest import manifest
from forensics.ingest.run import ingest
from forensics.ingest.survey import suggest


def ingested(root: Path, evidence: Path) -> Case:
    """A case declared by the draft alone, with everything ingested."""
    case = Case.create(root, template("capture", suggest([evidence])))
    ingest(case, [evidence])
    return case


def without(case: Case, root: Path, path: str | None) -> Case:
    """A copy of the case whose manifest lacks one path, its tables built again."""
    root.mkdir()
    shutil.copy(case.root / "case.toml", root / "case.toml")
    shutil.copytree(case.evidence, root / "evidence", copy_function=os.link)
    entries = {label: entry for label, entry in manifest.load(case).items() if label != path}
    made = Case.open(root)
    manifest.save(made, entries)
    manifest.build(made, entries)
    return made


def verdicts(case: Case, *, metadata_only: bool = False) -> list[dict[str, object]]:
    """Analyses the case and returns its verdict rows."""
    analyze_case(case, metadata_only=metadata_only, with_controls=False)
    with connect(case) as con:
        rows = con.execute("SELECT * FROM verdict ORDER BY received_at, request_id").fetchall()
        names = [column[0] for column in con.description]
    return [dict(zip(names, row, strict=True)) for row in rows]
