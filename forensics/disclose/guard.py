"""The guard: nothing is published while a letter holds anything of another tenant's.

It reads bodies, which the renderer may not, and stands between rendering and publishing. It looks at the values that each
letter is filled with, and at the assembled files less the template's fixed words, for runs shared with any other tenant's
text, for other tenants' ids and for their names. What the addressee wrote itself and declared public text are its own.
A hit is reported by field and length, never by its text. There is no way around it: the value has to change, or, if it is
public, be declared so in ``public_text`` of ``case.toml``.
"""

import glob
import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from forensics.case import database, texts
from forensics.case.folder import Case
from forensics.disclose import inert
from forensics.disclose.runs import Windows, fold, windows
from forensics.disclose.tables import rows
from forensics.errors import ForensicsError
from forensics.resources import query

_TOKEN: Final = re.compile(r"[^\s\"'<>,;(){}\[\]|]+")
_WORD: Final = re.compile(r"\w+")
_SHORTEST_ID: Final = 8
_SHORTEST_FIXED: Final = 8
_BATCH: Final = 64


@dataclass(frozen=True)
class Screened:
    """One letter as the guard sees it: whose it is, its values as (path, kind, value), its files by name."""

    tenant: str
    label: str
    values: list[tuple[str, str, Any]]
    files: dict[str, str]


@dataclass(frozen=True, order=True)
class Hit:
    """Where a letter holds something of another's: what it is, and how long, but not which."""

    label: str
    where: str
    what: str
    length: int


@dataclass
class _Zone:
    """A folded stretch of one letter that must share nothing: one value, or what a file holds beside fixed words."""

    letter: Screened
    where: str
    folded: str
    shared: set[str] = field(default_factory=set)

    def length(self) -> int:
        """How many of its letters and digits lie in shared runs."""
        covered = bytearray(len(self.folded))
        for start, window in windows(self.folded):
            if window in self.shared:
                covered[start : start + len(window)] = b"\1" * len(window)
        return sum(covered)


def guard(con: duckdb.DuckDBPyConnection, case: Case, letters: list[Screened], fixed: list[str]) -> None:
    """Returns if every letter is clean; else raises, naming letter, field, kind and length of each hit.

    ``fixed`` are the words of the templates. ``con`` must have been given to ``tables.prepare``.
    """
    texts.attach(con, case)
    public = list(_public(case))
    hits = [
        *_foreign_ids(con, case, letters, fixed, public),
        *_foreign_names(con, case, letters, fixed, public),
        *_foreign_text(con, case, letters, fixed, public),
    ]
    if hits:
        told = "; ".join(f"{each.label}, {each.where}: {each.what} ({each.length} characters)" for each in sorted(hits)[:20])
        raise ForensicsError(
            f"the guard stopped publication, {len(hits)} hit{'s' if len(hits) > 1 else ''} in letters: {told}",
            where=str(case.root),
            fix="Change the named values (see [notice] in case.toml), or declare them in public_text if they are public",
        )


def _foreign_text(
    con: duckdb.DuckDBPyConnection, case: Case, letters: list[Screened], fixed: list[str], public: list[str]
) -> Iterator[Hit]:
    zones = [zone for letter in letters for zone in _zones(letter, fixed)]
    by_window: dict[str, list[_Zone]] = defaultdict(list)
    for zone in zones:
        for _, window in windows(zone.folded):
            by_window[window].append(zone)
    look = Windows({zone.folded for zone in zones})
    own: dict[str, set[str]] = defaultdict(set)  # windows that an addressee's texts hold too
    for tenant, text in _texts(con, case):
        for window in look.shared(text):
            for zone in by_window[window]:
                if zone.letter.tenant == tenant:
                    own[tenant].add(window)
                else:
                    zone.shared.add(window)
    free = {window for text in public for window in look.shared(text)}
    for zone in zones:
        zone.shared -= free | own[zone.letter.tenant] | _own_windows(zone.letter)
        if zone.shared:
            yield Hit(zone.letter.label, zone.where, "text of another tenant", zone.length())


def _zones(letter: Screened, fixed: list[str]) -> Iterator[_Zone]:
    for path, _, value in letter.values:
        if isinstance(value, str) and (folded := fold(value)):
            yield _Zone(letter, path, folded)
    known = sorted({folded for each in fixed if len(folded := fold(html.unescape(each))) >= _SHORTEST_FIXED})
    for name, text in sorted(letter.files.items()):
        for rest in _beside(fold(html.unescape(text)), known):
            yield _Zone(letter, name, rest)


def _beside(folded: str, known: list[str]) -> Iterator[str]:
    """Yields the stretches of a folded file that no fixed words cover."""
    covered = bytearray(len(folded))
    for each in known:
        at = folded.find(each)
        while at >= 0:
            covered[at : at + len(each)] = b"\1" * len(each)
            at = folded.find(each, at + 1)
    for stretch in re.finditer(rb"\0+", bytes(covered)):
        yield folded[stretch.start() : stretch.end()]


def _own_windows(letter: Screened) -> set[str]:
    own = [value for _, kind, value in letter.values if kind in ("own_id", "own_name")]
    return {window for value in own for _, window in windows(fold(value))}


def _foreign_ids(
    con: duckdb.DuckDBPyConnection, case: Case, letters: list[Screened], fixed: list[str], public: list[str]
) -> Iterator[Hit]:
    owners: dict[str, set[str]] = defaultdict(set)
    for row in rows(con, case, "guard_id"):
        owners[inert.text(row["id"])].add(row["tenant"])
    ordinary = {token for text in (*fixed, *public) for token in _tokens(text)}
    for letter in letters:
        typed = {str(value) for _, kind, value in letter.values if kind not in ("own_id", "own_name", "notice")}
        own_name = set(_tokens(letter.tenant))
        for path, kind, value in letter.values:
            if kind == "own_id" and value and letter.tenant not in owners.get(inert.text(value), ()):
                yield Hit(letter.label, path, "an id that is not the addressee's", len(value))
        for where, text in _shown(letter):
            for token in set(_tokens(text)) - ordinary - typed - own_name:
                held = owners.get(token)
                if held and letter.tenant not in held and len(fold(token)) >= _SHORTEST_ID:
                    yield Hit(letter.label, where, "an id of another tenant", len(token))


def _shown(letter: Screened) -> Iterator[tuple[str, str]]:
    for path, kind, value in letter.values:
        if kind == "notice":
            yield path, value
    for name, text in sorted(letter.files.items()):
        yield name, html.unescape(text)


def _foreign_names(
    con: duckdb.DuckDBPyConnection, case: Case, letters: list[Screened], fixed: list[str], public: list[str]
) -> Iterator[Hit]:
    """Names are looked for in declared prose only; ids, times and counts have no room for one."""
    vocabulary = {word for text in (*fixed, *public) for word in _WORD.findall(text.casefold())}
    aliases = {each.name: each.aliases for each in case.config.tenant}
    names = {row["tenant"]: (row["tenant"], *aliases.get(row["tenant"], ())) for row in rows(con, case, "tenant")}
    for declared, others in aliases.items():
        names.setdefault(declared, (declared, *others))
    suspects = []
    for letter in letters:
        for path, kind, value in letter.values:
            if kind != "notice" or not value:
                continue
            for tenant, called in names.items():
                for name in called if tenant != letter.tenant else ():
                    if _names(name, value) and not set(_WORD.findall(name.casefold())) <= vocabulary:
                        suspects.append((Hit(letter.label, path, "the name of another tenant", len(name)), tenant, name))
    ordinary = _ordinary(con, case, {name: tenant for _, tenant, name in suspects if name.isalpha()})
    yield from (hit for hit, _, name in suspects if name not in ordinary)


def _names(name: str, value: str) -> bool:
    """Whether ``value`` holds ``name`` between word boundaries: spelled just so if it is a single word."""
    flags = 0 if name.isalpha() else re.IGNORECASE
    return bool(name.strip()) and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", value, flags))


def _ordinary(con: duckdb.DuckDBPyConnection, case: Case, owners: dict[str, str]) -> set[str]:
    """Returns those of the one-word names that at least two other tenants write in small letters, as one does a word."""
    if not owners:
        return set()
    users: dict[str, set[str]] = defaultdict(set)
    lower = {name.lower(): name for name in owners}
    pattern = re.compile(rf"(?<!\w)({'|'.join(re.escape(each) for each in sorted(lower))})(?!\w)")
    for tenant, text in _texts(con, case):
        for word in set(pattern.findall(text)):
            if tenant != owners[lower[word]]:
                users[lower[word]].add(tenant or "")
    return {name for name, tenants in users.items() if len(tenants) >= 2}


def _tokens(text: str) -> Iterable[str]:
    return (token.strip(".:") for token in _TOKEN.findall(text))


def _texts(con: duckdb.DuckDBPyConnection, case: Case) -> Iterator[tuple[str | None, str]]:
    result = database.select(con, query("reports/guard_text", case.site))
    while batch := result.fetchmany(_BATCH):
        yield from batch


def _public(case: Case) -> Iterator[str]:
    for pattern in case.config.public_text:
        for path in sorted(glob.glob(str(case.root / pattern), recursive=True)):  # noqa: PTH207 - patterns may be absolute
            with open(path, encoding="utf-8", errors="replace") as text:  # noqa: PTH123 - as above
                yield text.read()
