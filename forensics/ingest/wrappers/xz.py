"""xz, and the older .lzma: also streams that follow one another, with their padding."""

import lzma
from collections.abc import Iterable, Iterator
from functools import partial

from forensics.ingest.wrappers.base import Tell, Wrapper, streams

_MEMORY = 768 << 20
"""Bytes that a stream's dictionary may ask for; ``xz -9`` asks for 65 MB."""


def begins(head: bytes) -> bool:
    """Whether an xz stream begins here, or a .lzma one with the dictionary sizes that its tools write."""
    if head.startswith(b"\xfd7zXZ\x00"):
        return True
    size = int.from_bytes(head[1:5], "little")
    known = head[5:13] == b"\xff" * 8 or 0 < int.from_bytes(head[5:13], "little") < 1 << 40
    return len(head) > 13 and head[0] == 0x5D and size.bit_count() == 1 and size >= 1 << 16 and known


def unwrap(chunks: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    """Yields the content of all streams."""
    try:
        whole = yield from streams(chunks, partial(lzma.LZMADecompressor, memlimit=_MEMORY))
    except lzma.LZMAError as error:
        tell(f"the xz stream is damaged or needs more than {_MEMORY >> 20} MB of memory ({error})")
        return
    if not whole:
        tell("the xz stream ends early")


WRAPPER = Wrapper("xz", begins, unwrap)
