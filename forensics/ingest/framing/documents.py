"""JSON lines and JSON documents, captured bodies, and response headers."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import PurePosixPath

from forensics.ingest.framing.blocks import Block, Rest, block
from forensics.ingest.framing.clean import clean_json, decode, dump
from forensics.ingest.framing.records import MAX_LINE, Context, Frame, Line, Reject, lines
from forensics.ingest.framing.spread import spread
from forensics.ingest.keys import members, of_json

_STATUS = re.compile(r"HTTP/[\d.]+ (?P<status>\d{3})(?: |$)")
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+:")
_PROMPT = re.compile(r"[^{\"]{0,120}[@~\]][^{\"]{0,120}[#$%>][^{\"]{0,200}")
"""What a shell writes behind an answer that ended without a newline, up to the command typed next."""

_BEGINNING = 64 << 10
"""Bytes of a line in which it shows whether it wraps records."""

_SUFFIXES = (".gz", ".zst", ".sse", ".headers", ".json", ".txt", ".request", ".response", ".body")


def stem(label: str) -> str:
    """Returns what the names of sibling captures share: the path without its compression and kind suffixes."""
    path = label
    while (suffix := PurePosixPath(path).suffix) in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def frame_lines(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    """Yields one frame per line that holds JSON after an optional prefix; text before the first ``{`` is dropped."""
    yield from _by_line(chunks, context)


def frame_json(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    """Yields one frame per document, on a line or over several, or per member of its array; other lines are rejects."""
    return _lines_or_document(chunks, context, named=False, wrapped=False)


def frame_members(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    """Yields as ``frame_json``; of a document that wraps a list of records, as an API's answer does, its members."""
    return _lines_or_document(chunks, context, named=False, wrapped=True)


def frame_body(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    """Yields as ``frame_json``; a file that is one captured body gets ``_stem``, which ties it to those beside it."""
    return _lines_or_document(chunks, context, named=True, wrapped=False)


def frame_document(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields as ``frame_json``, each document with ``_stem`` added."""
    for line in spread(lines(chunks, context), context):
        yield from _document(line, context, named=True)


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
        elif head is None or not _HEADER.match(text):
            yield context.incomplete(line, "foreign_line")
        else:
            name, _, value = text.partition(":")
            headers.setdefault(name.strip().lower(), value.strip())
    if head is not None:
        yield _head(head, status, headers, context)


def _head(line: Line, status: int, headers: dict[str, str], context: Context) -> Frame:
    record = {"stem": stem(context.label), "status": status, "headers": headers}
    return Frame(line.number, line.offset, 0, context.shape, dump(record, context))


def _lines_or_document(
    chunks: Iterable[bytes], context: Context, *, named: bool, wrapped: bool
) -> Iterator[Frame | Reject | Block]:
    if context.by_line:  # an earlier run has found it so
        yield from _by_line(chunks, context)
        return
    rest = Rest(chunks, context)
    source = lines(rest, context)
    first = next(source, None)
    if first is None:
        return
    second = next(source, None)
    by_line = _is_whole(second) if second else not (named or wrapped)
    if _is_whole(first) and by_line and not (wrapped and _wraps(first)):
        yield _json_line(first, context)
        if second is not None:
            yield _json_line(second, context)
        if context.blocks and context.after is not None:
            yield from _by_line(rest.behind(context.after[1]), context, context.after)
            return
        context.by_line = True
        for line in source:
            yield _json_line(line, context)
        return
    documents = spread(chain([first], [second] if second else [], source), context)
    opening = list(islice(documents, 2))
    alone = len(opening) == 1
    for line in chain(opening, documents):
        yield from _document(line, context, named=named and alone, wrapped=wrapped)


def _wraps(line: Line) -> bool:
    """Whether a line is an API's answer that wraps its records."""
    return len(of_json(line.data[:_BEGINNING].decode("utf-8", "replace"))) > 1


def _is_whole(line: Line) -> bool:
    return line.data.lstrip().startswith(b"{") and line.data.rstrip().endswith(b"}")


def _by_line(
    chunks: Iterable[bytes], context: Context, start: tuple[int, int] | None = None
) -> Iterator[Frame | Reject | Block]:
    """Yields the records of JSON lines from the (line, byte) ``start``: blocks where the context takes them."""
    context.by_line = True
    source = iter(chunks)
    number, offset = start or context.start
    held: list[bytes] = []
    while context.blocks and sum(map(len, held)) <= MAX_LINE:
        chunk = next(source, None)
        if chunk is None:
            break
        whole = chunk.rfind(b"\n") + 1
        if not whole:
            held.append(chunk)
            continue
        piece = b"".join([*held, chunk[:whole]])
        held = [chunk[whole:]]
        found = block(piece, number, offset, context)
        after = (number + piece.count(b"\n"), offset + len(piece))
        if found is None:
            for line in lines([piece], context, start=(number, offset)):
                yield _json_line(line, context)
        else:
            context.after = after
            yield found
        number, offset = after
    for line in lines(chain(held, source), context, start=(number, offset)):
        yield _json_line(line, context)


def _document(line: Line, context: Context, *, named: bool = False, wrapped: bool = False) -> Iterator[Frame | Reject]:
    """Yields what a line holds that may be a document over several, an array, or an answer that wraps one."""
    bare = line.data.lstrip()
    spans, is_array = b"\n" in line.data, bare.startswith(b"[")
    if not (spans or is_array or (bare.startswith(b"{") and (named or wrapped))):
        yield _json_line(line, context)
        return
    text = clean_json(decode(line.data, context), context)
    try:
        document = json.loads(text if is_array else text[text.find("{") :])
    except (ValueError, RecursionError):
        yield _json_line(line, context)
        return
    found = document if isinstance(document, list) else None
    if wrapped and isinstance(document, dict):
        found = members(document)
    if found is None and not spans and not named:
        yield _json_line(line, context)
        return
    for number, member in enumerate([document] if found is None else found):
        given = _named(member, context) if named else member
        yield Frame(line.number, line.offset, number, context.shape, dump(given, context))


def _json_line(line: Line, context: Context) -> Frame | Reject:
    text = decode(line.data, context)
    start = text.find("{")
    if start < 0:
        return context.incomplete(line, "foreign_line")
    return Frame(
        line.number, line.offset, 0, context.shape, clean_json(_said(text[start:], context), context), not line.ended
    )


def _said(text: str, context: Context) -> str:
    """Returns the line without a shell's prompt behind its last brace, as consoles with ``curl`` in them have."""
    if text.endswith("}"):
        return text
    end = text.rfind("}") + 1
    if not end or not _PROMPT.fullmatch(text, end):
        return text
    context.count("dropped_prompts")
    return text[:end]


def _named(document: object, context: Context) -> object:
    """A captured request has no id of its own; its file's stem is what ties it to the response beside it."""
    return {**document, "_stem": stem(context.label)} if isinstance(document, dict) else document
