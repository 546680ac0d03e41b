"""Texts that stand as strings in a larger JSON document: found by the key before them, each at its own byte.

In JSON, a quote within a string has a backslash before it. So a key's opening quote is told from text by what stands
before it, and no document has to be held in memory: a string never spans lines, and the pages of an export may follow
one another in a file without a newline.
"""

import json
import re
from collections.abc import Iterator

from forensics.ingest.framing.records import Context, Line, Opens

STRING = rb'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")'
"""A JSON string, whole."""

BEFORE = rb"(?<![\\\w])"
"""Stands before the opening quote of a key."""


def opener(pattern: bytes) -> Opens:
    """Returns what yields the strings that ``pattern`` finds, whose group ``text`` is one; the rest is only counted.

    The pattern sees a line and the one before it, since an indented document has a key's pair on two lines.
    """
    wanted = re.compile(pattern, re.DOTALL)

    def opens(lines: Iterator[Line], context: Context) -> Iterator[Line]:
        before: Line | None = None
        for line in lines:
            data, at = line.data, 0
            if before is not None:
                data, at = before.data + b"\n" + line.data, len(before.data) + 1
            texts = [each for each in wanted.finditer(data) if each.end("text") > at]
            for found in texts:
                start = max(0, found.start("text") - at)
                yield Line(line.number, line.offset + start, _plain(found["text"]), line.ended, len(found["text"]))
            if not texts:
                context.count("lines_of_wrapping")
            before = None if texts else line

    return opens


def _plain(string: bytes) -> bytes:
    try:
        text: str = json.loads(string.decode("utf-8", "replace"), strict=False)
    except ValueError:  # a broken escape: the line as it stands, which its format takes or rejects
        return string[1:-1]
    return text.encode("utf-8", "surrogatepass").rstrip(b"\r\n")
