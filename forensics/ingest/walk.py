"""Which files of this machine the given paths mean, and under which names the case knows them."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from forensics.errors import ForensicsError


@dataclass(frozen=True)
class Found:
    """One evidence file: ``label`` is the name it has in the case, ``path`` where it lies now.

    ``trouble`` says why it cannot be read, and ``fix`` what to do, where that is known already. ``cut`` says that it
    ended early where it was taken from.
    """

    label: str
    path: Path
    trouble: str | None = None
    fix: str | None = None
    cut: str | None = None


def local(given: str, spare: Path) -> Iterator[Found]:
    """Yields every file of a path or of a pattern (``*``, ``?``, ``[]``, ``**``), hidden ones included.

    A folder gives ``<folder name>/<relative path>``, a file its path as given, normalised. The case folder ``spare`` is
    never evidence. Symbolic links are followed only where they stay within the given folder. Raises if there is no such
    file, or nothing matches.
    """
    matched = [given]
    if glob.has_magic(given) and not os.path.lexists(given):
        matched = sorted(glob.glob(given, recursive=True, include_hidden=True))  # noqa: PTH207 - absolute ones too
        if not matched:
            raise ForensicsError("nothing matches this pattern", where=given, fix="Check the pattern")
    for path in matched:
        yield from _files(Path(path), spare.resolve())


def distinct(found: Iterable[Found]) -> list[Found]:
    """Returns the files sorted by label and each once. Raises if two different ones would have the same label."""
    known: dict[str, Found] = {}
    for each in found:
        other = known.setdefault(each.label, each)
        if other.path.resolve() != each.path.resolve():
            raise ForensicsError(
                f"{other.path} and {each.path} would both be known as {each.label!r}",
                fix="Ingest them from folders with different names",
            )
    return [known[label] for label in sorted(known)]


def _files(given: Path, spare: Path) -> Iterator[Found]:
    try:
        mode = given.stat().st_mode
    except OSError as error:
        what = "no such file or folder" if isinstance(error, FileNotFoundError) else error.strerror or "cannot be read"
        raise ForensicsError(what, where=str(given), fix="Check the path and its permissions") from error
    if not stat.S_ISDIR(mode):
        label = Path(os.path.normpath(given)).as_posix()
        yield _judge(name_of(label), given, given.resolve().parent)
        return
    root = given.resolve()
    yield from _walk(root, root, root.name or "root", spare)


def _walk(folder: Path, root: Path, label: str, spare: Path) -> Iterator[Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Found(name_of(label), folder, f"the folder cannot be read ({error.strerror})", "Check its permissions")
        return
    for entry in entries:
        path, name = Path(entry.path), f"{label}/{entry.name}"
        if path.resolve() == spare:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, name, spare)
        elif entry.is_symlink() and path.is_dir():
            yield Found(name_of(name), path, "a link to a folder is not followed", "Ingest that folder itself")
        else:
            yield _judge(name_of(name), path, root)


def _judge(label: str, path: Path, root: Path) -> Found:
    if path.is_symlink() and not path.resolve().is_relative_to(root) and root != path.resolve().parent:
        return Found(label, path, "the link leads out of the given folder", "Ingest the file that it points to")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return Found(label, path, "not a regular file", "Leave it out, or copy its content into a file")
    except OSError as error:
        return Found(label, path, f"cannot be read ({error.strerror})", "Check the file and its permissions")
    return Found(label, path)


def name_of(label: str) -> str:
    """Labels are text: bytes of a file name that are no UTF-8 are shown as escapes."""
    return os.fsencode(label).decode("utf-8", "backslashreplace")
