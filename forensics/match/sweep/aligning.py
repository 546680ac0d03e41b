"""Aligns what a text may share with responses: spans with exact ends in both originals, in any process.

Aligning is Python, which threads cannot share, so what it needs of an index travels with each ``Task``.
"""

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from forensics.case.child import spread
from forensics.match.chain import Run, chains
from forensics.match.kernel import IDEOGRAPH, Bytes, Hashes, Ints
from forensics.match.normalise import DIGIT, Folded, fold
from forensics.match.passages import Pair, passages
from forensics.match.reading import Response, Shared
from forensics.match.repeats import repeated
from forensics.match.seeds import GramIndex, Segments, seed_grams, segments
from forensics.match.spans import Span
from forensics.match.sweep import alike, pricing
from forensics.match.sweep.edges import bytes_of, to_the_ends
from forensics.match.sweep.scan import FIRST, LAST, SOURCE_FIRST, SOURCE_LAST
from forensics.match.sweep.seeding import GRAM
from forensics.match.tokens import DIGIT_BITS, LETTER, NO_FACTS, Tokens
from forensics.match.weigh import IDEOGRAPH_BITS, STOCK_LETTER, Weights

EXACT: Final = 8  # bytes of the shortest run that the alignment starts from
GAP: Final = 60  # widest gap of a passage, in bytes
MARGIN: Final = 400  # bytes of the source looked at before and after what was nominated
MOST_CHAINS: Final = 16
DOCUMENT: Final = 120  # bytes that other tenants hold too, from which a passage is a document's, and no phrase
REMEMBERED: Final = 2_000  # responses that are kept ready

_BATCH: Final = 40  # places that travel to a process together

_NONE: Final[Ints] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Place:
    """Where a text may stand in response ``number``: nominated ``rows``, of which at most ``held`` parts of the
    tenants may hold what counts as novel; ``kind`` and ``price`` of the response's bytes as ``pricing.kinds`` has them.
    """

    number: int
    answer: str
    rows: Ints
    held: int
    kind: Bytes
    price: Ints


@dataclass(frozen=True)
class Task:
    """A text, whether it is a prompt, and its places."""

    number: int
    text: str
    asked: bool
    places: Sequence[Place]


Found = tuple[int, int, Span]
"""Number of the response, number of the text, and what they share."""


@dataclass(frozen=True)
class Measure:
    """What a passage must weigh at least, out of an answer and out of a prompt; what a byte of a seed says that stands
    once among all letters; what it takes to say where in a text of average length. All in milli-bits.
    """

    least: tuple[int, int]
    rate: int
    average: int


class Aligner:
    """Turns tasks into spans. Responses met last are kept ready."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._answers: OrderedDict[int, _Answer] = OrderedDict()

    def spans(self, task: Task) -> list[Found]:
        """Returns the spans that weigh enough, in the order of the places."""
        folded = fold(task.text)
        return [(place.number, task.number, span) for place in task.places for span in self._align(task, folded, place)]

    def _answer(self, place: Place) -> "_Answer":
        known = self._answers.get(place.number)
        if known is None:
            known = self._answers[place.number] = _Answer(place.answer)
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return known

    def _align(self, task: Task, folded: Folded, place: Place) -> list[Span]:
        answer, rows, asked = self._answer(place), place.rows, task.asked
        least = self._measure.least[int(asked)]
        weights = self._weights(answer, place, asked=asked)
        low, high = max(0, int(rows[:, SOURCE_FIRST].min()) - MARGIN), int(rows[:, SOURCE_LAST].max()) + MARGIN
        hashes, at = answer.grams_of(folded, low, min(high, len(folded)))
        found, source_at = answer.index.lookup(hashes, at)
        runs = segments(answer.index.response[found], answer.index.at[found], source_at, EXACT)
        runs = _near(runs, rows)
        chosen: list[list[Run]] = [list(chain.runs) for chain in chains(runs, weights.raw_sums, GAP)[:MOST_CHAINS]]
        shared = Shared(
            number=task.number, tenant=0, nameless=False, counted=True, size=len(folded), words=0, runs=runs,
            fact_rows=_NONE, fact_at=_NONE,
        )  # fmt: skip
        response = Response(answer.text, answer.folded, answer.words, NO_FACTS)
        where = round(1000 * math.log2(max(len(answer.folded), 2))) + self._measure.average
        pair = Pair(0, response, weights, shared, task.text, folded, where)
        holders = max(1, place.held - 1)
        spans, _ = passages(pair, chosen, lambda _pair, _runs: holders, GAP, least, anchor=0)
        enough = [span for span in spans if span.bits_milli >= least and not span.explained_by]
        enough = [_no_more(span, least) if _goes_on(span, answer.folded, place.kind) else span for span in enough]
        if not asked:
            enough = [replace(span, bits_milli=alike.said(span.bits_milli)) for span in enough]
        return [to_the_ends(span, answer.folded, folded) for span in enough]

    def _weights(self, answer: "_Answer", place: Place, *, asked: bool) -> Weights:
        kind, price = place.kind, place.price.astype(np.int64)
        raw = answer.intrinsic.copy()
        if asked:
            novel = (kind == pricing.NOVEL) & answer.counted & ~answer.repeated
            raw[novel] = np.maximum(raw, self._measure.rate)[novel]
        net = raw.copy()
        stock = kind == pricing.STOCK
        net[stock] = np.minimum(net, price if asked else STOCK_LETTER)[stock]
        if not asked:
            net = net * pricing.ALIKE // 1000
        own, public = kind == pricing.OWN, kind == pricing.PUBLIC
        net[own | public] = 0
        return Weights(raw, net, own, public, stock)


def aligned(tasks: Iterable[Task], measure: Measure, processes: int) -> Iterator[Found]:
    """Yields what every task gives, in the order of the tasks whatever the ``processes``; one stays in this process.

    Raises if a process is killed.
    """
    aligner = Aligner(measure)
    if processes < 2:
        for task in tasks:
            yield from aligner.spans(task)
        return
    yield from spread(_spans, aligner, _batches(tasks), processes)


def _batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    places = 0
    for task in tasks:
        batch.append(task)
        places += len(task.places)
        if places >= _BATCH:
            yield batch
            batch, places = [], 0
    if batch:
        yield batch


def _spans(aligner: Aligner, tasks: Sequence[Task]) -> list[Found]:
    return [found for task in tasks for found in aligner.spans(task)]


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


def _goes_on(span: Span, folded: Folded, kind: Bytes) -> bool:
    """Says whether a span goes on from a stretch that other tenants hold too: it may be more of the same document."""
    first, last = bytes_of(folded, span.response_start, span.response_end)
    stock = np.concatenate([[False], kind[first:last] == pricing.STOCK, [False]])
    edges = np.flatnonzero(stock[1:] != stock[:-1])
    return int((edges[1::2] - edges[::2]).max(initial=0)) >= DOCUMENT


def _no_more(span: Span, least: int) -> Span:
    return replace(span, bits_milli=min(span.bits_milli, least))


def _near(runs: Segments, rows: Ints) -> Segments:
    """Returns the runs that stand near what was nominated in the response."""
    near = np.zeros(len(runs), dtype=np.bool_)
    for row in rows.tolist():
        near |= (runs.at + runs.length >= row[FIRST] - MARGIN) & (runs.at <= row[LAST] + MARGIN)
    return runs.pick(near)
