"""The formats there are: one SQL file each, ours in ``queries/formats/`` and a site's own in ``CASE/queries/formats/``.

The head of the file says how its records are framed and how its lines are recognised.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from forensics import __version__, resources
from forensics.errors import ForensicsError
from forensics.ingest.framing import FRAMERS, Framer
from forensics.ingest.framing.sglang import ENGINE
from forensics.ingest.keys import Fields

NAMED_BY_PATH = frozenset({"body", "document", "headers", "sse"})
"""Framings whose records are told apart by their file's name, since the content has no id: equal contents at two paths
are two records, as when one client sent the same request twice."""


@dataclass(frozen=True)
class Format:
    """One format: its name, its query, and what the query's header says."""

    name: str
    query: resources.Query

    @property
    def framing(self) -> str:
        """The name of the framer, or "" where the content decides (a site's CSV, Parquet or JSON lines)."""
        return self.query.header.get("framing", "")

    @property
    def evidence(self) -> str:
        """What its lines look like, in words."""
        return self.query.header.get("evidence", "lines that its own pattern matches")

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Matches a line of this format; None for a format that is told in another way, or must be named."""
        return self._pattern("detect")

    @cached_property
    def path_pattern(self) -> re.Pattern[str] | None:
        """Matches the path of a file of this format, where that tells what the content cannot."""
        return self._pattern("path")

    @cached_property
    def fields(self) -> Fields | None:
        """What the outermost names of its records must be, or None."""
        line = self.query.header.get("keys")
        return Fields(line) if line else None

    def _pattern(self, key: str) -> re.Pattern[str] | None:
        written = self.query.header.get(key)
        try:
            return re.compile(written, re.MULTILINE) if written else None
        except re.error as error:
            raise ForensicsError(
                f"its -- {key}: line is no regular expression ({error})",
                where=str(self.query.path),
                fix="Correct it",
            ) from error

    @property
    def is_json(self) -> bool:
        """Whether its raw records are JSON objects."""
        return self.framing not in ("dynamo", "text") and self.name != ENGINE

    @property
    def named_by_path(self) -> bool:
        """Whether its records are told apart by their file's name."""
        return self.framing in NAMED_BY_PATH

    def framer(self, framing: str) -> Framer:
        """Returns the function that frames this format's files. Raises if the header names none that exists."""
        if framing not in FRAMERS:
            raise ForensicsError(
                f"unknown framing {framing!r}",
                where=str(self.query.path),
                fix=f"Write -- framing: with one of {', '.join(sorted(FRAMERS))}",
            )
        return FRAMERS[framing]


class Formats:
    """All formats that a case knows, by name."""

    def __init__(self, site: Path | None) -> None:
        self.site = site
        found = [Format(query.name.rpartition("/")[2], query) for query in resources.queries("formats", site)]
        self.by_name = {form.name: form for form in found}

    def get(self, wanted: str) -> Format:
        """Returns a format by its name, or by the path of a SQL file. Raises if there is none."""
        if wanted.endswith(".sql"):
            return self.add(Path(wanted))
        if wanted not in self.by_name:
            raise ForensicsError(
                f"there is no format {wanted!r}",
                fix=f"Name one of {', '.join(sorted(self.by_name))}, or the path of a .sql file of your own",
            )
        return self.by_name[wanted]

    def add(self, path: Path) -> Format:
        """Reads a projection of the user's own. Raises if it cannot be read or has the name of one of ours."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ForensicsError(
                f"cannot read the format's query ({error})", where=str(path), fix="Check it"
            ) from error
        known = self.by_name.get(path.stem)
        if known is not None and known.query.path.resolve() != path.resolve():
            raise ForensicsError(
                f"a format named {path.stem!r} exists already", where=str(path), fix="Give the file another name"
            )
        query = resources.Query(f"formats/{path.stem}", text, resources.parse_header(text), path)
        self.by_name[path.stem] = Format(path.stem, query)
        return self.by_name[path.stem]

    @cached_property
    def recipe(self) -> str:
        """SHA-256 of all that decides what our queries make of a file, besides the file and its declarations."""
        digest = hashlib.sha256(__version__.encode())
        for path in sorted(resources.folder("queries").joinpath("formats").rglob("*.sql")):
            digest.update(path.read_bytes())
        return digest.hexdigest()
