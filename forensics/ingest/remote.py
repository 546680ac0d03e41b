"""Evidence in an object store: ``s3://bucket/prefix``, read through pyarrow's file system.

Credentials, region and endpoint come from where AWS's tools take them (environment, profile); a store of one's own is
named by ``AWS_ENDPOINT_URL`` or ``?endpoint_override=host:port&scheme=http``.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from pyarrow import fs

from forensics.errors import ForensicsError
from forensics.ingest.archives.base import PIECE
from forensics.ingest.spool import Spool
from forensics.ingest.walk import Found

_FAULTS = (OSError, ValueError, NotImplementedError)
"""pyarrow's errors are kinds of these."""


def is_remote(given: str) -> bool:
    """Whether this is an address rather than a path."""
    return "://" in given


class Objects:
    """What one address means: an object, all below a prefix, or all that match a pattern."""

    def __init__(self, given: str) -> None:
        self.given = given
        parts = urlsplit(given)
        if parts.scheme != "s3":
            raise ForensicsError(
                f"addresses of {parts.scheme}:// are not read",
                where=given,
                fix="Fetch the files first, or name s3://… or postgresql://…",
            )
        if parts.username or parts.password:
            raise ForensicsError(
                "the address holds credentials",
                where=f"s3://…@{parts.hostname}{parts.path}",
                fix="Leave them out and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
            )
        self.address = given.partition("?")[0] if "=" in parts.query else given
        query = given[len(self.address) :]
        fixed = self.address
        for magic in "*?[":
            fixed = fixed.partition(magic)[0]
        self.pattern = self.address.removeprefix("s3://") if fixed != self.address else None
        root = fixed.rpartition("/")[0] if self.pattern else self.address.rstrip("/")
        try:
            self.store, self.root = fs.FileSystem.from_uri(root + query)
            self.found = sorted(self._list(), key=lambda info: info.path)
        except _FAULTS as error:
            raise ForensicsError(
                f"cannot be listed ({_line(error)})",
                where=self.address,
                fix="Check the address, credentials and region",
            ) from error
        if not self.found:
            raise ForensicsError("no such object or prefix", where=self.address, fix="Check the address")

    @property
    def size(self) -> int:
        """Bytes of all objects."""
        return sum(info.size or 0 for info in self.found)

    def fetch(self, spool: Spool, advance: Callable[[int], None]) -> Iterator[Found]:
        """Yields each object, as a copy in ``spool``, with its address as label."""
        for info in self.found:
            label = f"s3://{info.path}"
            try:
                yield Found(label, spool.keep(self._read(info.path, advance)))
            except _FAULTS as error:
                yield Found(label, spool.folder, f"cannot be read ({_line(error)})", "Check the object's permissions")

    def _list(self) -> list[fs.FileInfo]:
        about = self.store.get_file_info(self.root)
        if about.type == fs.FileType.File:
            return [about]
        below = self.store.get_file_info(fs.FileSelector(self.root, recursive=True, allow_not_found=True))
        files = [info for info in below if info.type == fs.FileType.File]
        return [info for info in files if self.pattern is None or fnmatchcase(info.path, self.pattern)]

    def _read(self, path: str, advance: Callable[[int], None]) -> Iterator[bytes]:
        with self.store.open_input_stream(path, compression=None) as stream:
            while piece := stream.read(PIECE):
                advance(len(piece))
                yield piece


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
