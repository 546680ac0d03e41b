"""JSON documents that are spread over lines, as ``jq`` prints them and issue reports quote them.

Each becomes one line, whatever stands around it: prose, a fence, a shell's prompt, the next document. A string of JSON
never spans lines, so that each line tells by its own tokens whether it is within a document: one look at each, and
nothing is held but the document that is open.
"""

import re
from array import array
from collections.abc import Iterable, Iterator

from forensics.ingest.framing.records import MAX_LINE, Context, Line, Reject

_TOKEN = re.compile(
    rb'[\s,:]++|(?P<opens>[{\[])|(?P<closes>[}\]])|"(?:[^"\\\x00-\x1f]++|\\.)*+"|-?\d[\d.eE+-]*+|-?Infinity|NaN'
    rb"|true|false|null"
)
_START = re.compile(rb"\s*+(?=\{\s*+(?:\"|$)|\[\s*+(?:[{\[\"]|$))|[^{\[\"'`]*+(?=\{\s*+$)")
"""What stands before a bracket that may begin a document: nothing, or a label if the line ends with it."""

_BETWEEN = b" \t\r,;"
"""What may stand behind a document without being anything."""


_MOST_LINES = MAX_LINE // 32
"""Lines of one document: the place of each is held beside its text."""


def spread(source: Iterable[Line], context: Context) -> Iterator[Line]:
    """Yields the lines of ``source``, those of a document that spans several as one, joined by newlines.

    A document that is never closed, or that a line breaks into which is no JSON, comes back line by line. What stands
    behind a document on its last line is a line of its own. A document that is longer than a line may be is a reject.
    """
    document: _Document | None = None
    resumes = context.by_line
    for line in source:
        context.by_line = resumes and document is None  # what is held would be lost to a run that goes on from here
        rest: Line | None = line
        while rest is not None:
            given, rest = rest, None
            if document is None:
                document = _opened(given)
                if document is None:
                    yield given
            elif (end := document.take(given, 0)) is None:
                yield from document.lines(context)
                document, rest = None, given  # it may begin another
            elif not document.depth:
                yield from document.whole(context)
                document, rest = None, _behind(given, end)
    if document is not None:
        yield from document.lines(context)


class _Document:
    """A document that is open, and how deep within its brackets the last of its lines ends.

    Its lines are held as one text and their places, since it may have millions of short ones.
    """

    def __init__(self, first: Line) -> None:
        self._first, self._last = first, first
        self._text, self._places = bytearray(), array("q")
        self._size = self._count = self.depth = 0

    def take(self, line: Line, at: int) -> int | None:
        """Takes a line from ``at`` on. Returns where the document or the line ends, None where it is no JSON."""
        depth = self.depth
        while at < len(line.data):
            found = _TOKEN.match(line.data, at)
            if found is None:
                return None
            at = found.end()
            depth += {"opens": 1, "closes": -1}.get(found.lastgroup or "", 0)
            if not depth:
                break
        length = line.length if at == len(line.data) else min(at, line.length)
        self.depth, self._last = depth, line._replace(length=length)
        self._size, self._count = self._size + line.length + 1, self._count + 1
        if self._is_too_long():
            self._text, self._places = bytearray(), array("q")
        else:
            self._text += line.data[:at] + b"\n"
            self._places.extend((line.number, line.offset, length, len(self._text) - 1))
        return at

    def whole(self, context: Context) -> Iterator[Line]:
        """Yields the document as one line, or nothing if it is too long, which is counted."""
        if not self._is_lost(context):
            length = self._last.offset + self._last.length - self._first.offset
            yield self._first._replace(data=bytes(self._text[:-1]), ended=self._last.ended, length=length)

    def lines(self, context: Context) -> Iterator[Line]:
        """Yields its lines as they were, or nothing if they are too many, which is counted."""
        if self._is_lost(context):
            return
        begin = 0
        for place in range(0, len(self._places), 4):
            number, offset, length, end = self._places[place : place + 4]
            ended = self._last.ended or end + 1 < len(self._text)
            yield Line(number, offset, bytes(self._text[begin:end]), ended, length)
            begin = end + 1

    def _is_too_long(self) -> bool:
        return self._size > MAX_LINE or self._count > _MOST_LINES

    def _is_lost(self, context: Context) -> bool:
        first = self._first
        if self._is_too_long():
            context.oversized.append(Reject(first.number, first.offset, "document_too_long", self._size))
        return self._is_too_long()


def _opened(line: Line) -> _Document | None:
    """Returns the document that a line begins and does not end."""
    start = _start(line.data)
    if start is None:
        return None
    document = _Document(line)
    return document if document.take(line, start) is not None and document.depth else None


def _start(data: bytes) -> int | None:
    """Returns where a document begins that may go on in the next line, None where none does."""
    found = _START.match(data)
    if found is None:
        return None
    at = found.end()
    # Nearly all lines that end with the bracket's other half are whole: a log's records, an array's members.
    return None if data[at : at + 1] + data.rstrip()[-1:] in (b"{}", b"[]") else at


def _behind(line: Line, end: int) -> Line | None:
    """Returns what stands behind a document on its last line, None if that is nothing."""
    if not line.data[end:].strip(_BETWEEN):
        return None
    return line._replace(offset=line.offset + end, data=line.data[end:], length=max(1, line.length - end))
