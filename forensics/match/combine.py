"""Weighs combinations of facts: names, numbers and dates that are common one by one and rare together.

A fact alone weighs what its spelling says, less the places of the source where it could have turned up, and no more
than log2(T / h) where h of T tenants hold it. Two facts that stand near each other in the response, in the source, and
in no other tenant's text and nothing of the recipient's own, weigh the number of neighbourhoods in the source more.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from forensics.match.chain import Run
from forensics.match.normalise import Folded
from forensics.match.reading import NEAR, Reader, Response, Shared
from forensics.match.seeds import Ints
from forensics.match.spans import Span

FEWEST: Final = 3


def combine(
    reader: Reader, number: int, response: Response, shared: Shared, folded: Folded, told: Sequence[Run]
) -> list[Span]:
    """Returns one ``facts`` span per fact of a combination that ``response`` (index ``number``) shares with a text.

    Facts in the runs ``told`` already count there. Fewer than three facts that weigh anything are none.
    """
    mine = np.flatnonzero(reader.facts.response[shared.fact_rows] == number)
    rows, at = shared.fact_rows[mine], shared.fact_at[mine]
    untold = np.array([not _within(response, int(reader.facts.at[row]), told) for row in rows.tolist()], dtype=np.bool_)
    rows, at = rows[untold], at[untold]
    if len(np.unique(rows)) < FEWEST:
        return []
    worth = _alone(reader, response, rows, shared)
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
        spans.append(
            Span(
                int(response.folded.start[first]),
                int(response.folded.end[last - 1]),
                int(folded.start[where]),
                int(folded.end[where + last - first - 1]),
                bits_milli=worth[row],
                similarity_milli=1000,
                kind="facts",
                holders=1 + int(reader.fact_ledger.holders(np.array([row]), shared.tenant)[0]),
            )
        )
    return spans


def _within(response: Response, fact: int, told: Sequence[Run]) -> bool:
    """Whether most of a fact's bytes stand in the runs."""
    first, last = int(response.facts.first[fact]), int(response.facts.last[fact])
    held = sum(max(0, min(last, at + length) - max(first, at)) for at, _, length in told)
    return held * 2 > last - first


def _alone(reader: Reader, response: Response, rows: Ints, shared: Shared) -> dict[int, int]:
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
            bits = min(bits, max(0, round(1000 * math.log2(max(reader.tenants, 2) / held))))
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
