"""Passages that were garbled until few runs are left: short runs that crowd nominate them, letters weigh them.

Where every fourth letter is changed, lost or doubled, what is left between two such places is three letters long, and
saying where each run goes on costs what it is worth. But so many letters in order are no chance. So a stretch
is a passage that earns the weight of its equal letters, pays as much for each that is changed, lost or added, and for
its place in both, if something is left then: in unrelated texts nothing was (``benchmarks/accuracy.py``).
"""

from typing import Final

import numpy as np

from forensics.match.crowds import BAND
from forensics.match.kernel import IDEOGRAPH
from forensics.match.local import aligned, codes_of
from forensics.match.normalise import Folded
from forensics.match.passages import Holders, Pair
from forensics.match.seeds import Ints
from forensics.match.spans import Span, apart
from forensics.match.tokens import LETTER
from forensics.match.weigh import IDEOGRAPH_BITS

REACH: Final = 120
"""Bytes on either side of a crowd that are aligned with it."""


def beside(spans: list[Span], pair: Pair, crowd: Ints, holders: Holders, least_milli: int) -> list[Span]:
    """Returns the ``spans`` of a pair, and instead of those that say less the passages that stand at its crowds."""
    told = sorted(
        (span for row in crowd if _may_win(pair, row, spans) and (span := _passage(pair, row, holders)) is not None),
        key=lambda span: (-span.bits_milli, span.response_start, span.source_start),
    )
    for i in apart([(span.response_start, span.response_end) for span in told]):
        met = [span for span in spans if _meet(span, told[i])]
        if told[i].bits_milli >= least_milli and told[i].bits_milli > sum(span.bits_milli for span in met):
            spans = [*(span for span in spans if span not in met), told[i]]
    return spans


def _may_win(pair: Pair, crowd: Ints, spans: list[Span]) -> bool:
    """Whether all letters in and beside a crowd would say more, were they alike, than what was found there."""
    folded, net = pair.response.folded, pair.weights.net_total
    first, end = max(0, int(crowd[1]) - REACH), min(len(folded), int(crowd[2]) + REACH)
    inside = int(folded.start[first]), int(folded.end[end - 1])
    found = sum(s.bits_milli for s in spans if s.response_start >= inside[0] and s.response_end <= inside[1])
    return net[end] - net[first] - pair.location_milli > found


def _meet(one: Span, other: Span) -> bool:
    return one.response_start < other.response_end and other.response_start < one.response_end


def _passage(pair: Pair, crowd: Ints, holders: Holders) -> Span | None:
    _, first, end, diagonal, _ = crowd.tolist()
    mine, theirs = pair.response.folded, pair.folded
    at = _characters(mine, first - REACH, end + REACH)
    source_at = _characters(theirs, first + diagonal - REACH - BAND, end + diagonal + REACH + BAND)
    if len(at) < 2 or len(source_at) < 2:
        return None
    begins, source_begins = at[:-1], source_at[:-1]
    costs = _letters(mine, begins), _letters(theirs, source_begins)
    worth = np.minimum(np.add.reduceat(pair.weights.net[: at[-1]], begins), costs[0])
    found = aligned(
        codes_of(mine.data, begins, int(at[-1])),
        codes_of(theirs.data, source_begins, int(source_at[-1])),
        worth,
        costs,
        (np.searchsorted(source_begins, begins + diagonal), BAND),
    )
    score, low, high, source_low, source_high, same = found.tolist()
    if score <= pair.location_milli:
        return None
    run = (int(at[low]), int(source_at[source_low]), int(at[high] - at[low]))
    similarity = 2000 * same // (high - low + source_high - source_low)
    points = (
        int(mine.start[run[0]]),
        int(mine.end[at[high] - 1]),
        int(theirs.start[run[1]]),
        int(theirs.end[source_at[source_high] - 1]),
    )
    return Span(*points, score - pair.location_milli, similarity, "aligned", holders(pair, [run]))


def _characters(folded: Folded, first: int, end: int) -> Ints:
    """Returns the first bytes of the characters that begin there, and the end of the last one."""
    first, end = max(0, first), min(end, len(folded))
    begins = np.flatnonzero(folded.lead[first:end]) + first
    while end < len(folded) and not folded.lead[end]:
        end += 1
    return np.append(begins, end)


def _letters(folded: Folded, begins: Ints) -> Ints:
    """Returns the most that each of these characters says."""
    return np.where(folded.kind[begins] == IDEOGRAPH, IDEOGRAPH_BITS, LETTER).astype(np.int64)
