"""tar archives, read forwards in one go, so that they may be compressed in any way and of any size."""

import posixpath
import tarfile
from collections.abc import Generator, Iterator

from forensics.ingest.archives.base import PIECE, Broken, Member

BLOCK = tarfile.BLOCKSIZE
_LONGEST_HEADER = 64 << 20
"""Bytes of one header (a pax record, a long name); more is no header, and is not read into memory."""


def begins(head: bytes) -> bool:
    """Whether a tar archive begins here: a header whose checksum is right."""
    if len(head) < BLOCK:
        return False
    try:
        tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def members(chunks: Iterator[bytes]) -> Generator[Member]:
    """Yields the members in order. Raises ``Broken`` where the archive is damaged or ends before its end mark."""
    stream = _Forward(chunks)
    tar: tarfile.TarFile | None = None
    while True:
        try:
            tar = tar or tarfile.TarFile(fileobj=stream, mode="r", encoding="utf-8", errors="surrogateescape")
            info = tar.next()
            tar.members = []  # type: ignore[attr-defined] # it would remember all of them
        except (tarfile.TarError, ValueError, OverflowError, IndexError, KeyError, OSError) as error:
            raise Broken(f"the archive is damaged or ends early ({error})") from error
        if info is None:
            break
        if not info.isdir():
            yield _member(info, tar, stream)
    if stream.last.strip(b"\x00") or len(stream.last) < BLOCK:
        raise Broken("the archive ends early: it has no end mark")
    for _ in chunks:  # so that all of it is hashed
        pass


def _member(info: tarfile.TarInfo, tar: tarfile.TarFile, stream: "_Forward") -> Member:
    if info.issym():
        return Member(info.name, link=posixpath.join(posixpath.dirname(info.name), info.linkname))
    if info.islnk():
        return Member(info.name, link=info.linkname)
    if not info.isreg():
        return Member(info.name, trouble="not a regular file", fix="Leave it out, or copy its content into a file")
    member = Member(info.name)
    member.content = _sparse(info, tar, member) if info.issparse() else _plain(info.size, stream, member)
    return member


def _plain(size: int, stream: "_Forward", member: Member) -> Generator[bytes]:
    while size > 0:
        piece = stream.read(min(size, PIECE))
        if not piece:
            member.cut = "the archive ends early"
            return
        size -= len(piece)
        yield piece


def _sparse(info: tarfile.TarInfo, tar: tarfile.TarFile, member: Member) -> Generator[bytes]:
    try:
        with tar.extractfile(info) as content:  # type: ignore[union-attr]
            while piece := content.read(PIECE):
                yield piece
    except tarfile.TarError as error:
        member.cut = f"the archive is damaged or ends early ({error})"


class _Forward:
    """A stream as a file that can only be read forwards. ``last`` is the last piece that was read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._held, self._at = chunks, b"", 0
        self._place = 0
        self.last = b""

    def tell(self) -> int:
        return self._place

    def seek(self, place: int) -> None:
        """Skips to ``place``. Raises if it lies behind."""
        if place < self._place:
            raise tarfile.StreamError("seeking backwards")
        while self._place < place and self.read(min(place - self._place, PIECE)):
            pass

    def write(self, _data: bytes) -> int:
        """Refuses: evidence is only read."""
        raise OSError("this is read only")

    def close(self) -> None:
        """Leaves the stream to whom it belongs."""

    def read(self, size: int) -> bytes:
        """Returns ``size`` bytes, or fewer at the end."""
        if size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        parts: list[bytes] = []
        while size > 0:
            if self._at == len(self._held):
                self._held, self._at = next(self._chunks, b""), 0
                if not self._held:
                    break
            part = self._held[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
        self.last = b"".join(parts)
        self._place += len(self.last)
        return self.last
