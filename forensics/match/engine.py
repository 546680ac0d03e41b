"""Text overlap, behind one door: texts in, matches out.

``match`` compares a few responses with any number of texts. What a text may do to a response (be its source, explain it
as the recipient's own, as public, as held by yet another tenant) is the caller's to say; the engine knows no case, no
clock and no database.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import numpy as np

from forensics.match.chain import Run, chains, groups
from forensics.match.combine import FEWEST, combine
from forensics.match.ledger import Flags
from forensics.match.normalise import fold
from forensics.match.passages import LISTED, Pair, passages, tenants_holding
from forensics.match.reading import Reader, Shared, prepare
from forensics.match.seeds import Ints, Segments
from forensics.match.sifting import sifted
from forensics.match.spans import Match, Span, Text, cover, place
from forensics.match.weigh import ANCHOR, Scale, Weights

__all__ = ["SUSPECTS", "Library", "Match", "Settings", "Shelf", "Span", "Text", "cover", "match"]


@dataclass(frozen=True)
class Settings:
    """How fine to look. ``seed_bytes``: shortest exact run seen; ``gap``: widest gap a passage crosses, in bytes.

    ``facts`` also looks for combinations of names, numbers and dates; ``most_responses`` drops grams that more
    responses hold, to bound cost; ``least_bits_milli`` is the least weight worth reporting.
    """

    seed_bytes: int = 12
    gap: int = 60
    facts: bool = True
    most_responses: int | None = None
    least_bits_milli: int = 4_000
    most_chains: int = 64


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


Roles = Callable[[Text], Flags]
SUSPECTS: Final = Settings()
BAND: Final = 512  # bytes of diagonals whose runs are counted together before they are chained
EXTENSION: Final = 8_000  # milli-bits that aligning may add to what exact runs weigh


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
        self._ids = [text.text_id for text in responses]
        self._responses = [prepare(text.text, with_facts=settings.facts) for text in responses]
        self._settings, self._library = settings, library
        self._reader = Reader(self._responses, settings.seed_bytes, most_responses=settings.most_responses)
        tenants: dict[str | None, int] = {}
        self._sources: list[tuple[str, str | None]] = []
        self._shared: list[Shared] = []
        for text, found in sifted(library, self._reader.sift, threads):
            tenant = tenants.setdefault(text.tenant, len(tenants))
            shared = self._reader.read(len(self._sources), found, roles(text), tenant)
            if shared:
                self._sources.append((text.text_id, text.tenant))
                self._shared.append(shared)
        self._reader.settle()
        self._offset = np.concatenate([[0], np.cumsum([len(r.folded) + 1 for r in self._responses])]).astype(np.int64)
        scales = [Scale(r.folded, r.words, settings.seed_bytes, self._reader.tenants) for r in self._responses]
        needed = sorted({shared.counted for shared in self._shared})
        self._weights = {counted: self._weigh(scales, source_counted=counted) for counted in needed}
        self._total = {counted: self._cumulate(weights) for counted, weights in self._weights.items()}

    def matches(self) -> list[Match]:
        """Weighs, aligns and orders what was found."""
        found: list[Match] = []
        holders = partial(tenants_holding, self._reader)
        wanted = self._promising()
        numbers = {self._sources[number][0]: number for number in wanted}
        for text in self._library.fetch(sorted(numbers)):
            shared = self._shared[numbers[text.text_id]]
            folded = fold(text.text)
            for response, chosen in sorted(wanted[shared.number].items()):
                mine = self._responses[response]
                pair = Pair(response, mine, self._weights[shared.counted][response], shared, text.text, folded)
                spans, told = passages(pair, chosen, holders, self._settings.gap, self._settings.least_bits_milli)
                spans += combine(self._reader, pair, told)
                found += [Match(self._ids[response], text.text_id, text.tenant, span) for span in spans]
        return sorted(found, key=lambda m: (m.response_id, m.source_id, place(m.span)))

    def _weigh(self, scales: Sequence[Scale], *, source_counted: bool) -> list[Weights]:
        reader = self._reader
        grams, words = (reader.gram_ledger, reader.grams.at), (reader.word_ledger, reader.words.at)
        return [scale.weigh(n, grams, words, source_counted=source_counted) for n, scale in enumerate(scales)]

    def _cumulate(self, weights: Sequence[Weights]) -> tuple[Ints, Ints]:
        """Returns cumulated raw and net weights of all responses, one after another, for summing runs at once."""
        raw = [np.concatenate([[0], np.cumsum(w.raw)]) for w in weights]
        net = [np.concatenate([[0], np.cumsum(w.net)]) for w in weights]
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *raw]), np.concatenate([none, *net])

    def _promising(self) -> dict[int, dict[int, list[list[Run]]]]:
        """Returns, by source and response, the chains worth aligning (none where only facts are shared)."""
        wanted: dict[int, dict[int, list[list[Run]]]] = {}
        for number, shared in enumerate(self._shared):
            for response, runs in groups(self._worthwhile(shared)):
                chosen = self._chosen(response, shared, runs)
                if chosen:
                    wanted.setdefault(number, {})[response] = chosen
            responses, count = np.unique(self._reader.facts.response[np.unique(shared.fact_rows)], return_counts=True)
            for response in responses[count >= FEWEST].tolist():
                wanted.setdefault(number, {}).setdefault(response, [])
        return wanted

    def _worthwhile(self, shared: Shared) -> Segments:
        """Returns the runs that, with those on nearby diagonals, could make a passage worth reporting or listing."""
        runs = shared.runs
        if not len(runs):
            return runs
        raw, net = self._total[shared.counted]
        first = self._offset[runs.response] + runs.at
        last = first + runs.length
        gain, listing = net[last] - net[first], raw[last] - raw[first]
        sizes = self._offset[runs.response + 1] - self._offset[runs.response]
        location = np.round(1000 * (np.log2(np.maximum(sizes, 2)) + math.log2(max(shared.size, 2)))).astype(np.int64)
        diagonal = runs.source_at - runs.at + int(self._offset[-1])
        near = np.zeros(len(runs), dtype=np.int64)
        for shift in (0, BAND // 2):
            _, band = np.unique(runs.response << 40 | (diagonal + shift) // BAND, return_inverse=True)
            near = np.maximum(near, np.bincount(band, weights=gain).astype(np.int64)[band])
        counts = (near > 0) & (near + ANCHOR + EXTENSION - location >= self._settings.least_bits_milli)
        return runs.pick(counts | (listing + ANCHOR - location >= LISTED))

    def _chosen(self, response: int, shared: Shared, runs: Segments) -> list[list[Run]]:
        weights = self._weights[shared.counted][response]
        net = weights.net_total
        location = round(1000 * (math.log2(max(len(weights.raw), 2)) + math.log2(max(shared.size, 2))))
        least = self._settings.least_bits_milli + location - ANCHOR - EXTENSION
        chosen = []
        for chain in chains(runs, weights.raw_sums, self._settings.gap)[: self._settings.most_chains]:
            told = sum(net[a + n] - net[a] for a, _, n in chain.runs)
            if (told > 0 and told >= least) or chain.score + ANCHOR - location >= LISTED:
                chosen.append(list(chain.runs))
        return chosen
