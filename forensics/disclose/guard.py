"""The guard: nothing is published while a letter holds anything of another tenant's.

It reads bodies, which the renderer may not, and stands between rendering and publishing. It looks at the values that
each letter is filled with, and at the assembled files less the template's fixed words, for runs shared with any other
tenant's text, for other tenants' ids and for their names. Free are declared public text and what the addressee wrote
itself; an affected answer, and whatever the addressee sent or got afterwards, may hold another's words and is not free.
A hit is reported by field and length, never by its text. There is no way around it: the value has to change, or, if it
is public, be declared so in ``public_text`` of ``case.toml``.
"""

import glob
import hashlib
import html
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
_AHEAD: Final = 8  # texts waiting for each thread


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
    look = _Look(con, case, letters, fixed, list(_public(case)))
    hits = sorted([*look.for_ids(), *look.for_names(), *look.for_text()])
    if hits:
        told = "; ".join(f"{each.label}, {each.where}: {each.what} ({each.length} characters)" for each in hits[:20])
        raise ForensicsError(
            f"the guard stopped publication, {len(hits)} hit{'s' if len(hits) > 1 else ''} in letters: {told}",
            where=str(case.root),
            fix="Change the named values ([notice] in case.toml), or declare them in public_text if they are public",
        )


@dataclass
class _Look:
    """The three looks that the guard takes at all letters. ``public`` are the declared public texts."""

    con: duckdb.DuckDBPyConnection
    case: Case
    letters: list[Screened]
    fixed: list[str]
    public: list[str]

    def for_text(self) -> Iterator[Hit]:
        """Yields the zones that share a run with a text of another tenant, in one pass over all texts."""
        zones = [zone for letter in self.letters for zone in _zones(letter, self.fixed)]
        by_window: dict[str, list[_Zone]] = defaultdict(list)
        for zone in zones:
            for _, window in windows(zone.folded):
                by_window[window].append(zone)
        look = Windows({zone.folded for zone in zones})
        own: dict[str, set[str]] = defaultdict(set)  # windows that stand in what the addressee wrote itself
        for tenant, is_own, found in self.looked_through(look):
            for window in found:
                for zone in by_window[window]:
                    if zone.letter.tenant != tenant:
                        zone.shared.add(window)
                    elif is_own:
                        own[tenant].add(window)
        free = {window for text in self.public for window in look.shared(text)}
        named = {letter.label: _own_windows(letter) for letter in self.letters}
        for zone in zones:
            zone.shared -= free
            zone.shared -= own[zone.letter.tenant]
            zone.shared -= named[zone.letter.label]
            if zone.shared:
                yield Hit(zone.letter.label, zone.where, "text of another tenant", zone.length())

    def looked_through(self, look: Windows) -> Iterator[tuple[str | None, bool, set[str]]]:
        """Yields what ``look`` finds in every text, in order; a text that several logs hold is gone through once."""
        known: dict[bytes, Future[set[str]]] = {}
        waiting: deque[tuple[str | None, bool, Future[set[str]]]] = deque()
        threads = self.case.config.resources.threads
        with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="guard") as pool:
            for tenant, is_own, text in self.texts():
                digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
                if digest not in known:
                    known[digest] = pool.submit(look.shared, text)
                waiting.append((tenant, is_own, known[digest]))
                if len(waiting) > _AHEAD * threads:
                    yield _looked(waiting.popleft())
            yield from map(_looked, waiting)

    def for_ids(self) -> Iterator[Hit]:
        """Yields ids that are not the addressee's: in id fields any, elsewhere those of other tenants."""
        owners: dict[str, set[str]] = defaultdict(set)
        for row in rows(self.con, self.case, "guard_id"):
            owners[inert.text(row["id"])].add(row["tenant"])
        ordinary = {token for text in (*self.fixed, *self.public) for token in _tokens(text)}
        for letter in self.letters:
            typed = {str(value) for _, kind, value in letter.values if kind not in ("own_id", "own_name", "notice")}
            free = ordinary | typed | set(_tokens(letter.tenant))
            for path, kind, value in letter.values:
                if kind == "own_id" and value and letter.tenant not in owners.get(inert.text(value), ()):
                    yield Hit(letter.label, path, "an id that is not the addressee's", len(value))
            for where, text in _shown(letter):
                for token in set(_tokens(text)) - free:
                    held = owners.get(token)
                    if held and letter.tenant not in held and len(fold(token)) >= _SHORTEST_ID:
                        yield Hit(letter.label, where, "an id of another tenant", len(token))

    def for_names(self) -> Iterator[Hit]:
        """Yields names of other tenants in declared prose; ids, times and counts have no room for one."""
        vocabulary = {word for text in (*self.fixed, *self.public) for word in _WORD.findall(text.casefold())}
        names = [(tenant, name) for tenant, name in self.names() if not set(_words(name)) <= vocabulary]
        prose = {value for letter in self.letters for _, kind, value in letter.values if kind == "notice"}
        named = {value: [(tenant, name) for tenant, name in names if _names(name, value)] for value in prose}
        ordinary = self.ordinary({name: tenant for found in named.values() for tenant, name in found if name.isalpha()})
        for letter in self.letters:
            for path, kind, value in letter.values:
                for tenant, name in named[value] if kind == "notice" else ():
                    if tenant != letter.tenant and name not in ordinary:
                        yield Hit(letter.label, path, "the name of another tenant", len(name))

    def names(self) -> list[tuple[str, str]]:
        """Returns (tenant, name or alias) of all tenants, in the logs or declared."""
        declared = [(each.name, name) for each in self.case.config.tenant for name in (each.name, *each.aliases)]
        seen = [(row["tenant"], row["tenant"]) for row in rows(self.con, self.case, "tenant")]
        return sorted({(tenant, name) for tenant, name in (*declared, *seen) if name.strip()})

    def ordinary(self, owners: dict[str, str]) -> set[str]:
        """Returns those one-word names that at least two other tenants write in small letters, as one does a word."""
        if not owners:
            return set()
        lower = {name.lower(): name for name in owners}
        pattern = re.compile(rf"(?<!\w)({'|'.join(re.escape(each) for each in sorted(lower))})(?!\w)")
        users: dict[str, set[str]] = defaultdict(set)
        for tenant, _, text in self.texts():
            for word in set(pattern.findall(text)):
                if tenant != owners[lower[word]]:
                    users[lower[word]].add(tenant or "")
        return {name for name, tenants in users.items() if len(tenants) >= 2}

    def texts(self) -> Iterator[tuple[str | None, bool, str]]:
        """Yields (tenant, whether it can only be the tenant's own, text) of every text of the case, a few at a time."""
        result = database.select(self.con, query("reports/guard_text", self.case.site))
        while batch := result.fetchmany(_BATCH):
            yield from batch


def _looked(text: tuple[str | None, bool, Future[set[str]]]) -> tuple[str | None, bool, set[str]]:
    tenant, is_own, found = text
    return tenant, is_own, found.result()


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


def _shown(letter: Screened) -> Iterator[tuple[str, str]]:
    for path, kind, value in letter.values:
        if kind == "notice":
            yield path, value
    for name, text in sorted(letter.files.items()):
        yield name, html.unescape(text)


def _names(name: str, value: str) -> bool:
    """Whether ``value`` holds ``name`` between word boundaries: spelled just so if it is a single word."""
    if name.casefold() not in value.casefold():
        return False
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", value, 0 if name.isalpha() else re.IGNORECASE))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _tokens(text: str) -> Iterable[str]:
    return (token.strip(".:") for token in _TOKEN.findall(text))


def _public(case: Case) -> Iterator[str]:
    for pattern in case.config.public_text:
        for path in sorted(glob.glob(str(case.root / pattern), recursive=True)):  # noqa: PTH207 - patterns may be absolute
            with open(path, encoding="utf-8", errors="replace") as text:  # noqa: PTH123 - as above
                yield text.read()
