"""JSON lines and JSON documents, and captures that are one record as a whole: an SSE body, response headers."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from forensics.ingest.framing.clean import clean_json, decode, dump
from forensics.ingest.framing.records import MAX_LINE, Context, Frame, Line, Reject, lines

_STATUS = re.compile(r"HTTP/[\d.]+ (?P<status>\d{3})(?: |$)")
_SUFFIXES = (".gz", ".zst", ".sse", ".headers", ".json", ".txt", ".request", ".response", ".body")


def stem(label: str) -> str:
    """Returns what the names of sibling captures share: the path without its compression and kind suffixes."""
    path = label
    while (suffix := PurePosixPath(path).suffix) in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def frame_lines(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per line that holds JSON after an optional prefix; text before the first ``{`` is dropped."""
    for line in lines(chunks, context):
        yield _json_line(line, context)


def frame_json(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per line where lines are whole documents, else the one document, or the members of its array."""
    source = lines(chunks, context)
    first = next(source, None)
    if first is None:
        return
    if first.data.lstrip().startswith(b"{") and first.data.rstrip().endswith(b"}"):
        yield _json_line(first, context)
        for line in source:
            yield _json_line(line, context)
        return
    held, size = [first], first.length
    for line in source:
        held.append(line)
        size += line.length
        if size > MAX_LINE:
            yield context.reject(first._replace(length=size), "document_too_long")
            return
    yield from _document(held, context)


def frame_document(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields the one JSON document that the file is, or the members of its array, each with ``_stem`` added."""
    held = list(lines(chunks, context))
    if held:
        yield from _document(held, context)


def frame_sse(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame: ``stem``, ``done``, ``cut``, and ``events``, each ``{"event", "data"}`` with its data parsed.

    Rules of the SSE specification: a blank line ends an event, ``data:`` lines of one event are joined by newlines,
    comments are dropped. A last event that is cut inside its JSON is left out and sets ``cut``.
    """
    events: list[dict[str, object]] = []
    data: list[str] = []
    name: str | None = None
    first: Line | None = None
    ended = True
    for line in lines(chunks, context, blanks=True):
        first, ended = first or line, line.ended
        field, _, value = decode(line.data, context).partition(":")
        if not field and not value:
            _event(events, name, data, context)
            name, data = None, []
        elif field == "event":
            name = value.strip()
        elif field == "data":
            data.append(value.removeprefix(" "))
    read = _event(events, name, data, context)
    context.cut |= not read and not ended
    if first is not None:
        done = any(event["data"] == "[DONE]" for event in events)
        told = [event for event in events if event["data"] != "[DONE]"]
        record = {"stem": stem(context.label), "done": done, "cut": context.cut, "events": told}
        yield Frame(first.number, first.offset, 0, context.shape, dump(record, context))


def frame_headers(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per response head: ``stem``, ``status`` and ``headers`` (names in lower case, first value)."""
    head: Line | None = None
    status, headers = 0, dict[str, str]()
    for line in lines(chunks, context):
        text = decode(line.data, context)
        if found := _STATUS.match(text):
            if head is not None:
                yield _head(head, status, headers, context)
            head, status, headers = line, int(found["status"]), {}
        elif head is None:
            yield context.incomplete(line, "foreign_line")
        else:
            name, _, value = text.partition(":")
            headers.setdefault(name.strip().lower(), value.strip())
    if head is not None:
        yield _head(head, status, headers, context)


def _event(events: list[dict[str, object]], name: str | None, data: list[str], context: Context) -> bool:
    """Appends one event, or each line by itself where no blank lines were kept. Returns whether all could be read."""
    if not data:
        return True
    for texts in (["\n".join(data)], data):
        try:
            values = [
                text.strip() if text.strip() == "[DONE]" else json.loads(clean_json(text, context)) for text in texts
            ]
        except (ValueError, RecursionError):
            continue
        events.extend({"event": name, "data": value} for value in values)
        return True
    context.count("unreadable_events")
    return False


def _head(line: Line, status: int, headers: dict[str, str], context: Context) -> Frame:
    record = {"stem": stem(context.label), "status": status, "headers": headers}
    return Frame(line.number, line.offset, 0, context.shape, dump(record, context))


def _document(held: list[Line], context: Context) -> Iterator[Frame | Reject]:
    text = clean_json(decode(b"\n".join(line.data for line in held), context), context)
    first = held[0]
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        for line in held:
            yield _json_line(line, context)
        return
    members = document if isinstance(document, list) else [document]
    for number, member in enumerate(members):
        yield Frame(first.number, first.offset, number, context.shape, dump(_named(member, context), context))


def _json_line(line: Line, context: Context) -> Frame | Reject:
    text = decode(line.data, context)
    start = text.find("{")
    if start < 0:
        return context.incomplete(line, "foreign_line")
    return Frame(line.number, line.offset, 0, context.shape, clean_json(text[start:], context), not line.ended)


def _named(document: object, context: Context) -> object:
    """A captured request has no id of its own; its file's stem is what ties it to the response beside it."""
    return {**document, "_stem": stem(context.label)} if isinstance(document, dict) else document
