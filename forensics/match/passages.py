"""Turns chains of one response and one text into weighed spans with exact ends."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from forensics.match.align import align, stretch_score
from forensics.match.chain import Run
from forensics.match.normalise import Folded
from forensics.match.reading import Reader, Response, Shared
from forensics.match.spans import Places, Span, apart
from forensics.match.weigh import ANCHOR, FULL_RUN, Weights

_STRAY: Final = 4  # bytes of unlike words that may be alike by chance
LISTED: Final = 30_000  # milli-bits from which a passage is listed even where it is explained away


@dataclass(frozen=True)
class Pair:
    """One response (``number`` of those examined) and one text that may have leaked into it.

    ``places`` are those of a text whose characters are not known; ``text`` and ``folded`` are empty then.
    """

    number: int
    response: Response
    weights: Weights
    shared: Shared
    text: str
    folded: Folded
    place_milli: int | None = None
    places: Places | None = None

    def points(self, first: int, length: int) -> tuple[int, int]:
        """Returns the code points, in the text's original, of ``length`` folded bytes from ``first`` on."""
        if self.places is not None:
            return self.places(first, length)
        return int(self.folded.start[first]), int(self.folded.end[first + length - 1])

    @property
    def location_milli(self) -> int:
        """What it takes to say where in both a passage stands: ``place_milli``, or log2 of either length."""
        if self.place_milli is not None:
            return self.place_milli
        lengths = len(self.response.folded), self.shared.size
        return round(1000 * sum(math.log2(max(length, 2)) for length in lengths))


Holders = Callable[[Pair, Sequence[Run]], int]


def passages(
    pair: Pair, chosen: Sequence[Sequence[Run]], holders: Holders, gap: int, least_milli: int, *, anchor: int = ANCHOR
) -> tuple[list[Span], list[Run]]:
    """Returns the aligned spans of a pair that weigh at least ``least_milli`` or are listed, and their exact runs.

    ``holders(pair, runs)`` says how many tenants hold a passage; ``anchor`` is what the first passage is credited with.
    """
    if not chosen:
        return [], []
    raw, net = pair.weights.raw_total, pair.weights.net_total
    texts = pair.response.folded.spelling, pair.folded.spelling
    lead = pair.response.folded.leads
    aligned = [_whole_words(pair, align(texts, chain, raw, lead, gap)) for chain in chosen]
    place = pair.location_milli
    weighed = sorted(
        (-stretch_score(runs, net), -worth, runs)
        for runs in aligned
        if (worth := stretch_score(runs, raw)) + anchor - place >= min(least_milli, LISTED)
    )
    edges = [_edges(pair, runs) for _, _, runs in weighed]
    spans: list[Span] = []
    told: list[Run] = []
    # The first passage is credited with being rare at all; a further one must pay for its own place.
    credit = anchor
    for i in apart([(begin, end) for begin, end, _, _ in edges]):
        score, worth, runs = -weighed[i][0], -weighed[i][1], weighed[i][2]
        longest = max(raw[at + length] - raw[at] for at, _, length in runs)
        earned = credit * min(longest, FULL_RUN) // FULL_RUN
        bits = max(0, score + earned - place) if score else 0
        explained = _explained(runs, pair.weights)
        if bits < least_milli and not (explained and worth + anchor - place >= LISTED):
            continue
        if bits:
            credit = 0
            told += runs
        width = runs[-1][0] + runs[-1][2] - runs[0][0] + runs[-1][1] + runs[-1][2] - runs[0][1]
        similarity = 2000 * sum(length for _, _, length in runs) // width
        held = holders(pair, runs)
        spans.append(Span(*edges[i], bits, similarity, "aligned", held, explained))
    return spans, told


def _whole_words(pair: Pair, runs: list[Run]) -> list[Run]:
    """Takes from either end a few letters that begin or end unlike words: they are alike by chance.

    A word that the response or the text cuts off there stays, since leaks are cut anywhere.
    """
    mine, theirs = pair.response.folded, pair.folded
    at, source_at, length = runs[-1]
    end, source_end = at + length, source_at + length
    if end < len(mine) and source_end < len(theirs) and not mine.fresh[end] and not theirs.fresh[source_end]:
        begins = np.flatnonzero(mine.fresh[at:end])
        if len(begins) and 0 < length - begins[-1] <= _STRAY and begins[-1] > 0:
            runs = [*runs[:-1], (at, source_at, int(begins[-1]))]
    at, source_at, length = runs[0]
    if at > 0 and source_at > 0 and not mine.fresh[at] and not theirs.fresh[source_at]:
        begins = np.flatnonzero(mine.fresh[at : at + length])
        if len(begins) and begins[0] <= _STRAY:
            step = int(begins[0])
            runs = [(at + step, source_at + step, length - step), *runs[1:]]
    return runs


def tenants_holding(reader: Reader, pair: Pair, runs: Sequence[Run]) -> int:
    """Returns how many tenants, the source among them, hold at least half of a passage's grams."""
    rows = reader.gram_ledger.rows(pair.number)
    at = reader.grams.at[rows]
    inside = np.zeros(len(rows), dtype=np.bool_)
    for first, _, length in runs:
        inside |= (at >= first) & (at + reader.seed_bytes <= first + length)
    if not inside.any():
        return 1
    _, holders = reader.gram_ledger.tenants(rows[inside])
    others = holders[holders != pair.shared.tenant]
    beside = int((np.bincount(others, minlength=1) * 2 >= inside.sum()).sum())
    return max(beside, 1) if pair.shared.nameless else 1 + beside


def _explained(runs: Sequence[Run], weights: Weights) -> str | None:
    """Returns what explains at least 60 % of a passage's weight, if anything does."""
    byte = np.concatenate([np.arange(at, at + length) for at, _, length in runs])
    raw = weights.raw[byte]
    shares = {
        "own_context": int(raw[weights.own[byte]].sum()),
        "public": int(raw[weights.public[byte] & ~weights.own[byte]].sum()),
        "common": int(raw[weights.common[byte]].sum()),
    }
    if sum(shares.values()) * 10 < int(raw.sum()) * 6:
        return None
    return max(shares, key=lambda name: shares[name])


def _edges(pair: Pair, runs: Sequence[Run]) -> tuple[int, int, int, int]:
    """Returns a passage's code points in both originals, with the signs that follow alike in both."""
    first, last = runs[0], runs[-1]
    mine, text = pair.response, pair.text
    begin, source_begin = int(mine.folded.start[first[0]]), int(pair.folded.start[first[1]])
    end = int(mine.folded.end[last[0] + last[2] - 1])
    source_end = int(pair.folded.end[last[1] + last[2] - 1])
    while end < len(mine.text) and source_end < len(text) and mine.text[end] == text[source_end]:
        if mine.text[end].isalnum() or mine.text[end].isspace():
            break
        end, source_end = end + 1, source_end + 1
    return begin, end, source_begin, source_end
