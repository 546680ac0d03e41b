"""Docker's json-file driver, and what Fluent Bit and Fluentd make of container logs: ``{"log": "…\\n", "stream": …}``.

Docker splits long lines every 16 KiB; a part but the last has no newline at its end. Fluent Bit keeps CRI's mark as
``logtag`` and drops newlines.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from forensics.ingest.envelopes.base import Envelope, Halves, mostly
from forensics.ingest.framing.records import Context, Line

_KEYS = rb"log|stream|time|attrs|logtag|date|kubernetes|docker|container_id|container_name|source|_p|tag"
_LINE = re.compile(rb'\s*\{\s*"(?:' + _KEYS + rb')"\s*:')
_LOG = re.compile(rb'"log"\s*:\s*"')
_BESIDE = ("stream", "time", "logtag", "kubernetes", "date", "container_id", "_p")
_PART = 16_000
"""Bytes from which a text without a newline is a part: Docker's buffer holds 16,384, and a split character shrinks."""


def matches(data: bytes) -> bool:
    """Whether a line, perhaps cut, is such an object."""
    return (
        _LINE.match(data) is not None
        and _LOG.search(data) is not None
        and any(f'"{key}"'.encode() in data for key in _BESIDE)
    )


def opens(lines: Iterator[Line], context: Context) -> Iterator[Line]:
    """Yields the container's own lines, whole."""
    halves = Halves(context)
    for line in lines:
        found = _object(line.data)
        if found is None:
            yield line
            continue
        text = str(found["log"]).encode("utf-8", "surrogatepass")
        tag = found.get("logtag") or found.get("_p")
        part = tag == "P" if tag else not text.endswith(b"\n") and len(text) >= _PART
        yield from halves.add(
            str(found.get("stream") or found.get("source")),
            line._replace(data=text.removesuffix(b"\n").removesuffix(b"\r")),
            last=not part,
        )
    yield from halves.rest()


def _object(data: bytes) -> dict[str, Any] | None:
    if not _LINE.match(data):
        return None
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(found.get("log"), str) and any(key in found for key in _BESIDE):
        return found
    return None


ENVELOPE = Envelope("docker", lambda lines: mostly(lines, matches), opens)
