"""Weighs combinations of facts: names, numbers and dates that are common one by one and rare together.

A fact alone weighs what its spelling says, less the places of the source where it could have turned up, and no more
than log2(T / h) where h of T tenants hold it. Two facts that stand near each other in the response, in the source, and
in no other tenant's text and nothing of the recipient's own, weigh the number of neighbourhoods in the source more.
"""

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from forensics.match.chain import Run
from forensics.match.passages import Pair
from forensics.match.reading import NEAR, Reader, Response
from forensics.match.seeds import Ints
from forensics.match.spans import Span

FEWEST: Final = 2
_GAPS: Final = re.compile(r"[\s\-&.'’]+")


def combine(reader: Reader, pair: Pair, told: Sequence[Run]) -> list[Span]:
    """Returns one ``facts`` span per fact of a combination that a response shares with a text.

    Facts in the runs ``told`` already count there. A single fact is no combination.
    """
    rows, at = _shared(reader, pair, told)
    if len(np.unique(rows)) < FEWEST:
        return []
    worth = _alone(reader, pair, rows)
    neighbourhood = round(1000 * math.log2(max(2, pair.shared.size / NEAR)))
    pairs = reader.pairs_near(rows, at)
    ledger = reader.pair_ledger
    held = ledger.holders(pairs, source_counted=pair.shared.counted) > 0
    for first, second in _forest(reader.pair_facts(pairs[~ledger.own[pairs] & ~ledger.public[pairs] & ~held])):
        if first in worth and second in worth:
            worth[first if worth[first] <= worth[second] else second] += neighbourhood
    facts = [row for row, bits in sorted(worth.items()) if bits > 0]
    if len(facts) < FEWEST:
        return []
    return [_span(reader, pair, row, int(at[rows == row][0]), worth[row]) for row in facts]


def _shared(reader: Reader, pair: Pair, told: Sequence[Run]) -> tuple[Ints, Ints]:
    """Returns (row, byte in the text) of the facts that both hold and no run tells; names are names in both."""
    shared, response = pair.shared, pair.response
    mine = np.flatnonzero(reader.facts.response[shared.fact_rows] == pair.number)
    rows, at = shared.fact_rows[mine], shared.fact_at[mine]
    kept = []
    for row, where in zip(rows.tolist(), at.tolist(), strict=True):
        fact = int(reader.facts.at[row])
        alike = not response.facts.named[fact] or _capitalised(pair, fact, where)
        kept.append(alike and not _within(response, fact, told))
    which = np.array(kept, dtype=np.bool_)
    return rows[which], at[which]


def _span(reader: Reader, pair: Pair, row: int, where: int, bits: int) -> Span:
    fact = int(reader.facts.at[row])
    facts, folded = pair.response.facts, pair.response.folded
    first, last = int(facts.first[fact]), int(facts.last[fact])
    begin, end = pair.points(where, last - first)
    held = int(reader.fact_ledger.holders(np.array([row]), source_counted=pair.shared.counted)[0])
    return Span(int(folded.start[first]), int(folded.end[last - 1]), begin, end, bits, 1000, "facts", 1 + held)


def _capitalised(pair: Pair, fact: int, where: int) -> bool:
    """Whether a name is one in the text too, as far as its characters are known."""
    facts = pair.response.facts
    begin, end = pair.points(where, int(facts.last[fact] - facts.first[fact]))
    return pair.places is not None or all(word[:1].isupper() for word in _GAPS.split(pair.text[begin:end]) if word)


def _within(response: Response, fact: int, told: Sequence[Run]) -> bool:
    """Whether most of a fact's bytes stand in the runs."""
    first, last = int(response.facts.first[fact]), int(response.facts.last[fact])
    held = sum(max(0, min(last, at + length) - max(first, at)) for at, _, length in told)
    return held * 2 > last - first


def _alone(reader: Reader, pair: Pair, rows: Ints) -> dict[int, int]:
    """Returns what each fact weighs by itself; one that is part of another is left to it.

    What the source says again and again is its subject, which others share: each doubling costs two bits.
    """
    ledger, facts = reader.fact_ledger, pair.response.facts
    location = round(1000 * math.log2(max(2, pair.shared.words / 10)))
    distinct, count = np.unique(rows, return_counts=True)
    holders = ledger.holders(distinct, source_counted=pair.shared.counted).tolist()
    worth: dict[int, int] = {}
    for row, said, held in zip(distinct.tolist(), count.tolist(), holders, strict=True):
        spelled = int(facts.bits_milli[reader.facts.at[row]])
        bits = max(0, spelled - location - round(2000 * math.log2(said)))
        if ledger.own[row] or ledger.public[row]:
            bits = 0
        elif held:
            bits = min(bits, max(0, round(1000 * math.log2(max(reader.tenants, 2) / held))))
        worth[row] = bits
    data = pair.response.folded.spelling
    spelling = {row: data[facts.first[reader.facts.at[row]] : facts.last[reader.facts.at[row]]] for row in worth}
    return {
        row: bits
        for row, bits in worth.items()
        if not any(other != row and spelling[row] in spelling[other] for other in worth)
    }


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
