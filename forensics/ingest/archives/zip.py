"""zip archives, read by their central directory."""

import lzma
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Generator
from pathlib import Path

from forensics.ingest.archives.base import PIECE, Broken, Member

_FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError, OverflowError)
"""What damage raises; ``NotImplementedError`` (an unknown compression) is a kind of ``RuntimeError``."""

_LONGEST_LINK = 4096


def begins(head: bytes) -> bool:
    """Whether a zip archive begins here, an empty one included."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def members(path: Path) -> Generator[Member]:
    """Yields the members in order. Raises ``Broken`` if the directory cannot be read."""
    try:
        archive = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise Broken(f"the zip archive is damaged or ends early ({error})") from error
    with archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield _member(archive, info)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    if info.flag_bits & 1:
        return Member(info.filename, trouble="is encrypted", fix="Unpack the archive with its password")
    member = Member(info.filename)
    if stat.S_ISLNK(info.external_attr >> 16) and info.file_size <= _LONGEST_LINK:
        target = b"".join(_content(archive, info, member)).decode("utf-8", "surrogateescape")
        member.link = posixpath.join(posixpath.dirname(info.filename), target)
    else:
        member.content = _content(archive, info, member)
    return member


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, member: Member) -> Generator[bytes]:
    try:
        with archive.open(info) as content:
            while piece := content.read(PIECE):
                yield piece
    except _FAULTS as error:
        member.cut = f"the archive is damaged here ({error})"
