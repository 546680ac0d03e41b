"""zstd: also frames that follow one another, and skippable ones."""

from collections.abc import Iterable, Iterator

import zstandard

from forensics.ingest.wrappers.base import Tell, Wrapper

_MAGIC = b"\x28\xb5\x2f\xfd"
_STEP = 4096
"""Raw bytes fed at once: an RLE block of 3 bytes may hold 128 KiB, so that a step stays under 180 MB."""


def begins(head: bytes) -> bool:
    """Whether a frame begins here: an ordinary one, or a skippable one (magic 0x184D2A50 to 5F)."""
    return head.startswith(_MAGIC) or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F)


def unwrap(chunks: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    """Yields the content of all frames."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    frame = decompressor.decompressobj()
    begun = False
    try:
        for raw in chunks:
            for start in range(0, len(raw), _STEP):
                data = raw[start : start + _STEP]
                while data:
                    if frame.eof or not begun:
                        data = data.lstrip(b"\x00")  # padding between or after frames
                        if not data:
                            break
                    if frame.eof:
                        frame, begun = decompressor.decompressobj(), False
                    yield frame.decompress(data)
                    begun = True
                    data = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        tell(f"the zstd stream is damaged ({error})")
        return
    if begun and not frame.eof:
        tell("the zstd stream ends early")


WRAPPER = Wrapper("zstd", begins, unwrap)
