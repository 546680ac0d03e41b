"""Writes ``docs/reference/`` from the code, so that it cannot drift; a test compares.

Run as ``make reference``. Takes an optional folder to write to.
"""

import sys
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import duckdb
import typer.main
from typer.testing import CliRunner

from forensics.audit.config import AuditConfig
from forensics.case import schema
from forensics.case.config import CaseConfig
from forensics.cli.app import app
from forensics.ingest.formats import Formats
from forensics.ingest.project import Projector
from forensics.resources import queries

KINDS = {
    "link": "Joins",
    "mechanisms": "Mechanisms",
    "timing": "Prefix-cache timing",
    "signs": "Signs of use",
    "verdicts": "Verdicts",
    "coverage": "Coverage",
    "controls": "Controls",
    "reports": "Report tables",
    "preflight": "Preflight checks",
    "audit": "Audit",
}
NOTE = "<!-- written by docs/make_reference.py; do not edit -->\n\n"


def commands() -> str:
    """Every command with its help, as printed at 100 columns."""
    runner = CliRunner(env={"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"})
    parts = [f"{NOTE}# Commands\n"]
    for name in _names(typer.main.get_command(app)):
        printed = runner.invoke(app, [*name.split(), "--help"], prog_name="forensics").output
        body = "\n".join(line.rstrip() for line in printed.splitlines()).strip()
        parts.append(f"\n## forensics {name}\n\n```text\n{body}\n```\n")
    return "".join(parts)


def _names(group: Any) -> list[str]:
    """Every command's name; those of a group follow it."""
    names: list[str] = []
    for name, command in sorted(group.commands.items()):
        names.append(name)
        names += [f"{name} {below}" for below in (_names(command) if hasattr(command, "commands") else [])]
    return names


def case_toml() -> str:
    """Every key of ``case.toml`` with its type and default."""
    parts = [f"{NOTE}# case.toml\n\nAn unknown key is an error that names its line and the nearest known key.\n"]
    _section(parts, CaseConfig, "")
    return "".join(parts)


def audit_toml() -> str:
    """Every key of ``audit.toml`` with its type and default."""
    parts = [f"{NOTE}# audit.toml\n\n`docs/audit.md` explains it. An unknown key is an error that names its line.\n"]
    _section(parts, AuditConfig, "")
    return "".join(parts)


def _section(parts: list[str], kind: type[Any], label: str) -> None:
    hints = get_type_hints(kind)
    parts.append(f"\n## {label or 'top level'}\n\n{' '.join((kind.__doc__ or '').split())}\n\n")
    parts.append("| key | type | default |\n| --- | --- | --- |\n")
    nested: list[tuple[type[Any], str]] = []
    for item in fields(kind):
        hint, name = hints[item.name], "class" if item.name == "tenant_class" else item.name
        inner = get_args(hint)[0] if get_args(hint) else hint
        if is_dataclass(inner):
            table = f"[[{name}]]" if get_args(hint) else f"[{name}]"
            nested.append((inner, table))  # type: ignore[arg-type]
            parts.append(f"| `{name}` | `{table}` | |\n")
            continue
        default = "required" if item.default is MISSING and item.default_factory is MISSING else _shown(item.default)
        shown = getattr(hint, "__name__", "") if not get_args(hint) else str(hint).replace("|", "or").replace("'", "")
        parts.append(f"| `{name}` | {shown.replace('datetime.', '')} | {default} |\n")
    for inner, table in nested:
        _section(parts, inner, table)


def _shown(value: object) -> str:
    return "" if value is None or value is MISSING else f"`{value!r}`".replace("()", "[]")


def query_pages() -> str:
    """Every query with its header: question, grain, inputs, assumptions, what establishes and excludes."""
    how = "`forensics sql CASE NAME` runs one; the checks of preflight and the audit's are run by those commands"
    parts = [f"{NOTE}# Queries\n\nEach is one file; {how}.\n"]
    for kind, title in KINDS.items():
        parts.append(f"\n## {title}\n")
        for each in queries(kind):
            parts.append(f"\n### {each.name}\n\n")
            parts += [f"- **{key}**: {value}\n" for key, value in each.header.items()]
    return "".join(parts)


ABOUT = {
    "where from": "Where it comes from",
    "keys": "Recognised by these fields",
    "detect": "Recognised by lines like",
    "path": "Recognised by its path",
    "grain": "Rows",
    "assumptions": "How it is read",
    "cannot say": "What it cannot say",
    "traps": "Traps",
    "false positives": "False positives",
}
"""What a format's page tells, by the names of its header's fields."""
PATTERNS = {"keys", "detect", "path"}
PLACE = {"byte_offset", "item", "prompt_state", "response_state"}


def format_pages() -> str:
    """Every format: where it comes from, how it is recognised and read, the columns that it fills, traps."""
    con = duckdb.connect()
    formats = Formats(None)
    projector = Projector(con, formats)
    con.execute(
        "CREATE TEMP TABLE raw (line BIGINT, byte_offset BIGINT, item INTEGER, raw VARCHAR, length BIGINT)",
    )
    about = (
        "Each is one SQL file in `queries/formats/` over raw records; `docs/architecture.md` "
        "says what each column means. Formats are recognised by their content; `--format NAME` names one."
    )
    parts = [f"{NOTE}# Log formats\n\n{about}\n"]
    for name in sorted(formats.by_name):
        form = formats.by_name[name]
        given = [column for column, *_ in con.execute(f"DESCRIBE {form.query.sql}").fetchall()]
        fills = ", ".join(f"`{column}`" for column in given if column in schema.RECORD and column not in PLACE)
        texts = [side for side in ("prompt", "response") if {f"{side}_messages", f"{side}_text"} & set(given)]
        parts.append(f"\n## {name}\n\n{form.query.header['question']}\n\n")
        for key, title in ABOUT.items():
            if key in form.query.header:
                told = form.query.header[key]
                parts.append(f"- **{title}**: {f'`{told}`' if key in PATTERNS else told}\n")
        parts.append(f"- **Framing**: {form.framing or 'Parquet, pg_dump, CSV or JSON, by content'}\n")
        parts.append(f"- **Fills**: {fills}\n- **Texts**: {' and '.join(texts) or 'none'}\n")
    projector.con.close()
    return "".join(parts)


def tables() -> str:
    """Columns and types of the tables that ingest writes."""
    parts = [f"{NOTE}# Tables that ingest writes\n\n`docs/architecture.md` says what each column means.\n"]
    for name, columns in (("file", schema.FILE), ("record", schema.RECORD), ("reject", schema.REJECT)):
        parts.append(f"\n## {name}\n\n| column | type |\n| --- | --- |\n")
        parts += [f"| `{column}` | {kind} |\n" for column, kind in columns.items()]
    return "".join(parts)


PAGES = {
    "commands.md": commands,
    "case-toml.md": case_toml,
    "audit-toml.md": audit_toml,
    "formats.md": format_pages,
    "queries.md": query_pages,
    "tables.md": tables,
}


def main() -> None:
    """Writes all pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
