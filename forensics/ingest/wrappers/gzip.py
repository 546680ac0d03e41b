"""gzip: also members that follow one another (rotations that were concatenated), and padding after them."""

import zlib
from collections.abc import Iterable, Iterator

from forensics.ingest.wrappers.base import CHUNK, Tell, Wrapper

_WBITS = 31
"""A gzip header is expected (zlib's own count of window bits plus 16)."""


def unwrap(chunks: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    """Yields the content of all members."""
    member = zlib.decompressobj(wbits=_WBITS)
    try:
        for raw in chunks:
            data = raw
            while data:
                if member.eof:
                    data = data.lstrip(b"\x00")  # tape and block padding between or after members
                    if not data:
                        break
                    member = zlib.decompressobj(wbits=_WBITS)
                yield member.decompress(data, CHUNK)
                data = member.unused_data if member.eof else member.unconsumed_tail
    except zlib.error as error:
        tell(f"the gzip stream is damaged ({error})")
        return
    if not member.eof:
        tell("the gzip stream ends early")


WRAPPER = Wrapper("gzip", lambda head: head.startswith(b"\x1f\x8b"), unwrap)
