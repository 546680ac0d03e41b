"""From what the user names to the files to be read: paths, patterns, addresses and a pipe, archives unpacked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from forensics.errors import ForensicsError
from forensics.ingest import archives, live
from forensics.ingest.archives import Archive, Unpacked
from forensics.ingest.archives.base import PIECE
from forensics.ingest.remote import Objects, is_remote
from forensics.ingest.spool import Spool
from forensics.ingest.streams import Decoded
from forensics.ingest.walk import Found, distinct, local

STDIN = "-"
"""The argument that means the standard input."""


class Bench(Protocol):
    """Who does the work: in parallel, with progress, and stopping when told."""

    def stage(self, name: str, total: int) -> None:
        """A stage of ``total`` bytes begins."""

    def advance(self, done: int) -> None:
        """``done`` bytes more are dealt with. Raises ``KeyboardInterrupt`` if the run is to stop."""

    def unpacked(self, work: Callable[[Found], Unpacked], items: list[Found]) -> list[Unpacked]:
        """Returns the results of ``work`` in order."""


class Readable(Protocol):
    """What a pipe's content is read from."""

    def read(self, size: int, /) -> bytes:
        """Returns up to ``size`` bytes; none at the end."""


@dataclass(frozen=True)
class Pipe:
    """The standard input and the name that its content shall have in the case, if the user gives one."""

    stream: Readable
    name: str | None = None


@dataclass(frozen=True)
class Gathered:
    """Every file that is meant, sorted by label, and what had to be done for it: archives unpacked, tables copied."""

    files: list[Found]
    archives: list[Archive]
    snapshots: list[live.Kept]


def gather(given: Sequence[Path | str], *, root: Path, spool: Spool, pipe: Pipe | None, bench: Bench) -> Gathered:
    """Returns every file that is meant. ``root`` is the case's folder, where copies of live tables are kept.

    Raises if something named does not exist, or if two different files would have the same label.
    """
    kept: list[live.Kept] = []
    found = distinct(_named([str(each) for each in given], root, spool, pipe, bench, kept=kept))
    packed = [each for each in found if archives.is_archive(each)]
    if not packed:
        return Gathered(found, [], kept)
    bench.stage("unpacking", sum(each.path.stat().st_size for each in packed))
    labels = {each.label for each in packed}
    results = bench.unpacked(lambda each: _unpack(each, spool, bench), packed)
    plain = [each for each in found if each.label not in labels]
    return Gathered(
        distinct([*plain, *(file for result in results for file in result.files)]),
        [archive for result in results for archive in result.archives],
        kept,
    )


def _named(
    given: Iterable[str], root: Path, spool: Spool, pipe: Pipe | None, bench: Bench, *, kept: list[live.Kept]
) -> Iterator[Found]:
    stores = []
    for each in dict.fromkeys(given):
        if each == STDIN:
            yield _piped(spool, pipe, bench)
        elif live.is_live(each):
            bench.stage("copying", 0)
            found, copy = live.keep(each, root / "snapshots", bench.advance)
            kept.append(copy)
            yield found
        elif is_remote(each):
            stores.append(Objects(each))
        else:
            yield from local(each, root)
    if stores:
        bench.stage("fetching", sum(store.size for store in stores))
        for store in stores:
            yield from store.fetch(spool, bench.advance)


def _piped(spool: Spool, pipe: Pipe | None, bench: Bench) -> Found:
    """The whole of a pipe. Without a name it is known by its content, so that another pipe does not replace it."""
    if pipe is None:
        raise ForensicsError("there is no standard input here", where=STDIN, fix="Name a file or a folder")
    bench.stage("piping", 0)

    def chunks() -> Iterator[bytes]:
        while chunk := pipe.stream.read(PIECE):
            bench.advance(len(chunk))
            yield chunk

    path = spool.keep(chunks())
    if pipe.name is not None:
        return Found(pipe.name, path)
    stream = Decoded(path, STDIN)
    for _ in stream:
        pass
    return Found(f"stdin-{stream.decoded_sha256[:16]}", path)


def _unpack(found: Found, spool: Spool, bench: Bench) -> Unpacked:
    try:
        return archives.unpack(found, spool, bench.advance)
    except ForensicsError as error:
        return Unpacked([Found(found.label, found.path, error.what, error.fix)])
