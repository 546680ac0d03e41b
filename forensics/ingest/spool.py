"""Scratch copies of evidence that lies in no file of its own: members of archives, objects of a store, a pipe.

They are fetched once, and what was hashed is what is read. The folder is within the case, private like it, and removed
when ingest ends; what a killed run left there is removed by the next one.
"""

import shutil
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Self

from forensics.errors import ForensicsError


class Spool:
    """A folder of numbered files. Used by several threads at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = count()

    def __enter__(self) -> Self:
        shutil.rmtree(self.folder, ignore_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep(self, chunks: Iterable[bytes]) -> Path:
        """Returns the path of a new file that holds ``chunks``. Raises, and removes it, if the disk is full."""
        path = self.folder / f"{next(self._numbers):08d}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            out = path.open("xb")
        except OSError as error:
            raise _full(self.folder, error) from error
        try:
            with out:
                for chunk in chunks:
                    try:
                        out.write(chunk)
                    except OSError as error:
                        raise _full(self.folder, error) from error
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def drop(self, path: Path) -> None:
        """Removes a copy that is not needed any more; a path that is none of ours is left alone."""
        if path.parent == self.folder:
            path.unlink(missing_ok=True)


def _full(folder: Path, error: OSError) -> ForensicsError:
    return ForensicsError(
        f"no room for what has to be unpacked ({error.strerror or error})",
        where=str(folder),
        fix="Free some space, or unpack the archives elsewhere and ingest the files",
    )
