"""Weighs combinations of facts: names, numbers and dates that are common one by one and rare together.

A fact alone weighs what its spelling says, less the places of the source where it could have turned up, and no more than
log2(T / h) where h of T tenants hold it. Two facts that stand near each other in the response, in the source, and in no
other tenant's text and nothing of the recipient's own, weigh the number of neighbourhoods in the source more.
"""

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from forensics.match.normalise import Folded
from forensics.match.reading import NEAR, Reader, Response, Shared

if TYPE_CHECKING:
    from forensics.match.engine import Span

FEWEST: Final = 3


def combine(
    reader: Reader, response: Response, number: int, shared: Shared, folded: Folded, aligned: "list[Span]", tenants: int
) -> "list[Span]":
    """Returns one ``facts`` span per fact of a combination that ``response`` (index ``number``) shares with a text.

    Facts inside ``aligned`` spans count there, not here. Fewer than three facts that weigh anything are none.
    """
    from forensics.match.engine import Span  # noqa: PLC0415 - the engine builds on this module

    mine = np.flatnonzero(reader.facts.response[shared.fact_rows] == number)
    rows, at = shared.fact_rows[mine], shared.fact_at[mine]
    if len(np.unique(rows)) < FEWEST:
        return []
    place = _Place(response, folded)
    outside = [i for i, row in enumerate(rows.tolist()) if not place.inside(int(reader.facts.at[row]), aligned)]
    rows, at = rows[outside], at[outside]
    worth = _alone(reader, response, rows, shared, tenants)
    neighbourhood = round(1000 * math.log2(max(2, shared.size / NEAR)))
    pairs = reader.pairs_near(rows, at)
    ledger = reader.pair_ledger
    free = ~ledger.own[pairs] & ~ledger.public[pairs] & (ledger.holders(pairs, shared.tenant) == 0)
    for first, second in _forest(reader.pair_facts(pairs[free])):
        worth[first if worth[first] <= worth[second] else second] += neighbourhood
    facts = [row for row, bits in sorted(worth.items()) if bits > 0]
    if len(facts) < FEWEST:
        return []
    spans = []
    for row in facts:
        fact = int(reader.facts.at[row])
        first, last = int(response.facts.first[fact]), int(response.facts.last[fact])
        where = int(at[rows == row][0])
        width = min(last - first, len(folded) - where)
        spans.append(
            Span(
                int(response.folded.start[first]), int(response.folded.end[last - 1]),
                int(folded.start[where]), int(folded.end[where + width - 1]),
                bits_milli=worth[row], similarity_milli=1000, kind="facts",
                holders=1 + int(reader.fact_ledger.holders(np.array([row]), shared.tenant)[0]),
            )  # fmt: skip
        )
    return sorted(spans, key=lambda s: (s.response_start, s.source_start))


class _Place:
    def __init__(self, response: Response, folded: Folded) -> None:
        self._response, self._folded = response, folded

    def inside(self, fact: int, aligned: "list[Span]") -> bool:
        """Whether a fact of the response stands in an aligned span that counts."""
        begin = int(self._response.folded.start[self._response.facts.first[fact]])
        return any(s.response_start <= begin < s.response_end for s in aligned)


def _alone(reader: Reader, response: Response, rows: np.ndarray, shared: Shared, tenants: int) -> dict[int, int]:  # type: ignore[type-arg]
    ledger = reader.fact_ledger
    location = round(1000 * math.log2(max(2, shared.words / 10)))
    distinct = np.unique(rows)
    holders = ledger.holders(distinct, shared.tenant).tolist()
    worth = {}
    for row, held in zip(distinct.tolist(), holders, strict=True):
        bits = max(0, int(response.facts.bits_milli[reader.facts.at[row]]) - location)
        if ledger.own[row] or ledger.public[row]:
            bits = 0
        elif held:
            bits = min(bits, max(0, round(1000 * math.log2(max(tenants, 2) / held))))
        worth[row] = bits
    return worth


def _forest(links: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns links that close no circle: each fact is joined to a group once."""
    root: dict[int, int] = {}

    def find(x: int) -> int:
        while root.setdefault(x, x) != x:
            x = root[x]
        return x

    kept = []
    for first, second in sorted(links):
        a, b = find(first), find(second)
        if a != b:
            root[b] = a
            kept.append((first, second))
    return kept
