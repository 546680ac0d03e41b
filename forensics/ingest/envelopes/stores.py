"""Entries of log stores: Google Cloud Logging, Elasticsearch and OpenSearch, Splunk, Vector, CloudWatch Insights, and
the tables that Datadog, Azure Monitor and others export.

As JSON lines each entry is opened whole, so that what a store has parsed (``jsonPayload``) is found as well. In one
large document only texts are found, each at its own byte. As a table (CSV) it is the column that holds the text; a
quoted text may span lines.

Shapes: ``{"textPayload": "…", "insertId": …}``, ``{"_index": …, "_source": {"message": "…"}}``,
``{"preview": false, "result": {"_raw": "…"}}``, ``{"message": "…", "source_type": …}``,
``{"@timestamp": …, "@message": "…"}``.
"""

import csv
import json
import re
from collections.abc import Iterator
from typing import Any

from forensics.ingest.envelopes.base import Envelope, mostly
from forensics.ingest.envelopes.quoted import BEFORE, STRING, opener
from forensics.ingest.framing.records import Context, Line
from forensics.ingest.framing.rows import table_rows

_TEXT = rb'"(?:textPayload|_raw|@message|message)"\s*:\s*'
_FOUND = re.compile(BEFORE + _TEXT + rb'"')
_BESIDE = re.compile(BEFORE + rb'"(?:insertId|logName|_source|_index|_time|source_type|@timestamp)"\s*:')
_PARSED = re.compile(BEFORE + rb'"jsonPayload"\s*:\s*\{')
_PATHS = (
    ("textPayload",),
    ("jsonPayload",),
    ("_source", "message"),
    ("result", "_raw"),
    ("_raw",),
    ("@message",),
    ("message",),
)
_COLUMNS = {"@message", "message", "_raw", "logmessage", "textpayload", "line", "log", "content"}
_TIMES = {
    "@timestamp",
    "timestamp",
    "date",
    "time",
    "_time",
    "timegenerated",
    "timegenerated [utc]",
    "receive_timestamp",
}


def entries(lines: list[bytes]) -> bool:
    """Whether these are entries, one a line."""
    return mostly(lines, lambda line: line.lstrip()[:1] == b"{" and _is_entry(line))


def document(lines: list[bytes]) -> bool:
    """Whether this is one document of entries with texts, of which nothing would be passed over."""
    sample = b"\n".join(lines[:24])
    return sample.lstrip()[:1] in {b"{", b"["} and _is_entry(sample) and _PARSED.search(sample) is None


def table(lines: list[bytes]) -> bool:
    """Whether this is a table with a column of texts beside one of times."""
    return bool(lines) and _column(lines[0]) is not None


def open_entries(lines: Iterator[Line], _context: Context) -> Iterator[Line]:
    """Yields the text of each entry, or the JSON that the store had parsed."""
    for line in lines:
        within = _within(line.data)
        yield line if within is None else line._replace(data=within)


def open_table(lines: Iterator[Line], context: Context) -> Iterator[Line]:
    """Yields the lines of each row's text, each at its place in the file. Rows without one pass as they stand."""
    column: int | None = None
    for stands, cells in table_rows(lines, lambda data: data.decode("utf-8", "surrogateescape")):
        if cells is None:
            yield from stands
        elif column is None and (column := _column(stands[0].data)) is not None:
            context.count("lines_of_wrapping")
        elif column is None or len(cells) <= column:
            yield from stands
        else:
            parts = cells[column].encode("utf-8", "surrogateescape").rstrip(b"\r\n").split(b"\n")
            yield from (line._replace(data=part) for line, part in zip(stands, parts, strict=False))


def _is_entry(data: bytes) -> bool:
    told = _FOUND.search(data) or _PARSED.search(data)
    return told is not None and _BESIDE.search(data) is not None


def _within(data: bytes) -> bytes | None:
    """Returns the text of an entry; None where this is none."""
    if not _is_entry(data):
        return None
    try:
        entry = json.loads(data)
    except (ValueError, RecursionError):
        return None
    for path in _PATHS:
        found: Any = entry
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, str):
            return found.encode("utf-8", "surrogatepass").rstrip(b"\r\n")
        if isinstance(found, dict):
            return json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return None


def _column(header: bytes) -> int | None:
    """Returns which column of a table holds the text; None where none does, or none tells a time."""
    try:
        names = next(csv.reader([header.decode("utf-8-sig", "replace")]), [])
    except csv.Error:
        return None
    plain = [name.strip().lower() for name in names]
    texts = [number for number, name in enumerate(plain) if name in _COLUMNS]
    return texts[0] if len(texts) == 1 and _TIMES.intersection(plain) else None


ENTRIES = Envelope("log store", entries, open_entries)
DOCUMENT = Envelope("log store's answer", document, opener(BEFORE + _TEXT + STRING))
TABLE = Envelope("log store's table", table, open_table)
