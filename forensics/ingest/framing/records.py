"""What framing hands over: raw records and rejects, each with its place in the decoded bytes."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

MAX_LINE = 256 << 20
"""Bytes of one line; a longer one is a counted reject, so that memory stays bounded."""


_HOLE = re.compile(rb"\x00{2,}")
"""What a truncated file has for its lost part; a single NUL, as UTF-16 in other text has, parts nothing."""


class Line(NamedTuple):
    """One line without its end; ``ended`` is False for a last line without one, ``length`` counts it in bytes."""

    number: int
    offset: int
    data: bytes
    ended: bool
    length: int


class Frame(NamedTuple):
    """A raw record: ``raw`` is what the query of ``shape`` reads, JSON or a line of text.

    ``item`` numbers the parts of one line. ``last`` marks a record that may have been cut by the end of the file.
    """

    line: int
    offset: int
    item: int
    shape: str
    raw: str
    last: bool = False


EXCERPT = 240
"""Characters of a rejected line that are kept to show what it was like."""


class Reject(NamedTuple):
    """A place that is no record, why, how long it is in bytes, and how it begins (``EXCERPT`` characters at most)."""

    line: int
    offset: int
    reason: str
    length: int
    text: str = ""


Opens = Callable[[Iterator[Line], "Context"], Iterator[Line]]
"""Takes lines out of the envelopes that a runtime or a log store put them into."""


def unopened(given: Iterator[Line], _context: "Context") -> Iterator[Line]:
    """Returns lines that are in no envelope, as they are."""
    return given


@dataclass
class Context:
    """What framing may know about the file, and what it finds out on the way.

    ``cut`` is set where the last record is incomplete; ``oversized`` collects lines beyond ``MAX_LINE``. ``start`` is
    the (line, byte) at which the given bytes begin. ``after`` is where the line after the last one begins, None within
    a line that is taken in pieces; ``by_line`` is set while each record is a line that needs nothing of the others, so
    that reading may go on from ``after`` in another run. ``blocks`` says that a framer may give many records at once.
    """

    label: str
    shape: str
    year: int | None = None
    path: Path | None = None
    cut: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    oversized: list[Reject] = field(default_factory=list)
    opens: Opens = unopened
    start: tuple[int, int] = (1, 0)
    after: tuple[int, int] | None = None
    by_line: bool = False
    blocks: bool = False

    def count(self, what: str, number: int = 1) -> None:
        """Adds to a counter that the ledger shows, such as ``replaced_surrogates``."""
        if number:
            self.counts[what] = self.counts.get(what, 0) + number

    def incomplete(self, line: Line, reason: str) -> Reject:
        """Returns the reject for a line that could not be read: cut short if it is the file's unfinished last one."""
        if not line.ended:
            self.cut, reason = True, "cut_short"
        return self.reject(line, reason)

    def reject(self, line: Line, reason: str) -> Reject:
        """Returns the reject for a line that is no record."""
        return Reject(line.number, line.offset, reason, line.length, excerpt(line.data))


def excerpt(data: bytes) -> str:
    """Returns how a line begins."""
    return data[: 4 * EXCERPT].decode("utf-8", "replace")[:EXCERPT]


def lines(
    chunks: Iterable[bytes], context: Context, *, blanks: bool = False, start: tuple[int, int] | None = None
) -> Iterator[Line]:
    """Splits decoded bytes at newlines and takes each line out of its envelopes; CR before LF is not part of a line.

    Blank lines are numbered but skipped, unless ``blanks``. Lines beyond ``MAX_LINE`` go to ``context.oversized``.
    ``start`` is the (line, byte) at which the chunks begin, if they are not the whole of the context's.
    """
    for line in context.opens(_split(chunks, context, start or context.start), context):
        if blanks or line.data.strip(b" \t\r\x00"):
            yield line


def _split(chunks: Iterable[bytes], context: Context, start: tuple[int, int]) -> Iterator[Line]:
    (number, offset), length = start, 0
    parts: list[bytes] = []
    for chunk in chunks:
        begin = 0
        plain = b"\x00" not in chunk
        while (end := chunk.find(b"\n", begin)) >= 0:
            if plain and offset and not length:  # nearly all lines: whole, and nothing to be taken out
                length = end - begin
                context.after = (number + 1, offset + length + 1)
                yield Line(number, offset, chunk[begin:end].removesuffix(b"\r"), ended=True, length=length)
            else:
                length += end - begin
                parts.append(chunk[begin:end])
                yield from _pieces(Line(number, offset, b"", ended=True, length=length), parts, context)
                parts = []
            number, offset, length, begin = number + 1, offset + length + 1, 0, end + 1
        if begin < len(chunk):
            length += len(chunk) - begin
            if length > MAX_LINE:
                parts.clear()
            else:
                parts.append(chunk[begin:])
    if length:
        yield from _pieces(Line(number, offset, b"", ended=False, length=length), parts, context)


def _pieces(line: Line, parts: list[bytes], context: Context) -> Iterator[Line]:
    """Yields the line, or what stands between runs of NULs, which a truncated or crashed file has for a lost part."""
    if line.length > MAX_LINE:
        context.oversized.append(Reject(line.number, line.offset, "line_too_long", line.length))
        return
    data = (parts[0] if len(parts) == 1 else b"".join(parts)).removesuffix(b"\r")
    if line.offset == 0:
        data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\x00" not in data:
        context.after = (line.number + 1, line.offset + line.length + 1)
        yield line._replace(data=data)
        return
    context.after = None
    starts = [0, *(found.end() for found in _HOLE.finditer(data))]
    pieces = [each for each in zip(starts, _HOLE.split(data), strict=True) if each[1]]
    for start, piece in pieces or [(0, b"")]:
        context.count("dropped_nuls", piece.count(0))
        length = len(piece) if pieces else line.length
        yield Line(line.number, line.offset + start, piece.replace(b"\x00", b""), line.ended, length)
