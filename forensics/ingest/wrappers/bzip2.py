"""bzip2: also streams that follow one another, as parallel compressors write them."""

import bz2
from collections.abc import Iterable, Iterator

from forensics.ingest.wrappers.base import Tell, Wrapper, streams


def begins(head: bytes) -> bool:
    """Whether a stream begins here: ``BZh``, a level, and the magic of a block or of an empty stream's end."""
    return head.startswith(b"BZh") and head[3:4].isdigit() and head[4:10] in {b"1AY&SY", b"\x17rE8P\x90"}


def unwrap(chunks: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    """Yields the content of all streams."""
    try:
        whole = yield from streams(chunks, bz2.BZ2Decompressor)
    except OSError as error:
        tell(f"the bzip2 stream is damaged ({error})")
        return
    if not whole:
        tell("the bzip2 stream ends early")


WRAPPER = Wrapper("bzip2", begins, unwrap)
