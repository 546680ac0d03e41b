"""What a wrapper is: how its bytes begin, and a stream that undoes it."""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

CHUNK = 8 << 20
"""Bytes of decoded content per step; also what a batch of records aims at."""

HEAD = 4 << 10
"""Bytes of a stream's beginning that are enough to tell what it is wrapped in."""

Tell = Callable[[str], None]
"""Is told, in words for the user, how a stream ended early; what stood before the break has been given."""


@dataclass(frozen=True)
class Wrapper:
    """One compression or encoding. ``unwrap`` holds no more than a few chunks of at most ``CHUNK`` bytes in memory."""

    name: str
    begins: Callable[[bytes], bool]
    unwrap: Callable[[Iterable[bytes], Tell], Iterator[bytes]]


def peek(chunks: Iterator[bytes], size: int = HEAD) -> tuple[bytes, Iterator[bytes]]:
    """Returns the first ``size`` bytes or more, as far as there are any, and the whole stream again."""
    head: list[bytes] = []
    length = 0
    for chunk in chunks:
        head.append(chunk)
        length += len(chunk)
        if length >= size:
            break
    return b"".join(head), chain(head, chunks)


class Decompressor(Protocol):
    """What the standard library's bz2 and lzma decompressors have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Returns at most ``max_length`` bytes of content."""
        ...


def streams(chunks: Iterable[bytes], begin: Callable[[], Decompressor]) -> Generator[bytes, None, bool]:
    """Yields the content of streams that follow one another, padding between; returns whether the last one is whole."""
    stream = begin()
    begun = False
    for raw in chunks:
        data = raw
        while data or not (stream.eof or stream.needs_input):
            if stream.eof:
                data = data.lstrip(b"\x00")
                if not data:
                    break
                stream = begin()
            begun = True
            yield stream.decompress(data, CHUNK)
            data = stream.unused_data if stream.eof else b""
    return stream.eof or not begun
