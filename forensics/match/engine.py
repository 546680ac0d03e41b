"""Text overlap, behind one door: texts in, matches out.

``match`` compares a few responses with any number of texts. What a text may do to a response (be its source, explain it
as the recipient's own, as public, as held by yet another tenant) is the caller's to say; the engine knows no case, no
clock and no database.
"""

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
from forensics.match.weigh import ANCHOR, Scale, Weights


@dataclass(frozen=True)
class Text:
    """One part of a prompt or response: an id of the caller's, whose it is, and its characters."""

    text_id: str
    tenant: str | None
    text: str


@dataclass(frozen=True)
class Span:
    """A passage in two texts: code points of the originals, end exclusive; ``bits_milli`` in 1/1000 bit.

    ``kind`` is ``aligned`` or ``facts``; ``holders`` counts the tenants, the source among them and the recipient not,
    that hold at least half of it; ``explained_by`` is None, ``own_context``, ``public`` or ``common``.
    """

    response_start: int
    response_end: int
    source_start: int
    source_end: int
    bits_milli: int
    similarity_milli: int
    kind: str
    holders: int
    explained_by: str | None = None


@dataclass(frozen=True)
class Match:
    """A span with its two texts."""

    response_id: str
    source_id: str
    source_tenant: str | None
    span: Span


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
        self._scales = [Scale(r.folded, r.words, settings.seed_bytes, len(self._tenants)) for r in self._responses]
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
            for response, runs in sorted(wanted[number].items()):
                spans = self._spans(response, number, text.text, folded, runs)
                spans += combine(self._reader, self._responses[response], response, self._shared[number], folded, spans, len(self._tenants))
                found += [Match(self._ids[response], text.text_id, text.tenant, span) for span in spans]
        return sorted(found, key=lambda m: (m.response_id, m.source_id, m.span.response_start, m.span.source_start, m.span.kind))

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
    ) -> list[Span]:
        if not chosen:
            return []
        mine = self._responses[response]
        weights = self._weigh(response, self._shared[number].tenant)
        raw = np.concatenate([[0], np.cumsum(weights.raw)]).tolist()
        net = np.concatenate([[0], np.cumsum(weights.net)]).tolist()
        ours, theirs = mine.folded.data.tobytes(), folded.data.tobytes()
        location = round(1000 * (np.log2(max(len(ours), 2)) + np.log2(max(len(theirs), 2))))
        spans: list[tuple[int, Span]] = []
        for chain in chosen:
            runs = align(ours, theirs, chain, raw, self._settings.gap)
            bits = max(0, ANCHOR - location + stretch_score(runs, net)) if stretch_score(runs, net) else 0
            worth = ANCHOR - location + stretch_score(runs, raw)
            explained = _explained(runs, weights)
            if bits < self._settings.least_bits_milli and not (explained and worth >= 12_000):
                continue
            first, last = runs[0], runs[-1]
            width = last[0] + last[2] - first[0] + last[1] + last[2] - first[1]
            span = Span(
                *_edges(mine, text, folded, first, last),
                bits_milli=bits,
                similarity_milli=2000 * sum(n for _, _, n in runs) // width,
                kind="aligned",
                holders=self._holders(response, self._shared[number].tenant, runs),
                explained_by=explained,
            )
            spans.append((worth, span))
        spans.sort(key=lambda s: (-s[1].bits_milli, -s[0], s[1].response_start, s[1].source_start))
        best = [span for _, span in spans]
        return [best[i] for i in _apart(best)]

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


def _edges(mine: Response, text: str, folded: Folded, first: Run, last: Run) -> tuple[int, int, int, int]:
    """Returns code point offsets of a passage, taking along what follows alike in both originals but letters."""
    begin, source_begin = int(mine.folded.start[first[0]]), int(folded.start[first[1]])
    end = int(mine.folded.end[last[0] + last[2] - 1])
    source_end = int(folded.end[last[1] + last[2] - 1])
    while end < len(mine.text) and source_end < len(text) and mine.text[end] == text[source_end]:
        if mine.text[end].isalnum() or mine.text[end].isspace():
            break
        end, source_end = end + 1, source_end + 1
    return begin, end, source_begin, source_end


def _apart(spans: Sequence[Span]) -> list[int]:
    """Returns the indices of the spans no more than half of which an earlier one of them covers in the response."""
    kept: list[int] = []
    for i, span in enumerate(spans):
        begin, end = span.response_start, span.response_end
        taken = sum(
            max(0, min(end, spans[k].response_end) - max(begin, spans[k].response_start)) for k in kept
        )
        if taken * 2 <= end - begin:
            kept.append(i)
    return kept


def cover(matches: Iterable[Match]) -> list[Match]:
    """Returns the matches of one response and one owner's texts that count: no place of the response twice."""
    ordered = sorted(matches, key=lambda m: (-m.span.bits_milli, m.span.response_start, m.source_id, m.span.source_start))
    return [ordered[i] for i in _apart([m.span for m in ordered])]
