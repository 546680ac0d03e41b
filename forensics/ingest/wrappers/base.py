"""What a wrapper is: how its bytes begin, and a stream that undoes it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

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
