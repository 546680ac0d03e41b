"""Evidence as a stream of decoded bytes: opened read-only, decompressed by magic bytes, hashed, bounded.

Both hashes are SHA-256: of the file as it lies there (raw) and of what it holds (decoded), so that a compressed copy
is recognised.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

from forensics.errors import ForensicsError

CHUNK = 8 << 20
"""Bytes of decoded content per step; also what a batch of records aims at."""

MAX_DECODED = 1 << 40
"""Bytes that one file may decode to; beyond that it is refused as a decompression bomb."""

MAX_RATIO = 400
"""Decoded bytes per raw byte that are believed once ``RATIO_FLOOR`` is passed. Logs reach 20 to 60."""

RATIO_FLOOR = 256 << 20

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = bytes(range(0x50, 0x60))
_ZSTD_STEP = 4096
"""Raw bytes fed to zstd at once: an RLE block of 3 bytes may hold 128 KiB, so that a step stays under 180 MB."""


@dataclass
class Survey:
    """What a first reading of a file shows. ``cut`` says how a compressed stream ended early, or is None."""

    raw_sha256: str
    decoded_sha256: str
    raw_bytes: int
    decoded_bytes: int
    compression: str
    head: bytes
    cut: str | None


class Decoded:
    """Iterates over the decoded bytes of one file in chunks of at most ``CHUNK``, and hashes both sides on the way.

    Raises ``ForensicsError`` where the file cannot be read or is a decompression bomb. A compressed stream that ends
    early or breaks gives what stands before the break, and ``cut`` says so afterwards.
    """

    def __init__(self, path: Path, label: str) -> None:
        self.path, self.label = path, label
        self.raw_bytes = self.decoded_bytes = 0
        self.compression = "none"
        self.cut: str | None = None
        self._raw, self._decoded = hashlib.sha256(), hashlib.sha256()

    @property
    def raw_sha256(self) -> str:
        return self._raw.hexdigest()

    @property
    def decoded_sha256(self) -> str:
        return self._decoded.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        raw = self._read()
        first = next(raw, b"")
        for chunk in self._decode(first, raw):
            if chunk:
                self.decoded_bytes += len(chunk)
                self._bound()
                self._decoded.update(chunk)
                yield chunk
        for _ in raw:
            pass

    def _read(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb", buffering=0) as handle:
                while chunk := handle.read(CHUNK):
                    self.raw_bytes += len(chunk)
                    self._raw.update(chunk)
                    yield chunk
        except OSError as error:
            raise ForensicsError(
                f"cannot be read ({error.strerror or error})", where=self.label, fix="Check the file's permissions"
            ) from error

    def _decode(self, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
        if first.startswith(_GZIP):
            self.compression = "gzip"
            return self._gunzip(first, rest)
        if first.startswith(_ZSTD) or (first[:1] in {bytes([b]) for b in _SKIPPABLE} and first[1:4] == b"\x2a\x4d\x18"):
            self.compression = "zstd"
            return self._unzstd(first, rest)
        return _chain(first, rest)

    def _gunzip(self, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
        member = zlib.decompressobj(wbits=31)
        try:
            for raw in _chain(first, rest):
                data = raw
                while data:
                    if member.eof:
                        data = data.lstrip(b"\x00")  # tape and block padding between or after members
                        if not data:
                            break
                        member = zlib.decompressobj(wbits=31)
                    yield member.decompress(data, CHUNK)
                    data = member.unused_data if member.eof else member.unconsumed_tail
        except zlib.error as error:
            self.cut = f"the gzip stream is damaged ({error})"
            return
        if not member.eof:
            self.cut = "the gzip stream ends early"

    def _unzstd(self, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
        decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        frame = decompressor.decompressobj()
        begun = False
        try:
            for raw in _chain(first, rest):
                for start in range(0, len(raw), _ZSTD_STEP):
                    data = raw[start : start + _ZSTD_STEP]
                    while data:
                        if frame.eof:
                            frame, begun = decompressor.decompressobj(), False
                        yield frame.decompress(data)
                        begun = True
                        data = frame.unused_data if frame.eof else b""
        except zstandard.ZstdError as error:
            self.cut = f"the zstd stream is damaged ({error})"
            return
        if begun and not frame.eof:
            self.cut = "the zstd stream ends early"

    def _bound(self) -> None:
        ratio = self.decoded_bytes > max(RATIO_FLOOR, MAX_RATIO * self.raw_bytes)
        if ratio or self.decoded_bytes > MAX_DECODED:
            raise ForensicsError(
                f"decodes to more than {self.decoded_bytes:,} bytes from {self.raw_bytes:,}: a decompression bomb?",
                where=self.label,
                fix="If it is genuine, decompress it yourself and ingest the plain file",
            )


def survey(path: Path, label: str, advance: Callable[[int], None] | None = None, head_bytes: int = 1 << 20) -> Survey:
    """Reads a file once to its end and returns its hashes, sizes and first decoded bytes. Raises as ``Decoded``.

    ``advance`` is told how many raw bytes were read.
    """
    stream = Decoded(path, label)
    head = bytearray()
    seen = 0
    for chunk in stream:
        if advance is not None:
            advance(stream.raw_bytes - seen)
            seen = stream.raw_bytes
        if len(head) < head_bytes:
            head += chunk[: head_bytes - len(head)]
    return Survey(
        stream.raw_sha256,
        stream.decoded_sha256,
        stream.raw_bytes,
        stream.decoded_bytes,
        stream.compression,
        bytes(head),
        stream.cut,
    )


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest
