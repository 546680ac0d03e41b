"""Finds queries and templates: in the wheel, in a checkout, then in a site's own folder.

A site's folder comes last and may add files, never replace ours: a changed rule must have a new name.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forensics.errors import ForensicsError

_PACKAGE = Path(__file__).resolve().parent
_HEADER = re.compile(r"^-- (?P<key>[a-z][a-z ]*): *(?P<value>.*)$")


@dataclass(frozen=True)
class Query:
    """One SQL file: its name (``link/exchange``), its statement, and the fields of its header comment."""

    name: str
    sql: str
    header: dict[str, str]
    path: Path


def folder(kind: str) -> Path:
    """Returns the folder of ``queries`` or ``reports``, wherever this installation keeps it."""
    for root in (_PACKAGE, _PACKAGE.parent):
        if (root / kind).is_dir():
            return root / kind
    raise ForensicsError(f"the installation has no {kind}/ folder", fix="Reinstall the package")


def parse_header(text: str) -> dict[str, str]:
    """Returns the ``-- key: value`` fields at the head of a SQL file; ``--   text`` lines continue a value."""
    fields: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        if found := _HEADER.match(line):
            key = found["key"]
            fields[key] = found["value"].strip()
        elif key:
            fields[key] = f"{fields[key]} {line.lstrip('- ').strip()}".strip()
    return fields


@cache
def query(name: str, site: Path | None = None) -> Query:
    """Returns the query called ``name``, as in ``mechanisms/over_pool``. Raises if no folder holds it."""
    for root in _roots(site):
        path = root / f"{name}.sql"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            return Query(name, text, parse_header(text), path)
    raise ForensicsError(f"there is no query named {name!r}", fix="`forensics sql CASE --list` names them all")


def queries(kind: str, site: Path | None = None) -> list[Query]:
    """Returns every query of one folder (``formats``, ``mechanisms``, …), ours first, each by name."""
    names = [f"{kind}/{path.stem}" for root in _roots(site) for path in sorted((root / kind).glob("*.sql"))]
    return [query(name, site) for name in dict.fromkeys(names)]


def _roots(site: Path | None) -> list[Path]:
    return [folder("queries"), *([site] if site else [])]
