"""Texts that are not at hand: what of them stands in a response is known otherwise, as from fingerprints."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from forensics.match.align import stretch_score
from forensics.match.chain import Run
from forensics.match.reading import Reader, Response, Shared
from forensics.match.seeds import Segments
from forensics.match.sieve import Found
from forensics.match.spans import Span, Text, apart
from forensics.match.weigh import ANCHOR, FULL_RUN, Weights

Places = Callable[[int, int], tuple[int, int]]
"""From (first byte, length) in a folded source to code points of its original."""


@dataclass(frozen=True)
class Known:
    """A text without its characters, and where what it shares with the responses stands.

    ``short`` are shared runs that are shorter than a seed; they only lengthen what longer ones nominate.
    """

    text: Text
    found: Found
    places: Places
    short: Segments

    def with_short(self, shared: Shared) -> Shared:
        """Returns what was read of the text, with the short runs of the responses that it may be a source of."""
        mine = self.short.pick(np.isin(self.short.response, shared.runs.response))
        return replace(shared, runs=joined(shared.runs, mine))


def joined(*parts: Segments) -> Segments:
    """Returns several sets of runs as one, ordered by response, diagonal, place."""
    response, at, source_at, length = (
        np.concatenate([getattr(each, name) for each in parts]) for name in ("response", "at", "source_at", "length")
    )
    order = np.lexsort((at, source_at - at, response))
    return Segments(response[order], at[order], source_at[order], length[order])


class Beside(Protocol):
    """Texts beside those of a case."""

    def known(self, responses: Sequence[Response], reader: Reader, at_hand: Collection[str]) -> Iterable[Known]:
        """Returns the texts that share anything with a response and are not ``at_hand``, in a fixed order."""
        ...

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns those of these texts whose characters are kept after all."""
        ...


def dense(reader: Reader, size: int, runs: Segments) -> Found:
    """Returns what a text of ``size`` folded bytes holds, given the exact runs that it shares: all grams in them."""
    rows, places = [], []
    for number, first, source_first, length in zip(runs.response, runs.at, runs.source_at, runs.length, strict=True):
        mine = reader.gram_ledger.rows(int(number))
        begin = reader.grams.at[mine]
        inside = (begin >= first) & (begin + reader.seed_bytes <= first + length)
        rows.append(mine[inside])
        places.append(begin[inside] - first + source_first)
    none = np.empty(0, dtype=np.int64)
    return Found(size, 0, np.concatenate([none, *rows]), np.concatenate([none, *places]), none, none, none, none)


def loose_passages(
    response: Response,
    weights: Weights,
    chosen: Sequence[Sequence[Run]],
    holders: Callable[[Sequence[Run]], int],
    *,
    size: int,
    least_milli: int,
    places: Places,
) -> list[Span]:
    """Returns the spans of chains whose source has no characters: exact runs, weighed as ``passages`` does.

    ``size`` is the source's folded bytes. What neither run tells (garbled letters between, ends) is not aligned.
    """
    place = round(1000 * sum(math.log2(max(each, 2)) for each in (len(response.folded), size)))
    weighed = sorted((-stretch_score(runs, weights.net_total), [*runs]) for runs in chosen)
    credit = ANCHOR
    spans: list[Span] = []
    ends = [(runs[0][0], runs[-1][0] + runs[-1][2]) for _, runs in weighed]
    for i in apart(ends):
        score, runs = -weighed[i][0], weighed[i][1]
        raw = weights.raw_total
        longest = max(raw[at + length] - raw[at] for at, _, length in runs)
        bits = max(0, score + credit * min(longest, FULL_RUN) // FULL_RUN - place) if score else 0
        if bits < least_milli:
            continue
        credit = 0
        first, last = ends[i]
        source_first, _ = places(runs[0][1], runs[0][2])
        _, source_last = places(runs[-1][1], runs[-1][2])
        width = last - first + runs[-1][1] + runs[-1][2] - runs[0][1]
        similarity = 2000 * sum(length for _, _, length in runs) // width
        begin, end = int(response.folded.start[first]), int(response.folded.end[last - 1])
        spans.append(Span(begin, end, source_first, source_last, bits, similarity, "aligned", holders(runs)))
    return spans
