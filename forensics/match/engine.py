"""Text overlap, behind one door: texts in, matches out.

``match`` compares a few responses with any number of texts. What a text may do to a response (be its source, explain it
as the recipient's own, as public, as held by yet another tenant) is the caller's to say; the engine knows no case, no
clock and no database.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from forensics.match.align import align, stretch_score
from forensics.match.chain import Run, chains, groups
from forensics.match.combine import combine
from forensics.match.ledger import Flags
from forensics.match.normalise import Folded, fold
from forensics.match.reading import Reader, Response, Shared, prepare
from forensics.match.seeds import Segments
from forensics.match.spans import Match, Span, Text, apart, cover, place
from forensics.match.weigh import ANCHOR, FULL_RUN, Scale, Weights

__all__ = ["SUSPECTS", "Library", "Match", "Settings", "Shelf", "Span", "Text", "cover", "match"]


@dataclass(frozen=True)
class Settings:
    """How fine to look. ``seed_bytes``: shortest exact run seen; ``gap``: widest gap a passage crosses, in bytes.

    ``most_responses`` drops grams that more responses hold, to bound cost; ``least_bits_milli`` is the least weight
    worth reporting.
    """

    seed_bytes: int = 12
    gap: int = 60
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
LISTED: Final = 12_000  # milli-bits from which a passage is listed even where it is explained away


def match(responses: Sequence[Text], library: Library, roles: Roles, settings: Settings = SUSPECTS) -> list[Match]:
    """Returns every passage that a response shares with a text whose role towards it includes SOURCE.

    ``roles(text)`` returns one byte of ``ledger`` flags for each response. Ordered by response, source, place.
    """
    return Examination(responses, library, roles, settings).matches()


class Examination:
    """One run of the engine over one set of responses."""

    def __init__(self, responses: Sequence[Text], library: Library, roles: Roles, settings: Settings) -> None:
        self._ids = [text.text_id for text in responses]
        self._responses = [prepare(text.text) for text in responses]
        self._settings, self._library = settings, library
        self._reader = Reader(self._responses, settings.seed_bytes, most_responses=settings.most_responses)
        self._tenants: dict[str | None, int] = {}
        self._sources: list[tuple[str, str | None]] = []
        self._shared: list[Shared] = []
        for text in library:
            tenant = self._tenants.setdefault(text.tenant, len(self._tenants))
            shared = self._reader.read(len(self._sources), text.text, roles(text), tenant)
            if shared:
                self._sources.append((text.text_id, text.tenant))
                self._shared.append(shared)
        self._reader.settle()
        self._scales = [Scale(r.folded, r.words, settings.seed_bytes, self._reader.tenants) for r in self._responses]
        self._weights: dict[tuple[int, int], Weights] = {}
        self._cumulated: dict[tuple[int, int], list[int]] = {}

    def matches(self) -> list[Match]:
        """Weighs, aligns and orders what was found."""
        found: list[Match] = []
        wanted = self._promising()
        numbers = {self._sources[n][0]: n for n in wanted}
        for text in self._library.fetch(sorted(numbers)):
            number = numbers[text.text_id]
            folded = fold(text.text)
            for response, chosen in sorted(wanted[number].items()):
                spans, told = self._spans(response, number, text.text, folded, chosen)
                spans += combine(self._reader, response, self._responses[response], self._shared[number], folded, told)
                found += [Match(self._ids[response], text.text_id, text.tenant, span) for span in spans]
        return sorted(found, key=lambda m: (m.response_id, m.source_id, place(m.span)))

    def _promising(self) -> dict[int, dict[int, list[list[Run]]]]:
        """Returns, by source and response, the chains worth aligning (none where only facts are shared)."""
        wanted: dict[int, dict[int, list[list[Run]]]] = {}
        for number, shared in enumerate(self._shared):
            for response, runs in groups(shared.runs):
                chosen = self._chosen(response, shared, runs)
                if chosen:
                    wanted.setdefault(number, {})[response] = chosen
            for response in np.unique(self._reader.facts.response[shared.fact_rows]).tolist():
                wanted.setdefault(number, {}).setdefault(response, [])
        return wanted

    def _chosen(self, response: int, shared: Shared, runs: Segments) -> list[list[Run]]:
        weights = self._weigh(response, shared.tenant)
        total = np.concatenate([[0], np.cumsum(weights.raw)])
        net = np.concatenate([[0], np.cumsum(weights.net)])
        floor = self._settings.least_bits_milli
        chosen = []
        for chain in chains(runs, total, self._settings.gap)[: self._settings.most_chains]:
            least = min(floor, 4_000) if sum(int(net[a + n] - net[a]) for a, _, n in chain.runs) else 40_000
            if chain.score >= least:
                chosen.append(list(chain.runs))
        return chosen

    def _weigh(self, response: int, tenant: int) -> Weights:
        key = (response, tenant)
        if key not in self._weights:
            reader = self._reader
            weights = self._scales[response].weigh(
                response, tenant, (reader.gram_ledger, reader.grams.at), (reader.word_ledger, reader.words.at)
            )
            self._weights[key] = weights
        return self._weights[key]

    def _spans(
        self, response: int, number: int, text: str, folded: Folded, chosen: list[list[Run]]
    ) -> tuple[list[Span], list[Run]]:
        """Returns the aligned spans of one response and one text, and the exact runs they are made of."""
        if not chosen:
            return [], []
        mine = self._responses[response]
        weights = self._weigh(response, self._shared[number].tenant)
        raw = np.concatenate([[0], np.cumsum(weights.raw)]).tolist()
        net = np.concatenate([[0], np.cumsum(weights.net)]).tolist()
        ours, theirs = mine.folded.data.tobytes(), folded.data.tobytes()
        location = round(1000 * (math.log2(max(len(ours), 2)) + math.log2(max(len(theirs), 2))))
        passages = []
        for chain in chosen:
            runs = align(ours, theirs, chain, raw, self._settings.gap)
            passages.append((stretch_score(runs, net), stretch_score(runs, raw), runs))
        passages.sort(key=lambda p: (-p[0], -p[1], p[2]))
        edges = [_edges(mine, text, folded, runs) for _, _, runs in passages]
        spans: list[Span] = []
        told: list[Run] = []
        # The first passage is credited with being rare at all; a further one must pay for its own place.
        credit = ANCHOR
        for i in apart([(begin, end) for begin, end, _, _ in edges]):
            score, worth, runs = passages[i]
            longest = max(raw[at + length] - raw[at] for at, _, length in runs)
            bits = max(0, score + credit * min(longest, FULL_RUN) // FULL_RUN - location) if score else 0
            explained = _explained(runs, weights)
            if bits < self._settings.least_bits_milli and not (explained and worth + ANCHOR - location >= LISTED):
                continue
            if bits:
                credit = 0
                told += runs
            begin, end, source_begin, source_end = edges[i]
            width = runs[-1][0] + runs[-1][2] - runs[0][0] + runs[-1][1] + runs[-1][2] - runs[0][1]
            similarity = 2000 * sum(n for _, _, n in runs) // width
            holders = self._holders(response, self._shared[number].tenant, runs)
            spans.append(Span(begin, end, source_begin, source_end, bits, similarity, "aligned", holders, explained))
        return spans, told

    def _holders(self, response: int, tenant: int, runs: Sequence[Run]) -> int:
        reader = self._reader
        rows = reader.gram_ledger.rows(response)
        at = reader.grams.at[rows]
        inside = np.zeros(len(rows), dtype=np.bool_)
        for first, _, length in runs:
            inside |= (at >= first) & (at + reader.seed_bytes <= first + length)
        rows = rows[inside]
        _, holders = reader.gram_ledger.tenants(rows)
        holders = holders[holders != tenant]
        return 1 + int((np.bincount(holders, minlength=1) * 2 >= max(len(rows), 1)).sum()) if len(rows) else 1


def _explained(runs: Sequence[Run], weights: Weights) -> str | None:
    """Returns what explains at least 60 % of a passage's weight, if anything does."""
    total = own = public = common = lost = 0
    for at, _, length in runs:
        raw = weights.raw[at : at + length]
        total += int(raw.sum())
        own += int(raw[weights.own[at : at + length]].sum())
        public += int(raw[weights.public[at : at + length]].sum())
        common += int(raw[weights.common[at : at + length]].sum())
        lost += int(raw.sum() - weights.net[at : at + length].sum())
    if lost * 10 < total * 6:
        return None
    share = max((own, "own_context"), (public, "public"), (common, "common"), key=lambda pair: pair[0])
    return share[1] if share[0] * 10 >= total * 3 else "common"


def _edges(mine: Response, text: str, folded: Folded, runs: Sequence[Run]) -> tuple[int, int, int, int]:
    """Returns a passage's code points in both originals, with the signs that follow alike in both."""
    first, last = runs[0], runs[-1]
    begin, source_begin = int(mine.folded.start[first[0]]), int(folded.start[first[1]])
    end = int(mine.folded.end[last[0] + last[2] - 1])
    source_end = int(folded.end[last[1] + last[2] - 1])
    while end < len(mine.text) and source_end < len(text) and mine.text[end] == text[source_end]:
        if mine.text[end].isalnum() or mine.text[end].isspace():
            break
        end, source_end = end + 1, source_end + 1
    return begin, end, source_begin, source_end
