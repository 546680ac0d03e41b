"""UTF-16 and UTF-32 to UTF-8: what Windows tools write, with or without a byte order mark."""

import codecs
from collections.abc import Iterable, Iterator

from forensics.ingest.wrappers.base import HEAD, Tell, Wrapper, peek

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""In an order in which no mark begins another one that comes later."""

_STEP = 1 << 20


def encoding_of(head: bytes) -> str | None:
    """Returns the codec of text that is wider than UTF-8: by its mark, or since every other byte is zero."""
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec
    sample = head[: HEAD & ~1]
    half = len(sample) // 2
    if half < 8:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.7 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.7 and odd < half * 0.05:
        return "utf-16-be"
    return None


def unwrap(chunks: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    """Yields the same text in UTF-8 without its mark; what is no character becomes U+FFFD."""
    head, chunks = peek(iter(chunks))
    decoder = codecs.getincrementaldecoder(encoding_of(head) or "utf-16")(errors="replace")
    first = True
    for chunk in chunks:
        for start in range(0, len(chunk), _STEP):
            text = decoder.decode(chunk[start : start + _STEP])
            if first and text:
                text, first = text.removeprefix("\ufeff"), False
            yield text.encode("utf-8")
    if last := decoder.decode(b"", final=True):
        tell("the UTF-16 text ends inside a character")
        yield last.encode("utf-8")


WRAPPER = Wrapper("utf-16", lambda head: encoding_of(head) is not None, unwrap)
