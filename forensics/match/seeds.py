"""Finds the grams that a few responses share with any text: responses are indexed, every other text is read once.

Every gram of ``seed_bytes`` folded bytes that starts at a character is looked up, so any shared run of that many bytes
is seen. A gram that recurs within one text is kept ``REPEATS`` times: repetition (one character, ``hello`` ten thousand
times, a table of zeros) then costs no more than prose.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.finding import GRAM_BASE, GRAM_MIX, lookup_of, ranks_of, rows_of
from forensics.match.normalise import Bytes, Folded

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

REPEATS: Final = 8
_BASE: Final = GRAM_BASE
_MIX: Final = np.uint64(GRAM_MIX)
_WORD: Final = 1 << 64
_BLOCK: Final = 1 << 17


def gram_hashes(data: Bytes, size: int) -> Hashes:
    """Returns a 64-bit hash of the ``size`` bytes from every position: n - size + 1 values, or none.

    Polynomial, built by doubling: H of 2m bytes is H of m bytes times B^m plus the next H of m bytes.
    """
    count = len(data) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    hashes = np.empty(count, dtype=np.uint64)
    for low in range(0, count, _BLOCK):
        high = min(low + _BLOCK, count)
        hashes[low:high] = _block_hashes(data[low : high + size - 1], size)
    return hashes


def _block_hashes(data: Bytes, size: int) -> Hashes:
    power = data.astype(np.uint64) + np.uint64(1)
    count = len(data) - size + 1
    done = np.zeros(count, dtype=np.uint64)
    length, covered = 1, 0
    while True:
        if size & length:
            done = done * np.uint64(pow(_BASE, length, _WORD)) + power[covered : covered + count]
            covered += length
        if length * 2 > size:
            break
        power = power[:-length] * np.uint64(pow(_BASE, length, _WORD)) + power[length:]
        length *= 2
    mixed = (done ^ (done >> np.uint64(33))) * _MIX
    return mixed ^ (mixed >> np.uint64(29))


def capped(hashes: Hashes | Ints, limit: int = REPEATS) -> Ints:
    """Returns, in ascending order, the indices of the first ``limit`` occurrences of each hash."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    fresh = np.ones(len(ordered), dtype=np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    first = np.flatnonzero(fresh)
    rank = np.arange(len(ordered)) - np.repeat(first, np.diff(first, append=len(ordered)))
    return np.sort(order[rank < limit])


class GramIndex:
    """Hashed grams of a set of responses, one row per occurrence, for looking up any number of texts.

    Rows are numbered by ``(hash, response, place)``; ``response[row]`` and ``at[row]`` say where each stands.
    """

    def __init__(self, grams: Sequence[tuple[Hashes, Ints]], *, most_responses: int | None = None) -> None:
        """Takes (hashes, places) of each response. Grams that more than ``most_responses`` hold are left out."""
        hashes, owners, places = [], [], []
        for number, (found, at) in enumerate(grams):
            kept = capped(found)
            hashes.append(found[kept])
            places.append(at[kept])
            owners.append(np.full(len(kept), number, dtype=np.int64))
        all_hashes = np.concatenate([np.empty(0, dtype=np.uint64), *hashes])
        order = np.argsort(all_hashes, kind="stable")
        none = np.empty(0, dtype=np.int64)
        self.response: Ints = np.concatenate([none, *owners])[order]
        self.at: Ints = np.concatenate([none, *places])[order]
        self._hash, self._first = np.unique(all_hashes[order], return_index=True)
        self._count = np.diff(self._first, append=len(all_hashes))
        if most_responses is not None:
            self._drop_common(most_responses)
        self.table = lookup_of(self._hash)

    def __len__(self) -> int:
        return len(self.at)

    def _drop_common(self, most: int) -> None:
        kept = self.holders()[self._first] <= most if len(self._first) else np.empty(0, dtype=np.bool_)
        self._hash, self._first, self._count = self._hash[kept], self._first[kept], self._count[kept]

    def holders(self) -> Ints:
        """Returns, for every row, how many responses hold its gram."""
        change = np.ones(len(self.response), dtype=np.int64)
        change[1:] = self.response[1:] != self.response[:-1]
        change[self._first] = 1
        counted = np.add.reduceat(change, self._first) if len(self._first) else self._first
        held: Ints = np.repeat(counted, self._count)
        return held

    def lookup(self, hashes: Hashes, at: Ints, limit: int = REPEATS) -> tuple[Ints, Ints]:
        """Returns (rows, places in the text) of the grams that stand in a response; each at most ``limit`` times."""
        ranks, index = ranks_of(self.table, hashes, limit, self.counters())
        return self.rows(ranks, at[index])

    def counters(self) -> npt.NDArray[np.int32]:
        """Returns a zero for each distinct hash, as the loops want them to count in."""
        return np.zeros(len(self._hash), dtype=np.int32)

    def rows(self, ranks: Ints, at: Ints) -> tuple[Ints, Ints]:
        """Returns every row of the distinct hashes with these ranks, each with the place that is given beside it."""
        return rows_of(ranks, at, self._first, self._count)


def seed_grams(folded: Folded, size: int) -> tuple[Hashes, Ints]:
    """Returns the hash and place of every ``size``-byte gram that starts at a character."""
    hashes = gram_hashes(folded.data, size)
    at = np.flatnonzero(folded.lead[: len(hashes)])
    return hashes[at], at


def winnowed(hashes: Hashes, at: Ints, window: int) -> tuple[Hashes, Ints]:
    """Returns the least of every ``window`` hashes in a row, each once: what any two copies of a run keep alike."""
    if len(hashes) < window:
        return hashes, at
    least = np.lib.stride_tricks.sliding_window_view(hashes, window).argmin(axis=1)
    kept = np.unique(least + np.arange(len(least)))
    return hashes[kept], at[kept]


@dataclass(frozen=True)
class Segments:
    """Exact shared runs: ``response`` (index), ``at`` and ``source_at`` (first byte), ``length`` in bytes."""

    response: Ints
    at: Ints
    source_at: Ints
    length: Ints

    def __len__(self) -> int:
        return len(self.at)

    def pick(self, which: npt.NDArray[np.bool_]) -> "Segments":
        """Returns the runs that the mask selects."""
        return Segments(self.response[which], self.at[which], self.source_at[which], self.length[which])


def segments(response: Ints, at: Ints, source_at: Ints, size: int) -> Segments:
    """Merges shared grams on one diagonal into maximal runs, ordered by response, diagonal, place."""
    diagonal = source_at - at
    order = np.lexsort((at, diagonal, response))
    response, at, diagonal = response[order], at[order], diagonal[order]
    begins = np.ones(len(at), dtype=np.bool_)
    begins[1:] = (response[1:] != response[:-1]) | (diagonal[1:] != diagonal[:-1]) | (np.diff(at) > size)
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(at)) - 1 if len(first) else first
    return Segments(response[first], at[first], at[first] + diagonal[first], at[last] - at[first] + size)
