"""The road over the capture, stage by stage, on a case of its own."""

import shutil
from pathlib import Path

from forensics.case.database import connect, rebuild
from forensics.case.draft import draft
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.ingest.run import ingest, rebuild_tables


def ingested(root: Path, evidence: Path) -> Case:
    """A case declared by the draft alone, with everything ingested."""
    case = Case.create(root, draft([evidence]))
    ingest(case, [evidence])
    return case


def without(case: Case, root: Path, path: str | None) -> Case:
    """A copy of the case whose manifest lacks one path, its tables built again."""
    root.mkdir()
    shutil.copy(case.root / "case.toml", root / "case.toml")
    (root / "evidence").symlink_to(case.evidence)
    lines = case.manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if path is None or f'"{path}"' not in line]
    (root / "manifest.jsonl").write_text("".join(kept), encoding="utf-8")
    made = Case.open(root)
    with rebuild(made) as con:
        rebuild_tables(con, made)
    return made


def verdicts(case: Case, *, metadata_only: bool = False) -> list[dict[str, object]]:
    """Analyses the case and returns its verdict rows."""
    analyze_case(case, metadata_only=metadata_only)
    with connect(case) as con:
        rows = con.execute("SELECT * FROM verdict ORDER BY received_at, request_id").fetchall()
        names = [column[0] for column in con.description]
    return [dict(zip(names, row, strict=True)) for row in rows]
