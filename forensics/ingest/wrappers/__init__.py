"""Wrappers around the bytes of a log: compressions and encodings, one module each, undone in any nesting.

What a line is wrapped in (a container runtime's prefix, a journal's JSON) is undone by ``forensics.ingest.envelopes``,
archives by ``forensics.ingest.archives``.
"""

from collections.abc import Callable, Iterator

from forensics.ingest.wrappers import bzip2, gzip, pickled, utf16, xz, zstd
from forensics.ingest.wrappers.base import HEAD, Tell, Wrapper, peek

WRAPPERS: tuple[Wrapper, ...] = (gzip.WRAPPER, zstd.WRAPPER, bzip2.WRAPPER, xz.WRAPPER, pickled.WRAPPER, utf16.WRAPPER)
"""Asked in this order; a new one is a module of its own and a place here."""

MAX_DEPTH = 8
"""Wrappers around one another; more are left alone, and the content is refused as binary."""


__all__ = ["HEAD", "MAX_DEPTH", "WRAPPERS", "is_wrapped", "peek", "unwrap"]


def is_wrapped(head: bytes) -> bool:
    """Whether bytes that begin with ``head`` (``HEAD`` bytes are enough) are wrapped."""
    return any(each.begins(head) for each in WRAPPERS)


def unwrap(
    chunks: Iterator[bytes], tell: Tell, bound: Callable[[Iterator[bytes]], Iterator[bytes]]
) -> tuple[tuple[str, ...], Iterator[bytes]]:
    """Returns the names of all wrappers, the outermost first, and the bytes within them.

    ``bound`` watches what each of them gives, so that no layer of a decompression bomb goes unseen.
    """
    names: tuple[str, ...] = ()
    while len(names) < MAX_DEPTH:
        head, chunks = peek(chunks)
        found = next((each for each in WRAPPERS if each.begins(head)), None)
        if found is None:
            break
        names = (*names, found.name)
        chunks = bound(found.unwrap(chunks, tell))
    return names, chunks
