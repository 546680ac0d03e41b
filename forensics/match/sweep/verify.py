"""From nominated passages to spans: weighed, aligned by the suspects' engine, with exact ends in both originals."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from forensics.match.kernel import Ints
from forensics.match.spans import Span, apart
from forensics.match.sweep import alike, pricing, table
from forensics.match.sweep.aligning import Measure, Place, Task, aligned
from forensics.match.sweep.corpus import Corpus, fetch
from forensics.match.sweep.index import Index
from forensics.match.sweep.readers import LONG, TWO, excused
from forensics.match.sweep.scan import FACTS, RESPONSE, SCORE, TEXT

SLACK: Final = 8_000  # milli-bits that alignment may add to what the scan saw
STEP: Final = 2_000  # nominated passages priced in one go: an interrupt waits for no more

_TENANT: Final = FACTS.index("tenant")
_UNTIL: Final = FACTS.index("until")
_WORTHWHILE: Final = 1_000  # nominated passages, below which processes cost more than they bring


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
        # Where in a text of average length: long ones are no more likely to hold a given letter.
        average = round(1000 * math.log2(max(letters, 2) / max(len(corpus.meta), 1)))
        self._measure = Measure((alike.needed(least_milli), least_milli), pricing.rate_milli(letters), average)

    def passages(self, rows: Ints, processes: int, progress: Callable[[int, int], None]) -> list[Passage]:
        """Returns the passages that weigh enough, best source first for each place of a response, ordered.

        What it returns does not depend on the ``processes`` that align. ``progress(done, of)`` counts texts.
        """
        rows, most = self._worthwhile(rows)
        found: dict[int, list[Passage]] = defaultdict(list)
        few = len(rows) < _WORTHWHILE
        for r, text, span in aligned(self._tasks(rows, most, progress), self._measure, 1 if few else processes):
            found[r].append(Passage(r, text, span))
        return [passage for r in sorted(found) for passage in self._best(found[r])]

    def _tasks(self, rows: Ints, most: Ints, progress: Callable[[int, int], None]) -> Iterator[Task]:
        """Yields each text that was nominated, with its places in the responses."""
        if not len(rows):
            return
        numbers, meta = self._index.held.numbers, self._corpus.meta
        mine = dict(fetch(self._corpus, numbers[np.unique(rows[:, RESPONSE])]))
        of_text = dict(_grouped(rows, most, TEXT))
        for done, (t, text) in enumerate(fetch(self._corpus, np.array(sorted(of_text)))):
            progress(done, len(of_text))
            places = [self._place(r, mine[int(numbers[r])], *here) for r, here in _grouped(*of_text[t], RESPONSE)]
            yield Task(t, text, bool(meta.prompt[t]), places)

    def _place(self, r: int, answer: str, rows: Ints, most: Ints) -> Place:
        index = self._index
        answers, held = index.held.answers, int(most.max())
        size = int(answers.bounds[r + 1] - answers.bounds[r])
        kind, price = np.empty(size, dtype=np.uint8), np.zeros(size, dtype=np.int64)
        pricing.kinds(answers, r, index.kept, index.holders, held, self._letters, kind, price)
        return Place(int(index.held.numbers[r]), answer, rows, held, kind, price.astype(np.int32))

    def _worthwhile(self, rows: Ints) -> tuple[Ints, Ints]:
        """Returns the rows that may weigh enough, and how many tenants may hold what still counts as novel there.

        Tenants are counted in parts (``table.part``). Beside the two tenants those do not count whose responses hold
        the same long passage of a prompt: they may have read the same pages.
        """
        index, meta = self._index, self._corpus.meta
        answers = index.held.answers
        rows = rows[np.lexsort(rows.T[::-1])]
        asked = meta.prompt[rows[:, TEXT]]
        most = np.full(len(rows), TWO, dtype=np.int64)
        long = np.flatnonzero((rows[:, SCORE] >= LONG) & asked)
        parts = np.array([table.part(tenant) for tenant in range(meta.tenants)], dtype=np.int64)
        reader, told = answers.facts[rows[:, RESPONSE], _TENANT], answers.facts[rows[:, RESPONSE], _UNTIL]
        owner, sent = meta.tenant[rows[:, TEXT]], meta.since[rows[:, TEXT]]
        most[long] = excused(
            rows[long], parts, reader=reader[long], owner=owner[long], told=told[long], sent=sent[long]
        )
        most[sent > told] = TWO
        order = np.lexsort((most, rows[:, RESPONSE]))  # a response's kinds are made once for each ``most``
        rows, most, asked = rows[order], most[order], asked[order]
        asked_of, worth = asked.astype(np.uint8), np.zeros(len(rows), dtype=np.int64)
        for low in range(0, len(rows), STEP):
            some = slice(low, low + STEP)
            pricing.coarse(
                rows[some], most[some], asked_of[some], answers, index.kept, index.holders, self._measure.rate,
                self._letters, worth[some],
            )  # fmt: skip
        sizes = np.maximum(np.diff(answers.bounds)[rows[:, RESPONSE]], 2)
        location = np.round(1000 * np.log2(sizes)).astype(np.int64) + self._measure.average
        kept = worth + SLACK - location >= np.array(self._measure.least)[asked_of]
        return rows[kept], most[kept]

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


def _grouped(rows: Ints, most: Ints, column: int) -> Iterable[tuple[int, tuple[Ints, Ints]]]:
    order = np.argsort(rows[:, column], kind="stable")
    rows, most = rows[order], most[order]
    values, first = np.unique(rows[:, column], return_index=True)
    bounds = np.append(first, len(rows))
    for value, low, high in zip(values.tolist(), bounds[:-1], bounds[1:], strict=True):
        yield value, (rows[low:high], most[low:high])
