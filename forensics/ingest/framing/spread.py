"""JSON documents that are spread over lines, as ``jq`` prints them and issue reports quote them.

Each becomes one line, whatever stands around it: prose, a fence, a shell's prompt, the next document. A string of JSON
never spans lines, so that each line tells by its own tokens whether it is within a document: one look at each, and
nothing is held but the document that is open.
"""

import re
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


def spread(source: Iterable[Line], context: Context) -> Iterator[Line]:
    """Yields the lines of ``source``, those of a document that spans several as one, joined by newlines.

    A document that is never closed, or that a line breaks into which is no JSON, comes back line by line. What stands
    behind a document on its last line is a line of its own. A document of more than ``MAX_LINE`` bytes is a reject.
    """
    document, resumes = _Document(context), context.by_line
    for line in source:
        context.by_line = resumes and not document.lines  # what is held would be lost to a run that goes on from here
        rest: Line | None = line
        while rest is not None:
            first = not document.lines
            start = _start(rest.data) if first else 0
            end = None if start is None else document.take(rest, start)
            if end is None and not first:
                yield from document.end()
                continue  # the line may begin another
            if end is None or (first and not document.depth):
                document.end()
                yield rest
                break
            if document.depth:
                break
            yield from _joined(document.end())
            rest = _behind(rest, end)
    yield from document.end()


class _Document:
    """The document that is open: its lines, and how deep within its brackets the last of them ends."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.lines: list[Line] = []
        self.depth = self._size = 0

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
        self.depth = depth
        self._size += line.length + 1
        length = line.length if at == len(line.data) else min(at, line.length)
        self.lines.append(line._replace(data=line.data[:at], length=length))
        if self._size > MAX_LINE:
            del self.lines[1:]
        return at

    def end(self) -> list[Line]:
        """Returns its lines, and is empty again; none of one that grew too long, which is a counted reject."""
        lines, size = self.lines, self._size
        self.lines, self.depth, self._size = [], 0, 0
        if size > MAX_LINE:
            first = lines[0]
            self._context.oversized.append(Reject(first.number, first.offset, "document_too_long", size))
            return []
        return lines


def _start(data: bytes) -> int | None:
    """Returns where a document begins that may go on in the next line, None where none does."""
    found = _START.match(data)
    if found is None:
        return None
    at = found.end()
    # Nearly all lines that end with the bracket's other half are whole: a log's records, an array's members.
    return None if data[at : at + 1] + data.rstrip()[-1:] in (b"{}", b"[]") else at


def _joined(lines: list[Line]) -> Iterator[Line]:
    if lines:
        first, last = lines[0], lines[-1]
        data = b"\n".join(line.data for line in lines)
        yield first._replace(data=data, ended=last.ended, length=last.offset + last.length - first.offset)


def _behind(line: Line, end: int) -> Line | None:
    """Returns what stands behind a document on its last line, None if that is nothing."""
    if not line.data[end:].strip(_BETWEEN):
        return None
    return line._replace(offset=line.offset + end, data=line.data[end:], length=max(1, line.length - end))
