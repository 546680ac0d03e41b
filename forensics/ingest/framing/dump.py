"""A table's rows in a plain ``pg_dump``: the lines between ``COPY … FROM stdin;`` and ``\\.``."""

import re
from collections.abc import Iterable, Iterator

from forensics.ingest.framing.clean import decode, dump
from forensics.ingest.framing.records import Context, Frame, Reject, lines

_COPY = re.compile(r"COPY (?:\S+\.)?(?P<table>\S+) \((?P<names>[^)]*)\) FROM stdin;")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))")
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields each row as a JSON object by the names of its ``COPY``, values as text; statements between are counted."""
    names: list[str] | None = None
    for line in lines(chunks, context):
        text = decode(line.data, context)
        if names is None:
            found = _COPY.match(text)
            names = [name.strip().strip('"') for name in found["names"].split(",")] if found else None
            context.count("statement_lines")
        elif text == "\\.":
            names = None
            context.count("statement_lines")
        elif len(values := text.split("\t")) != len(names):
            yield context.incomplete(line, "wrong_number_of_fields")
        else:
            record = {name: _value(value) for name, value in zip(names, values, strict=True)}
            yield Frame(line.number, line.offset, 0, context.shape, dump(record, context), not line.ended)


def _value(text: str) -> str | None:
    """Returns what a field of COPY's text format holds."""
    return None if text == "\\N" else _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    hexadecimal, octal, other = found.groups()
    if hexadecimal or octal:
        return chr(int(hexadecimal, 16) if hexadecimal else int(octal, 8) & 0xFF)
    return _LETTERS.get(other, other)
