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
_LABEL = re.compile(rb"[^{\[\"'`]*(?=\{\s*$)")
"""What may stand before the bracket that a line ends with and a document begins with: ``Response: {``."""

_BETWEEN = b" \t\r,;"
"""What may stand behind a document without being anything."""


def spread(source: Iterable[Line], context: Context) -> Iterator[Line]:
    """Yields the lines of ``source``, those of a document that spans several as one, joined by newlines.

    A document that is never closed, or that a line breaks into which is no JSON, comes back line by line. What stands
    behind a document on its last line is a line of its own. A document of more than ``MAX_LINE`` bytes is a reject.
    """
    document = _Document(context)
    for line in source:
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
        self.lines.append(line._replace(data=line.data[:at]))
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
    bare = data.strip()
    if bare[:1] in (b"{", b"["):
        # Nearly all lines that end so are whole: a log's records, an array's members.
        return None if bare[:1] + bare[-1:] in (b"{}", b"[]") else data.index(bare[:1])
    found = _LABEL.match(data)
    return found.end() if found else None


def _joined(lines: list[Line]) -> Iterator[Line]:
    if lines:
        data = b"\n".join(line.data for line in lines)
        yield lines[0]._replace(data=data, ended=lines[-1].ended, length=sum(line.length + 1 for line in lines) - 1)


def _behind(line: Line, end: int) -> Line | None:
    """Returns what stands behind a document on its last line, None if that is nothing."""
    if not line.data[end:].strip(_BETWEEN):
        return None
    return line._replace(offset=line.offset + end, data=line.data[end:], length=max(1, line.length - end))
