"""journald's JSON (``journalctl -o json``, ``json-seq``): one object per entry, the text in ``MESSAGE``.

A text that is no UTF-8 or holds control characters is an array of bytes; one that was too long for the export is null.
The journal splits a service's lines at 48 KiB: parts but the last have ``_LINE_BREAK`` ``line-max``
(systemd.journal-fields(7), journal-export-formats).
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from forensics.ingest.envelopes.base import Envelope, Halves, mostly
from forensics.ingest.framing.records import Context, Line

_LINE = re.compile(rb'[\x1e\s]*\{.*"(?:__REALTIME_TIMESTAMP|__CURSOR|__MONOTONIC_TIMESTAMP)"\s*:', re.DOTALL)
_START = re.compile(rb'[\x1e\s]*\{\s*"[A-Z_]')


def opens(lines: Iterator[Line], context: Context) -> Iterator[Line]:
    """Yields the entries' own lines, whole. An entry without a text passes as it is."""
    halves = Halves(context)
    for line in lines:
        entry = _entry(line.data)
        text = None if entry is None else _text(entry.get("MESSAGE"))
        if entry is None or text is None:
            yield line
            continue
        key = tuple(str(entry.get(name)) for name in ("_STREAM_ID", "_PID", "_SYSTEMD_UNIT"))
        part = entry.get("_LINE_BREAK") == "line-max" or entry.get("CONTAINER_PARTIAL_MESSAGE") == "true"
        yield from halves.add(key, line._replace(data=text.removesuffix(b"\n")), last=not part)
    yield from halves.rest()


def _entry(data: bytes) -> dict[str, Any] | None:
    if not _START.match(data):
        return None
    try:
        entry = json.loads(data.lstrip(b"\x1e"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _text(message: object) -> bytes | None:
    if isinstance(message, str):
        return message.encode("utf-8", "surrogatepass")
    if isinstance(message, list):
        try:
            return bytes(message)
        except (ValueError, TypeError, OverflowError):
            return None
    return None


ENVELOPE = Envelope("journald", lambda lines: mostly(lines, _LINE.match), opens)
