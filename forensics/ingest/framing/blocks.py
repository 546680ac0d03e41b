"""JSON lines framed many at a time: a stretch of the file in which no line needs a look of its own is one column.

Nearly all of a gateway's log is such: UTF-8, whole objects, nothing to be replaced. The column's values are views into
the bytes that were read, so that no line becomes a Python object.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forensics.ingest.framing.records import Context, Frame

SCHEMA = pa.schema(
    [
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("item", pa.int32()),
        ("raw", pa.string_view()),
        ("length", pa.int64()),
    ]
)
"""Raw records as a format's query is given them; ``length`` counts characters."""

_VIEW = np.dtype([("length", "<i4"), ("prefix", "u1", 4), ("buffer", "<i4"), ("offset", "<i4")])
"""Arrow's view of a text of more than ``_INLINED`` bytes."""

_INLINED = 12

_REPLACED = (r"\\u[dD]", "NaN", "Infinity")
"""What ``clean_json`` looks at closely; patterns of RE2, which skips to what they begin with."""


class Block(NamedTuple):
    """Raw records of one shape: ``table`` has the columns of ``SCHEMA``, in order of the file; ``size`` is in bytes."""

    shape: str
    table: pa.Table
    size: int

    def frames(self) -> Iterator[Frame]:
        """Yields the records one by one."""
        for row in self.table.to_pylist():
            yield Frame(row["line"], row["byte_offset"], row["item"], self.shape, row["raw"])


class Rest:
    """The chunks of a file, which can be gone on with behind the last line that was taken from them."""

    def __init__(self, chunks: Iterable[bytes], context: Context) -> None:
        self._chunks, self._chunk = iter(chunks), b""
        self._offset = context.start[1]

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self._offset, self._chunk = self._offset + len(self._chunk), chunk
            yield chunk

    def behind(self, offset: int) -> Iterator[bytes]:
        """Yields what stands behind ``offset``, a place in the last chunk or at its end."""
        yield self._chunk[offset - self._offset :]
        yield from self._chunks


def block(piece: bytes, number: int, offset: int, context: Context) -> Block | None:
    """Returns the records of whole lines from line ``number`` at ``offset``, None if any needs a look of its own."""
    if b"\x00" in piece or b"\r" in piece:
        return None
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.concatenate([np.zeros(1, ends.dtype), ends[:-1] + 1])
    lengths = ends - starts
    if lengths.min() <= _INLINED or (data[starts] != ord("{")).any() or (data[ends - 1] != ord("}")).any():
        return None
    views = np.zeros(len(starts), _VIEW)
    views["length"], views["offset"] = lengths, starts
    views["prefix"] = data[starts[:, None] + np.arange(4)]
    raw = pa.Array.from_buffers(pa.string_view(), len(starts), [None, pa.py_buffer(views), pa.py_buffer(piece)])
    try:
        raw.validate(full=True)
    except pa.ArrowInvalid:  # no UTF-8
        return None
    whole = pa.Array.from_buffers(
        pa.large_string(), 1, [None, pa.py_buffer(np.array([0, len(piece)], np.int64)), pa.py_buffer(piece)]
    )
    if any(pc.match_substring_regex(whole, each)[0].as_py() for each in _REPLACED):
        return None
    characters = lengths if piece.isascii() else pc.utf8_length(raw.cast(pa.large_string()))
    lines = np.arange(number, number + len(starts))
    columns = [lines, starts + offset, np.zeros(len(starts), np.int32), raw, characters]
    return Block(context.shape, pa.table(columns, schema=SCHEMA), len(piece))
