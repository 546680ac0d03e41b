"""From nominated passages to spans: weighed, aligned by the suspects' engine, with exact ends in both originals."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from forensics.match.chain import Run, chains
from forensics.match.kernel import IDEOGRAPH, Hashes, Ints
from forensics.match.normalise import DIGIT, Folded, fold
from forensics.match.passages import Pair, passages
from forensics.match.reading import Response, Shared
from forensics.match.repeats import repeated
from forensics.match.seeds import GramIndex, Segments, seed_grams, segments
from forensics.match.spans import Span, apart
from forensics.match.sweep import alike, pricing, table
from forensics.match.sweep.corpus import Corpus, fetch
from forensics.match.sweep.edges import to_the_ends
from forensics.match.sweep.index import Index
from forensics.match.sweep.scan import FACTS, FIRST, LAST, RESPONSE, SCORE, SOURCE_FIRST, SOURCE_LAST, TEXT
from forensics.match.sweep.seeding import GRAM
from forensics.match.tokens import DIGIT_BITS, LETTER, NO_FACTS, Tokens
from forensics.match.weigh import IDEOGRAPH_BITS, STOCK_LETTER, Weights

EXACT: Final = 8  # bytes of the shortest run that the alignment starts from
GAP: Final = 60  # widest gap of a passage, in bytes
MARGIN: Final = 400  # bytes of the source looked at before and after what was nominated
SLACK: Final = 8_000  # milli-bits that alignment may add to what the scan saw
MOST_CHAINS: Final = 16
STEP: Final = 2_000  # nominated passages priced in one go: an interrupt waits for no more
LONG: Final = 120  # letters from which a passage of a prompt may have been read by several tenants

_UNTIL: Final = FACTS.index("until")
_NONE: Final[Ints] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Passage:
    """A span of response text ``answer`` and text ``source`` (text numbers)."""

    answer: int
    source: int
    span: Span


class Verifier:
    """Weighs and aligns what one index's texts nominated."""

    def __init__(self, corpus: Corpus, index: Index, letters: int, least_milli: int) -> None:
        """``letters``: folded bytes of all texts; ``least_milli``: what a passage must weigh to be returned."""
        self._corpus, self._index, self._letters = corpus, index, letters
        self._least = np.array([alike.needed(least_milli), least_milli])  # out of an answer, out of a prompt
        self._rate = pricing.rate_milli(letters)
        # Where in a text of average length: long ones are no more likely to hold a given letter.
        self._average_milli = round(1000 * math.log2(max(letters, 2) / max(len(corpus.meta), 1)))

    def passages(self, rows: Ints) -> list[Passage]:
        """Returns the passages that weigh enough, best source first for each place of a response, ordered."""
        rows, most = self._worthwhile(rows)
        if not len(rows):
            return []
        numbers = self._index.held.numbers
        mine = dict(fetch(self._corpus, numbers[np.unique(rows[:, RESPONSE])]))
        answers: dict[int, _Answer] = {}
        of_text = dict(_grouped(rows, most, TEXT))
        found: dict[int, list[Passage]] = defaultdict(list)
        for t, text in fetch(self._corpus, np.array(sorted(of_text))):
            folded = fold(text)
            for r, here in _grouped(*of_text[t], RESPONSE):
                if r not in answers:
                    answers[r] = _Answer(mine[int(numbers[r])])
                spans = self._align(r, t, answers[r], (text, folded), *here)
                found[r] += [Passage(int(numbers[r]), t, span) for span in spans]
        return [passage for r in sorted(found) for passage in self._best(found[r])]

    def _worthwhile(self, rows: Ints) -> tuple[Ints, Ints]:
        """Returns the rows that may weigh enough, and how many tenants may hold what still counts as novel there.

        Tenants are counted in parts (``table.part``). Beside the two tenants those do not count whose responses hold
        the same long passage of a prompt: they may have read the same pages.
        """
        index, meta = self._index, self._corpus.meta
        answers = index.held.answers
        rows = rows[np.lexsort(rows.T[::-1])]
        asked = meta.prompt[rows[:, TEXT]]
        most = np.full(len(rows), 2, dtype=np.int64)
        in_time = meta.since[rows[:, TEXT]] <= answers.facts[rows[:, RESPONSE], _UNTIL]
        long = np.flatnonzero((rows[:, SCORE] >= LONG) & asked & in_time)
        most[long] = self._readers(rows[long])
        order = np.lexsort((most, rows[:, RESPONSE]))  # a response's kinds are made once for each ``most``
        rows, most, asked = rows[order], most[order], asked[order]
        asked_of, worth = asked.astype(np.uint8), np.zeros(len(rows), dtype=np.int64)
        for low in range(0, len(rows), STEP):
            some = slice(low, low + STEP)
            pricing.coarse(
                rows[some], most[some], asked_of[some], answers, index.kept, index.holders, self._rate, self._letters,
                worth[some],
            )  # fmt: skip
        sizes = np.maximum(np.diff(answers.bounds)[rows[:, RESPONSE]], 2)
        location = np.round(1000 * np.log2(sizes)).astype(np.int64) + self._average_milli
        kept = worth + SLACK - location >= self._least[asked_of]
        return rows[kept], most[kept]

    def _readers(self, rows: Ints) -> Ints:
        """Returns how many parts of the tenants those make up whose responses hold about the same place as each row.

        The text's own tenant is one of them.
        """
        part = np.array([table.part(tenant) for tenant in range(self._corpus.meta.tenants)], dtype=np.int64)
        reader = part[self._index.held.answers.facts[rows[:, RESPONSE], 0]]
        owner = part[self._corpus.meta.tenant[rows[:, TEXT]]]
        middle = (rows[:, SOURCE_FIRST] + rows[:, SOURCE_LAST]) // 2
        most = np.full(len(rows), 2, dtype=np.int64)
        for shift in (0, LONG // 2):
            place = rows[:, TEXT] << 32 | (middle + shift) // LONG
            pairs = np.concatenate([np.stack([place, reader], axis=1), np.stack([place, owner], axis=1)])
            places, parts = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
            if len(places):
                most = np.maximum(most, parts[np.searchsorted(places, place)])
        return most

    def _align(  # noqa: PLR0917 - one passage of one pair
        self, r: int, t: int, answer: "_Answer", source: tuple[str, Folded], rows: Ints, most: Ints
    ) -> list[Span]:
        text, folded = source
        asked = bool(self._corpus.meta.prompt[t])
        least = int(self._least[int(asked)])
        weights = self._weights(r, answer, int(most.max()), asked=asked)
        low, high = max(0, int(rows[:, SOURCE_FIRST].min()) - MARGIN), int(rows[:, SOURCE_LAST].max()) + MARGIN
        hashes, at = answer.grams_of(folded, low, min(high, len(folded)))
        found, source_at = answer.index.lookup(hashes, at)
        runs = segments(answer.index.response[found], answer.index.at[found], source_at, EXACT)
        runs = _near(runs, rows)
        chosen: list[list[Run]] = [list(chain.runs) for chain in chains(runs, weights.raw_sums, GAP)[:MOST_CHAINS]]
        shared = Shared(
            number=t, tenant=0, nameless=False, counted=True, size=len(folded), words=0, runs=runs, fact_rows=_NONE,
            fact_at=_NONE,
        )  # fmt: skip
        response = Response(answer.text, answer.folded, answer.words, NO_FACTS)
        place = round(1000 * math.log2(max(len(answer.folded), 2))) + self._average_milli
        pair = Pair(0, response, weights, shared, text, folded, place)
        held = int(most.max())
        spans, _ = passages(pair, chosen, lambda _pair, _runs: max(1, held - 1), GAP, least, anchor=0)
        enough = [span for span in spans if span.bits_milli >= least and not span.explained_by]
        if not asked:
            enough = [replace(span, bits_milli=alike.said(span.bits_milli)) for span in enough]
        return [to_the_ends(span, answer.folded, folded) for span in enough]

    def _weights(self, r: int, answer: "_Answer", most: int, *, asked: bool) -> Weights:
        index = self._index
        kind = np.empty(len(answer.folded), dtype=np.uint8)
        price = np.zeros(len(kind), dtype=np.int64)
        held = index.held.answers
        pricing.kinds(held, r, index.kept, index.holders, most, self._letters, kind, price)
        raw = answer.intrinsic.copy()
        if asked:
            novel = (kind == pricing.NOVEL) & answer.counted & ~answer.repeated
            raw[novel] = np.maximum(raw, self._rate)[novel]
        net = raw.copy()
        stock = kind == pricing.STOCK
        net[stock] = np.minimum(net, price if asked else STOCK_LETTER)[stock]
        if not asked:
            net = net * pricing.ALIKE // 1000
        own, public = kind == pricing.OWN, kind == pricing.PUBLIC
        net[own | public] = 0
        return Weights(raw, net, own, public, stock)

    def _best(self, found: Sequence[Passage]) -> list[Passage]:
        """Returns, for each other tenant, the heaviest passages: no place of the response twice, the first text."""
        meta = self._corpus.meta
        by_tenant: dict[int, list[Passage]] = defaultdict(list)
        for each in found:
            by_tenant[int(meta.tenant[each.source])].append(each)
        kept = []
        for tenant in sorted(by_tenant):
            ordered = sorted(
                by_tenant[tenant],
                key=lambda p: (-p.span.bits_milli, int(meta.since[p.source]), p.source, p.span.response_start),
            )
            chosen = apart([(p.span.response_start, p.span.response_end) for p in ordered])
            kept += [ordered[i] for i in chosen]
        return sorted(kept, key=lambda p: (p.span.response_start, p.span.response_end, p.source, p.span.source_start))


class _Answer:
    """One response with its grams and what its bytes are worth in themselves."""

    def __init__(self, text: str) -> None:
        self.text, self.folded = text, fold(text)
        self.index = GramIndex([seed_grams(self.folded, EXACT)])
        self.repeated = repeated(self.folded, GRAM)
        none = np.empty(0, dtype=np.int64)
        self.words = Tokens(none, none, none.astype(np.uint64), none, none.astype(np.bool_))
        worth = np.full(len(self.folded), LETTER, dtype=np.int64)
        worth[self.folded.kind == DIGIT] = DIGIT_BITS
        dense = self.folded.kind == IDEOGRAPH
        worth[dense] = IDEOGRAPH_BITS // 3
        # A letter counts once, whatever its bytes; a character of a script without spaces says about as much as three.
        self.counted = dense | self.folded.lead
        worth[~self.counted] = 0
        worth[self.repeated] = 0
        self.intrinsic: Ints = worth

    @staticmethod
    def grams_of(folded: Folded, low: int, high: int) -> tuple[Hashes, Ints]:
        """Returns hash and place of the grams of a text between two bytes."""
        hashes, at = seed_grams(_slice(folded, low, high), EXACT)
        return hashes, at + low


def _slice(folded: Folded, low: int, high: int) -> Folded:
    return Folded(
        folded.data[low:high], folded.start[low:high], folded.end[low:high], folded.kind[low:high],
        folded.lead[low:high], folded.fresh[low:high],
    )  # fmt: skip


def _near(runs: Segments, rows: Ints) -> Segments:
    """Returns the runs that stand near what was nominated in the response."""
    near = np.zeros(len(runs), dtype=np.bool_)
    for row in rows.tolist():
        near |= (runs.at + runs.length >= row[FIRST] - MARGIN) & (runs.at <= row[LAST] + MARGIN)
    return runs.pick(near)


def _grouped(rows: Ints, most: Ints, column: int) -> Iterable[tuple[int, tuple[Ints, Ints]]]:
    order = np.argsort(rows[:, column], kind="stable")
    rows, most = rows[order], most[order]
    values, first = np.unique(rows[:, column], return_index=True)
    bounds = np.append(first, len(rows))
    for value, low, high in zip(values.tolist(), bounds[:-1], bounds[1:], strict=True):
        yield value, (rows[low:high], most[low:high])
