"""Archives as folders of evidence: members get the label ``archive!member`` and are read like files, in any nesting."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from forensics.errors import ForensicsError
from forensics.ingest import wrappers
from forensics.ingest.archives import tar, zip  # noqa: A004 - the format's name
from forensics.ingest.archives.base import Broken, Member
from forensics.ingest.spool import Spool
from forensics.ingest.streams import Decoded, believed, bomb
from forensics.ingest.walk import Found, name_of

MAX_DEPTH = 8
"""Archives in one another."""

_HEAD = 1 << 20
"""Raw bytes that are enough to see what a compressed file decodes to: bzip2 gives nothing before its first block."""


@dataclass(frozen=True)
class Archive:
    """An archive that was unpacked: its label, the SHA-256 and size of its bytes, and how many files it held."""

    label: str
    raw_sha256: str
    raw_bytes: int
    files: int


@dataclass
class Unpacked:
    """What a file turned out to hold: itself, or the members of the archive that it is, with those archives."""

    files: list[Found] = field(default_factory=list)
    archives: list[Archive] = field(default_factory=list)


def is_archive(found: Found) -> bool:
    """Whether the file is an archive, compressed or not. One that cannot be read is none; reading it will tell."""
    return found.trouble is None and _kind(found.path)[0] is not None


def unpack(found: Found, spool: Spool, advance: Callable[[int], None]) -> Unpacked:
    """Returns all files within an archive, with those of archives in it, as copies in ``spool``.

    ``advance`` is told how many raw bytes of the archive were read. Raises if it is a decompression bomb or the disk is
    full.
    """
    return _Unpacker(found, spool, advance).run()


class _Unpacker:
    """Unpacks one given archive; all that it gives, nested archives included, counts against its own size."""

    def __init__(self, found: Found, spool: Spool, advance: Callable[[int], None]) -> None:
        self.found, self.spool, self.advance = found, spool, advance
        self.given = 0
        self.size = found.path.stat().st_size
        self.told = 0
        self.result = Unpacked()

    def run(self) -> Unpacked:
        self._open(self.found, 1)
        return self.result

    def _open(self, found: Found, depth: int) -> None:
        kind, wrapped = _kind(found.path)
        if kind is None:
            self.result.files.append(found)
            return
        if depth > MAX_DEPTH:
            self._trouble(found.label, "archives are nested too deeply", "Unpack it yourself and ingest the files")
            return
        before = len(self.result.files)
        stream = Decoded(found.path, found.label)
        if kind == "tar":
            self._take(found, tar.members(self._watched(stream, depth)), depth)
        else:
            path = self.spool.keep(self._spent(self._watched(stream, depth))) if wrapped else found.path
            if not wrapped:
                for _ in self._watched(stream, depth):  # so that it is hashed
                    pass
            self._take(found, zip.members(path), depth)
            if wrapped:
                self.spool.drop(path)
        if len(self.result.files) == before:
            self._trouble(found.label, "the archive holds no file", "Leave it out, or get the whole archive")
        files = len(self.result.files) - before
        self.result.archives.append(Archive(found.label, stream.raw_sha256, stream.raw_bytes, files))
        self.spool.drop(found.path)

    def _take(self, archive: Found, members: Generator[Member], depth: int) -> None:
        names: Counter[str] = Counter()
        paths: dict[str, Found] = {}
        links: list[tuple[str, str]] = []
        try:
            with closing(members):
                for member in members:
                    name = _clean(member.name)
                    names[name] += 1
                    label = f"{archive.label}!{name_of(name)}" + (f"#{names[name]}" if names[name] > 1 else "")
                    if member.link is not None:
                        links.append((label, _clean(member.link)))
                    elif member.content is None:
                        self._trouble(label, member.trouble or "cannot be read", member.fix)
                    else:
                        with closing(member.content):
                            path = self.spool.keep(self._spent(member.content))
                        paths[name] = Found(label, path, cut=member.cut or archive.cut)
                        self._open(paths[name], depth + 1)
        except Broken as error:
            self._trouble(archive.label, f"{error}; the members before are kept", "Get the whole archive")
        for label, target in links:
            self._link(label, target, paths)

    def _link(self, label: str, target: str, paths: dict[str, Found]) -> None:
        """A link stands for the member that it names, as in a folder."""
        found = paths.get(target)
        if found is None:
            self._trouble(label, "the link leads to no file of the archive", "Ingest the file that it points to")
        elif not found.path.exists():
            self._trouble(label, "a link to an archive is not followed", "Its files are read where the archive stands")
        else:
            self.result.files.append(Found(label, found.path, cut=found.cut))

    def _spent(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.given += len(chunk)
            if self.given > believed(self.size):
                raise bomb(self.found.label, self.given, self.size)
            yield chunk

    def _watched(self, stream: Decoded, depth: int) -> Iterator[bytes]:
        for chunk in stream:
            if depth == 1:
                self.advance(stream.raw_bytes - self.told)
                self.told = stream.raw_bytes
            yield chunk

    def _trouble(self, label: str, trouble: str, fix: str | None) -> None:
        self.result.files.append(Found(label, self.found.path, trouble, fix))


def _kind(path: Path) -> tuple[str | None, bool]:
    """Returns ``tar``, ``zip`` or None, and whether the archive is compressed as a whole."""
    try:
        with path.open("rb") as handle:
            raw = handle.read(wrappers.HEAD)
            if wrappers.is_wrapped(raw):
                raw += handle.read(_HEAD)
    except OSError:
        return None, False
    try:
        names, chunks = wrappers.unwrap(iter([raw]), lambda _cut: None, lambda chunks: chunks)
        head, _ = wrappers.peek(chunks, tar.BLOCK)
    except ForensicsError:
        return None, False
    kind = "tar" if tar.begins(head) else "zip" if zip.begins(head) else None
    return kind, bool(names)


def _clean(name: str) -> str:
    """Returns a member's name without what says nothing: ``./``, a leading slash, doubled slashes, ``x/..``."""
    parts: list[str] = []
    for part in PurePosixPath(name.replace("\\", "/") if "/" not in name else name).parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in {"/", "//", ".", ".."}:
            parts.append(part)
    return "/".join(parts) or "unnamed"
