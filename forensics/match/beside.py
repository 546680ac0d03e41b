"""Texts that are not at hand: what of them stands in a response is known otherwise, as from fingerprints."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from forensics.match.align import stretch_score
from forensics.match.chain import Run, groups
from forensics.match.passages import Holders, Pair
from forensics.match.reading import Reader, Response, Shared
from forensics.match.seeds import Ints, Segments
from forensics.match.sieve import Found
from forensics.match.spans import Places, Span, Text, apart
from forensics.match.weigh import ANCHOR, FULL_RUN


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


def dense(reader: Reader, responses: Sequence[Response], sizes: tuple[int, int], runs: Segments) -> Found:
    """Returns what a text of so many folded bytes and words holds, given the exact runs that it shares: all in them.

    A word or fact at either end of a run may go on differently in the text, and is left out, unless the text ends so.
    """
    size, words = sizes
    held: list[list[Ints]] = [[np.empty((2, 0), dtype=np.int64)] for _ in range(3)]
    for number, some in groups(runs):
        for kind, (rows, first, last, edge) in enumerate(_standing(reader, responses[number], number)):
            low = some.at + edge * (some.source_at > 0)
            high = some.at + some.length - edge * (some.source_at + some.length < size)
            inside = (first[:, None] >= low) & (last[:, None] <= high)
            which, run = np.nonzero(inside)
            held[kind].append(np.stack([rows[which], first[which] + (some.source_at - some.at)[run]]))
    grams, tokens, facts = (np.concatenate(each, axis=1) for each in held)
    once = np.unique(tokens[0], return_index=True)[1]
    return Found(size, words, *grams, *tokens[:, once], *facts)


def _standing(reader: Reader, response: Response, number: int) -> Iterator[tuple[Ints, Ints, Ints, int]]:
    """Yields (rows, first byte, end byte of each in the response, bytes kept from run ends): grams, words, facts."""
    rows = reader.gram_ledger.rows(number)
    yield rows, reader.grams.at[rows], reader.grams.at[rows] + reader.seed_bytes, 0
    _, which = np.unique(response.words.value, return_inverse=True)
    yield reader.word_ledger.rows(number)[which], response.words.first, response.words.last, 1
    rows = reader.fact_ledger.rows(number)
    which = reader.facts.at[rows]
    yield rows, response.facts.first[which], response.facts.last[which], 1


def loose_passages(
    pair: Pair, chosen: Sequence[Sequence[Run]], holders: Holders, least_milli: int
) -> tuple[list[Span], list[Run]]:
    """Returns the spans of chains whose source has no characters, and their runs: exact ones, weighed as ``passages``.

    What neither run tells (garbled letters between, ends) is not aligned.
    """
    response, raw, net = pair.response, pair.weights.raw_total, pair.weights.net_total
    weighed = sorted((-stretch_score(runs, net), [*runs]) for runs in chosen)
    credit = ANCHOR
    spans: list[Span] = []
    told: list[Run] = []
    ends = [(runs[0][0], runs[-1][0] + runs[-1][2]) for _, runs in weighed]
    for i in apart(ends):
        score, runs = -weighed[i][0], weighed[i][1]
        longest = max(raw[at + length] - raw[at] for at, _, length in runs)
        earned = credit * min(longest, FULL_RUN) // FULL_RUN
        bits = max(0, score + earned - pair.location_milli) if score else 0
        if bits < least_milli:
            continue
        credit = 0
        told += runs
        first, last = ends[i]
        source_first, _ = pair.points(runs[0][1], runs[0][2])
        _, source_last = pair.points(runs[-1][1], runs[-1][2])
        width = last - first + runs[-1][1] + runs[-1][2] - runs[0][1]
        similarity = 2000 * sum(length for _, _, length in runs) // width
        begin, end = int(response.folded.start[first]), int(response.folded.end[last - 1])
        held = holders(pair, runs)
        spans.append(Span(begin, end, source_first, source_last, bits, similarity, "aligned", held))
    return spans, told
