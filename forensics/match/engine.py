"""Text overlap, behind one door: texts in, matches out.

``match`` compares a few responses with any number of texts. What a text may do to a response (be its source, explain it
as the recipient's own, as public, as held by yet another tenant) is the caller's to say; the engine knows no case, no
clock and no database.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from forensics.match.beside import Beside
from forensics.match.ledger import Flags
from forensics.match.processes import weighed
from forensics.match.reading import Reader, Shared, prepare
from forensics.match.sieve import Found
from forensics.match.sifting import sifted
from forensics.match.spans import Match, Places, Settings, Span, Text, cover, place
from forensics.match.weighing import Weighing

__all__ = ["SUSPECTS", "Library", "Match", "Settings", "Shelf", "Span", "Text", "cover", "match"]

SUSPECTS: Final = Settings()
Roles = Callable[[Text], Flags]


class Library(Protocol):
    """The texts: read once in a fixed order, then those that matter again."""

    def __iter__(self) -> Iterator[Text]: ...

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns the texts with these ids, in any order."""
        ...


class Shelf:
    """A library of texts in memory."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts: Mapping[str, Text] = {text.text_id: text for text in texts}

    def __iter__(self) -> Iterator[Text]:
        return iter(self._texts.values())

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns the texts with these ids."""
        return [self._texts[text_id] for text_id in text_ids]


def match(
    responses: Sequence[Text],
    library: Library,
    roles: Roles,
    settings: Settings = SUSPECTS,
    *,
    threads: int = 1,
    beside: Beside | None = None,
    at_hand: Collection[str] = (),
) -> list[Match]:
    """Returns every passage that a response shares with a text whose role towards it includes SOURCE.

    ``roles(text)`` returns one byte of ``ledger`` flags for each response. Ordered by response, source, place. The
    result does not depend on ``threads``. ``beside`` holds texts that are not in the library, which holds those
    ``at_hand``.
    """
    examination = Examination(responses, library, roles, settings, threads)
    if beside is not None:
        examination.look_beside(beside, at_hand)
    return examination.matches()


class Examination:
    """One run of the engine over one set of responses."""

    def __init__(
        self, responses: Sequence[Text], library: Library, roles: Roles, settings: Settings, threads: int
    ) -> None:
        self._ids = [text.text_id for text in responses]
        self._prepared = [prepare(text.text, with_facts=settings.facts) for text in responses]
        self._reader = Reader(
            self._prepared, settings.seed_bytes, most_responses=settings.most_responses, garbled=settings.garbled
        )
        self._library, self._roles, self._settings, self._threads = library, roles, settings, threads
        self._beside: Beside | None = None
        self._shared: dict[str, Shared] = {}
        self._places: dict[str, tuple[Text, Places]] = {}
        self._fetched: set[str] = set()
        self._tenants: dict[str | None, int] = {}
        for text, found in sifted(library, self._reader.sift, threads):
            self._note(text, found)

    def look_beside(self, beside: Beside, at_hand: Collection[str]) -> None:
        """Notes what texts that are not in the library share with the responses."""
        self._beside = beside
        for known in beside.known(self._prepared, self._reader, at_hand):
            if self._note(known.text, known.found):
                text_id = known.text.text_id
                self._shared[text_id] = known.with_short(self._shared[text_id])
                self._places[text_id] = known.text, known.places

    def _note(self, text: Text, found: Found, number: int | None = None) -> bool:
        tenant = self._tenants.setdefault(text.tenant, len(self._tenants))
        shared = self._reader.read(len(self._shared) if number is None else number, found, self._roles(text), tenant)
        if shared:
            self._shared[text.text_id] = shared
        return shared is not None

    def matches(self) -> list[Match]:
        """Weighs, aligns and orders what was found."""
        weighing, shared = self._promising()
        if self._read_whole(sorted(set(shared) & set(self._places))):
            weighing, shared = self._promising()
        found = [*weighed(self._texts(shared), shared, weighing, self._threads), *self._loose(shared, weighing)]
        return sorted(found, key=lambda m: (m.response_id, m.source_id, place(m.span)))

    def _promising(self) -> tuple[Weighing, dict[str, Shared]]:
        """Returns what weighs, and of every text what could matter."""
        self._reader.settle()
        counted = {shared.counted for shared in self._shared.values()}
        weighing = Weighing(self._ids, self._prepared, self._reader, self._settings, counted)
        left = ((source, weighing.promising(shared)) for source, shared in self._shared.items())
        return weighing, {source: promising for source, promising in left if promising is not None}

    def _read_whole(self, text_ids: Sequence[str]) -> bool:
        """Reads those of these texts beside the library that are kept after all, as texts of the library are read."""
        if self._beside is None or not text_ids:
            return False
        for text, found in sifted(self._beside.fetch(text_ids), self._reader.sift, self._threads):
            number = self._shared.pop(text.text_id).number
            del self._places[text.text_id]
            self._fetched.add(text.text_id)
            self._note(text, found, number)
        return bool(self._fetched)

    def _texts(self, shared: Mapping[str, Shared]) -> Iterator[Text]:
        yield from self._library.fetch(sorted(set(shared) - set(self._places) - self._fetched))
        if self._beside is not None and self._fetched:
            yield from self._beside.fetch(sorted(set(shared) & self._fetched))

    def _loose(self, shared: Mapping[str, Shared], weighing: Weighing) -> Iterator[Match]:
        for source in sorted(set(shared) & set(self._places)):
            yield from weighing.loose_matches(*self._places[source], shared[source])
