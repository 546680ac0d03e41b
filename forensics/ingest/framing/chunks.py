"""Streamed answers, however they were kept: raw SSE, one chunk per line, or arrays of chunks.

Each answer becomes one record, ``{"stem", "done", "cut", "events"}``, its events ``{"event", "data"}`` in order. What
the chunks mean is said in SQL.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from forensics.ingest.framing.clean import clean_json, decode, dump
from forensics.ingest.framing.documents import stem
from forensics.ingest.framing.records import MAX_LINE, Context, Frame, Line, Reject, lines
from forensics.ingest.framing.spread import spread

DONE = "[DONE]"
_SSE = ("data:", "event:", "id:", "retry:", ":")


@dataclass
class Stream:
    """The chunks of one answer as they come in; ``line`` is where the first of them stands."""

    line: Line
    item: int
    events: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False
    cut: bool = False
    size: int = 0

    def frame(self, context: Context, name: str | None) -> Frame:
        """Returns the record; ``name`` is the stem that ties it to the captures beside it."""
        record = {"stem": name, "done": self.done, "cut": self.cut, "events": self.events}
        return Frame(self.line.number, self.line.offset, self.item, context.shape, dump(record, context))


def frame_sse(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per streamed answer; only where the file holds a single one is it named by its path's stem.

    Rules of the SSE specification: a blank line ends an event, ``data:`` lines of one event are joined by newlines,
    comments are dropped. An event that cannot be read is left out and sets ``cut``. Chunks that carry an id are told
    apart by it, as those of concurrent answers in one file; others follow the answer that began last.
    """
    streams = _Streams(context)
    data: list[str] = []
    name: str | None = None
    first: Line | None = None
    ended = True
    for line in spread(lines(chunks, context, blanks=True), context):
        text = decode(line.data, context)
        if text.lstrip().startswith(("{", "[")):
            yield from streams.take_json(text, line)
            yield from streams.full()
            continue
        label, _, value = text.partition(":")
        if not label.strip() and not value:
            streams.take_event(name, data, first)
            name, data, first = None, [], None
            yield from streams.full()
        elif label == "event":
            name, first = value.strip(), first or line
        elif label == "data":
            data.append(value.removeprefix(" "))
            first = first or line
        elif not text.startswith(_SSE):
            yield context.incomplete(line, "foreign_line")
        ended = line.ended
    streams.take_event(name, data, first, ended=ended)
    yield from streams.rest()


class _Streams:
    """The answers that are open, in order of their first chunk."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.open: dict[str, Stream] = {}
        self.last: str | None = None
        self.count = 0
        self.size = 0

    def take_event(self, name: str | None, data: list[str], line: Line | None, *, ended: bool = True) -> None:
        """Takes one SSE event, or each of its lines by itself where no blank lines were kept."""
        if line is None or not data:
            return
        for texts in (["\n".join(data)], data):
            values = [_value(text, self.context) for text in texts]
            if all(value is not None for value in values):
                for value in values:
                    self.add(name, value, line)
                return
        self.context.count("unreadable_events")
        self.context.cut |= not ended
        if self.last is not None:
            self.open[self.last].cut = True

    def take_json(self, text: str, line: Line) -> Iterator[Frame | Reject]:
        """Takes one chunk or answer, an array of one answer's chunks, or an array of such arrays."""
        value = _value(text, self.context)
        nested = isinstance(value, list) and all(isinstance(each, list) for each in value)
        answers = [each if isinstance(each, list) else [each] for each in (value if nested else [value])]
        chunks = [each for answer in answers for each in answer]
        if not chunks or not all(isinstance(each, dict) or each == DONE for each in chunks):
            if self.last is not None and not line.ended:
                self.open[self.last].cut = True
            yield self.context.incomplete(line, "malformed_json")
            return
        for answer in answers:
            for place, each in enumerate(answer):
                self.add(None, each, line, fresh=isinstance(value, list) and not place)

    def add(self, name: str | None, value: Any, line: Line, *, fresh: bool = False) -> None:
        """Adds one event to the answer that it belongs to."""
        if value == DONE:
            # Between concurrent answers it does not say whose end it is.
            if self.last is not None and sum(not each.done for each in self.open.values()) == 1:
                self.open[self.last].done, self.last = True, None
            return
        key = _key(value) or (None if fresh or _begins(value) else self.last) or f"\n{self.count}"
        if key not in self.open:
            self.open[key] = Stream(line, self.count)
            self.count += 1
        self.last = key
        stream = self.open[key]
        stream.events.append({"event": name, "data": value})
        stream.size += line.length
        self.size += line.length

    def full(self) -> Iterator[Frame]:
        """Yields the oldest answers as they are where the open ones outgrow the memory that a line may take."""
        while self.size > MAX_LINE and len(self.open) > 1:
            oldest = next(iter(self.open))
            stream = self.open.pop(oldest)
            self.last = None if self.last == oldest else self.last
            self.size -= stream.size
            yield stream.frame(self.context, None)

    def rest(self) -> Iterator[Frame]:
        """Yields all answers."""
        name = stem(self.context.label) if self.count == 1 else None
        for stream in self.open.values():
            yield stream.frame(self.context, name)


def _value(text: str, context: Context) -> Any:
    """Returns what a chunk holds, ``DONE`` for the mark of the end, None for what cannot be read."""
    if text.strip() == DONE:
        return DONE
    try:
        return json.loads(clean_json(text, context))
    except (ValueError, RecursionError):
        return None


def _key(value: Any) -> str | None:
    """Returns the id that a chunk carries, in whichever of the places that the APIs keep it."""
    if not isinstance(value, dict):
        return None
    holders = [value, *(value.get(name) for name in ("message", "response", "meta_info"))]
    found = (each.get("id") for each in holders if isinstance(each, dict))
    return next((each for each in found if isinstance(each, str) and each), None)


def _begins(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("message_start", "response.created")
