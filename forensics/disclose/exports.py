"""Verdict rows as CSV and JSON lines: the same rows, in the same order, as the headline counts."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TextIO

from forensics.disclose import inert
from forensics.disclose.tables import Row
from forensics.errors import ForensicsError

# The columns of an exported verdict row, in this order; docs/architecture.md says what each means.
COLUMNS: Final = (
    "request_id", "tenant", "tenant_class", "model", "received_at", "integrity", "integrity_reason", "disclosure",
    "disclosure_reason", "basis", "mechanism", "decode_worker", "dp_rank", "source_request_id", "source_tenant",
    "source_exchange_id", "sources", "examined", "scope", "grounds", "delivered", "over_pool", "bits_milli",
    "exchange_id",
)  # fmt: skip
_JSON: Final = ("examined", "sources")


def write_csv(found: Iterable[Row], out: TextIO, columns: tuple[str, ...] = COLUMNS) -> int:
    """Writes ``found`` with a header line and returns the rows written.

    Evidence strings are on one line, without control characters, and inert in a spreadsheet (an apostrophe stands
    before what it would compute); JSON lines hold them exactly.
    """
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    written = 0
    for row in found:
        writer.writerow([inert.cell("" if row[column] is None else row[column]) for column in columns])
        written += 1
    return written


def write_jsonl(found: Iterable[Row], out: TextIO) -> int:
    """Writes ``found`` as JSON lines of ASCII, strings exactly as in the evidence, and returns the rows written."""
    written = 0
    for row in found:
        out.write(json.dumps(plain(row), ensure_ascii=True) + "\n")
        written += 1
    return written


def csv_text(found: Iterable[Row], columns: tuple[str, ...]) -> str:
    """Returns ``found`` as the text of a CSV file with ``columns``."""
    out = io.StringIO()
    write_csv(found, out, columns)
    return out.getvalue()


def plain(row: Mapping[str, Any]) -> Row:
    """Returns the exported columns of a verdict row, its JSON columns parsed."""
    shown = {column: row[column] for column in COLUMNS}
    for column in _JSON:
        if isinstance(shown[column], str):
            shown[column] = json.loads(shown[column])
    return shown


def require(what: str, written: int, expected: int) -> None:
    """Raises unless as many rows were written as the headline's query counts."""
    if written != expected:
        raise ForensicsError(
            f"{what} holds {written} rows where the headline counts {expected}",
            fix="Check the free space and run `forensics report` again; nothing was published",
        )
