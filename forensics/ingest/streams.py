"""Evidence as a stream of decoded bytes: opened read-only, unwrapped by what its bytes say, hashed, bounded.

Both hashes are SHA-256: of the file as it lies there (raw) and of what it holds (decoded), so that a compressed copy
is recognised.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from forensics.errors import ForensicsError
from forensics.ingest import wrappers
from forensics.ingest.wrappers.base import CHUNK

MAX_DECODED = 1 << 40
"""Bytes that one file may decode to; beyond that it is refused as a decompression bomb."""

MAX_RATIO = 400
"""Decoded bytes per raw byte that are believed once ``RATIO_FLOOR`` is passed. Logs reach 20 to 60."""

RATIO_FLOOR = 256 << 20


@dataclass
class Survey:
    """What a first reading of a file shows. ``cut`` says how a wrapped stream ended early, or is None."""

    raw_sha256: str
    decoded_sha256: str
    raw_bytes: int
    decoded_bytes: int
    compression: str
    head: bytes
    cut: str | None


class Decoded:
    """Iterates over the decoded bytes of one file in chunks, and hashes both sides on the way.

    Raises ``ForensicsError`` where the file cannot be read or is a decompression bomb. A wrapped stream that ends
    early or breaks gives what stands before the break, and ``cut`` says so afterwards. ``compression`` names the
    wrappers, the outermost first, as in ``gzip+utf-16``.
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
        return (self._raw if self.compression == "none" else self._decoded).hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._unwrapped(self._read())
        except ForensicsError as error:  # a wrapper does not know whose bytes it reads
            raise error if error.where else ForensicsError(error.what, where=self.label, fix=error.fix) from error

    def _unwrapped(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        names, decoded = wrappers.unwrap(raw, self._tell, self._bounded)
        self.compression = "+".join(names) or "none"
        for chunk in decoded:
            if chunk:
                self.decoded_bytes += len(chunk)
                if names:  # without wrappers both hashes are the same
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

    def _tell(self, cut: str) -> None:
        self.cut = self.cut or cut

    def _bounded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yields what one wrapper gives, as long as it is not too much for the raw bytes read so far."""
        given = 0
        for chunk in chunks:
            given += len(chunk)
            if given > believed(self.raw_bytes):
                raise bomb(self.label, given, self.raw_bytes)
            yield chunk


def believed(raw_bytes: int) -> int:
    """Returns how many bytes ``raw_bytes`` may decode to."""
    return min(max(RATIO_FLOOR, MAX_RATIO * raw_bytes), MAX_DECODED)


def bomb(label: str, given: int, raw_bytes: int) -> ForensicsError:
    """Returns the refusal of what decodes to more than is believed."""
    return ForensicsError(
        f"decodes to more than {given:,} bytes from {raw_bytes:,}: a decompression bomb?",
        where=label,
        fix="If it is genuine, unpack it yourself and ingest the plain files",
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
