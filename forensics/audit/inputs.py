"""What is new: inputs that were not read yet, or that changed since, whatever any clock says."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensics.audit.store import Seen, Watermark
from forensics.errors import ForensicsError
from forensics.ingest.remote import Objects, is_remote
from forensics.ingest.walk import local, name_of


@dataclass(frozen=True)
class Input:
    """One file or object: the name that the case knows it by, what ``ingest`` is to be given, and how it is now.

    ``trouble`` says why it cannot be read, where that is known already.
    """

    label: str
    given: str
    signature: list[int]
    trouble: str = ""


@dataclass(frozen=True)
class Listing:
    """All inputs there are, those to be read now, and what is wrong with the others."""

    present: frozenset[str]
    fresh: tuple[Input, ...]
    problems: tuple[ForensicsError, ...]


def listed(inputs: Sequence[str], base: Path, spare: Path, mark: Watermark) -> Listing:
    """Returns the inputs there are now. What is named and not there is a problem; an empty folder is none.

    ``base`` is what relative paths are relative to, ``spare`` the store, which is never an input.
    """
    found: dict[str, Input] = {}
    problems: list[ForensicsError] = []
    for given in inputs:
        try:
            for each in _remote(given) if is_remote(given) else _local(given, base, spare):
                found[each.label] = each
        except ForensicsError as error:
            problems.append(error)
    fresh = [each for _, each in sorted(found.items()) if _is_new(each, mark.seen.get(each.label))]
    return Listing(frozenset(found), tuple(fresh), tuple(problems))


def _is_new(each: Input, seen: Seen | None) -> bool:
    """What was refused is tried again: a permission can be mended without any change to the file."""
    return seen is None or seen.signature != each.signature or bool(seen.refused)


def _local(given: str, base: Path, spare: Path) -> Iterator[Input]:
    place = str(Path(os.path.abspath(base / given)))  # noqa: PTH100 - links stay as they are named
    for found in local(place, spare):
        path = str(found.path.absolute())
        label = name_of(Path(os.path.normpath(path)).as_posix())
        try:
            about = found.path.lstat() if found.trouble else found.path.stat()
        except FileNotFoundError:  # it was moved while we looked; under its new name it is found again
            continue
        yield Input(label, path, [about.st_size, about.st_mtime_ns, about.st_ino], found.trouble or "")


def _remote(given: str) -> Iterator[Input]:
    objects = Objects(given)
    query = given[len(objects.address) :]
    for info in objects.found:
        exact = "".join(f"[{each}]" if each in "*?[" else each for each in info.path)
        yield Input(f"s3://{info.path}", f"s3://{exact}{query}", [info.size or 0, info.mtime_ns or 0])
