"""Text overlap, behind one door: texts in, matches out.

``match`` compares a few responses with any number of texts. What a text may do to a response (be its source, explain it
as the recipient's own, as public, as held by yet another tenant) is the caller's to say; the engine knows no case, no
clock and no database.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from forensics.match.ledger import Flags
from forensics.match.processes import weighed
from forensics.match.reading import Reader, Shared, prepare
from forensics.match.sifting import sifted
from forensics.match.spans import Match, Settings, Span, Text, cover, place
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
    responses: Sequence[Text], library: Library, roles: Roles, settings: Settings = SUSPECTS, *, threads: int = 1
) -> list[Match]:
    """Returns every passage that a response shares with a text whose role towards it includes SOURCE.

    ``roles(text)`` returns one byte of ``ledger`` flags for each response. Ordered by response, source, place. The
    result does not depend on ``threads``.
    """
    return Examination(responses, library, roles, settings, threads).matches()


class Examination:
    """One run of the engine over one set of responses."""

    def __init__(
        self, responses: Sequence[Text], library: Library, roles: Roles, settings: Settings, threads: int
    ) -> None:
        prepared = [prepare(text.text, with_facts=settings.facts) for text in responses]
        reader = Reader(prepared, settings.seed_bytes, most_responses=settings.most_responses)
        self._library, self._threads = library, threads
        self._shared: dict[str, Shared] = {}
        tenants: dict[str | None, int] = {}
        for text, found in sifted(library, reader.sift, threads):
            tenant = tenants.setdefault(text.tenant, len(tenants))
            shared = reader.read(len(self._shared), found, roles(text), tenant)
            if shared:
                self._shared[text.text_id] = shared
        reader.settle()
        counted = {shared.counted for shared in self._shared.values()}
        self._weighing = Weighing([text.text_id for text in responses], prepared, reader, settings, counted)

    def matches(self) -> list[Match]:
        """Weighs, aligns and orders what was found."""
        shared = {source: shared for source, shared in self._shared.items() if self._weighing.promises(shared)}
        found = weighed(self._library.fetch(sorted(shared)), shared, self._weighing, self._threads)
        return sorted(found, key=lambda m: (m.response_id, m.source_id, place(m.span)))
