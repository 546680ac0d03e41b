"""Helpers of the ingest tests: a case with a clock, files written as evidence, and rows read back."""

import json
from pathlib import Path
from typing import Any

from forensics.case import texts
from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.ingest.run import IngestReport, ingest

UTC = '[window]\nstart = 2026-03-01T00:00:00Z\nend = 2026-03-02T00:00:00Z\n[[source]]\nfiles = "*"\nzone = "UTC"\n'


def new_case(folder: Path, declarations: str = UTC) -> Case:
    """Returns a new case at ``folder``."""
    return Case.create(folder, declarations)


def take(
    folder: Path, content: str | bytes, name: str = "x.log", *, form: str | None = None, declared: str = UTC
) -> tuple[Case, IngestReport]:
    """Ingests one file of ``content`` into a new case below ``folder``."""
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    (logs / name).write_bytes(data)
    case = new_case(folder / "case", declared)
    return case, ingest(case, [logs], format=form, threads=1)


def rows(case: Case, sql: str) -> list[dict[str, Any]]:
    """Returns the rows of a query over the case, JSON columns as values; ``text`` is there too."""
    con = connect(case)
    try:
        texts.attach(con, case)
        result = con.execute(sql)
        names = [column[0] for column in result.description or []]
        found = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    finally:
        con.close()
    for row in found:
        for name in ("identity", "detail"):
            if isinstance(row.get(name), str):
                row[name] = json.loads(row[name])
    return found


def records(case: Case) -> list[dict[str, Any]]:
    """Returns all records by place."""
    return rows(case, "SELECT * FROM record ORDER BY file_id, byte_offset, item")


def told(case: Case) -> list[tuple[Any, ...]]:
    """Returns (side, part, message, role, field, fragment, text) of all texts, by place."""
    found = rows(
        case,
        "SELECT side, part, message_index, role, field, fragment, text FROM text ORDER BY record_id, side, part",
    )
    return [tuple(row.values()) for row in found]


def answer(call: str, says: str = "hello") -> dict[str, object]:
    """Returns an answer of the OpenAI API."""
    message = {"role": "assistant", "content": says, "tool_calls": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": call, "object": "chat.completion", "created": 1758000000, "model": "m", "choices": [choice]}


def pretty(value: object) -> str:
    """Returns what ``jq`` prints."""
    return json.dumps(value, indent=2)
