"""Finds passages that were reworded or reordered: many rare words close together on both sides, in any order.

A word matters by how rarely it is used in all the texts compared. Where a source has it within ``WINDOW`` words of the
place that the passage has reached, that is worth -log2(p * WINDOW) bits, p being the word's share of all words, and a
bit less for each doubling of its mentions on either side: what both texts are about recurs anyway. Words that are not
found, out of order or left out cost a little each. Inflected forms count as one word (its first ``STEM`` bytes). A
passage must say enough even if each of its words counts once: a name that both repeat is one coincidence.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.normalise import Folded
from forensics.match.seeds import Hashes, Ints
from forensics.match.tokens import stems

STEM: Final = 6
WINDOW: Final = 50  # words
LEAST_WORD: Final = 2_000  # milli-bits below which a word is too common to matter
UNFOUND: Final = 1_200  # milli-bits that a word of the response costs that is not found in the source
SHIFT: Final = 150  # milli-bits that a word costs for each word by which it is out of order
FAR: Final = 400  # milli-bits that a word of the source costs that the passage leaves out
OCCURRENCES: Final = 16  # a word that the source has more often is its subject, and says nothing about a place
SHORTEST: Final = 25  # words of either side; what is shorter must be found letter by letter
REPEATED: Final = 0.4  # bits that each doubling of a word's mentions costs
CROWD: Final = 20_000  # milli-bits that points in a neighbourhood must weigh together to be looked at


@dataclass(frozen=True)
class Words:
    """The words of one text in order: stem (hash), first and last byte in its folded form (end exclusive)."""

    stem: Hashes
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.stem)


@dataclass(frozen=True)
class Rarity:
    """How often each stem occurs in a collection: sorted stems, counts, and the number of all words."""

    stem: Hashes
    count: Ints
    total: int

    def milli_bits(self, stem: Hashes) -> Ints:
        """Returns -log2 of each stem's share of all words, in 1/1000; an unknown stem counts as seen once."""
        if not len(self.stem):
            return np.full(len(stem), 10_000, dtype=np.int64)
        slot = np.minimum(np.searchsorted(self.stem, stem), len(self.stem) - 1)
        count = np.where(self.stem[slot] == stem, self.count[slot], 1)
        bits: Ints = np.round(1000 * np.log2(max(self.total, 2) / count)).astype(np.int64)
        return bits


@dataclass(frozen=True)
class Passage:
    """Bytes of both folded texts, end exclusive; the weight in milli-bits; the share of rare words, in 1/1000."""

    first: int
    last: int
    source_first: int
    source_last: int
    milli_bits: int
    similarity_milli: int


def words_of(folded: Folded) -> Words:
    """Returns the words of a folded text."""
    return Words(*stems(folded, STEM))


def rarity(collection: Iterable[Words]) -> Rarity:
    """Returns how often each stem occurs in the texts."""
    counts: list[tuple[Hashes, npt.NDArray[np.int64]]] = []
    total = 0
    for words in collection:
        counts.append(np.unique(words.stem, return_counts=True))
        total += len(words)
    if not counts:
        return Rarity(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64), 0)
    stem, inverse = np.unique(np.concatenate([s for s, _ in counts]), return_inverse=True)
    count = np.bincount(inverse, weights=np.concatenate([c for _, c in counts])).astype(np.int64)
    return Rarity(stem, count, total)


def reworded(response: Words, source: Words, rare: Rarity, least_milli: int) -> list[Passage]:
    """Returns the passages of one pair that weigh at least ``least_milli``, best first, apart in the response."""
    at, source_at, weight = _points(response, source, rare)
    paths = _paths(at, source_at, weight)
    location = round(1000 * float(np.log2(max(len(response), 2)) + np.log2(max(len(source), 2))))
    found: list[Passage] = []
    for score, path in paths:
        if score - location < least_milli:
            break
        members = _compact(path, source_at, weight)
        said_before = _repeats([int(response.stem[at[i]]) for i in members], [weight[i] for i in members])
        if score - location - said_before < least_milli:
            continue
        here, there = [at[i] for i in members], [source_at[i] for i in members]
        if min(max(here) - min(here), max(there) - min(there)) + 1 < SHORTEST:
            continue
        passage = Passage(
            int(response.first[min(here)]), int(response.last[max(here)]),
            int(source.first[min(there)]), int(source.last[max(there)]), score - location,
            min(1000, 2000 * len(members) // (max(here) - min(here) + max(there) - min(there) + 2)),
        )  # fmt: skip
        if not any(_meet(passage, other) for other in found):
            found.append(passage)
    return found


def _repeats(stems_of: list[int], weight: list[int]) -> int:
    """Returns what the words of a passage weigh that it has before, in milli-bits."""
    return sum(weight) - sum(dict(zip(stems_of, weight, strict=True)).values())


def _compact(members: list[int], source_at: list[int], weight: list[int]) -> list[int]:
    """Returns the members between which the source is densest: far words that the path took on its way drop out."""
    ordered = sorted(members, key=lambda i: (source_at[i], i))
    best, best_range, score, first = -1, (0, 0), 0, 0
    for k, i in enumerate(ordered):
        gap = source_at[i] - source_at[ordered[k - 1]] - 1 if k > first else 0
        if k > first and score - FAR * gap > 0:
            score += weight[i] - FAR * max(gap, 0)
        else:
            score, first = weight[i], k
        if score > best:
            best, best_range = score, (first, k + 1)
    return ordered[slice(*best_range)]


def _meet(one: Passage, other: Passage) -> bool:
    """Whether two passages overlap on both sides."""
    mine = min(one.last, other.last) > max(one.first, other.first)
    return mine and min(one.source_last, other.source_last) > max(one.source_first, other.source_first)


def _points(response: Words, source: Words, rare: Rarity) -> tuple[list[int], list[int], list[int]]:
    """Returns where both have the same rare word: index in the response, in the source, milli-bits."""
    order = np.argsort(source.stem, kind="stable")
    ordered = source.stem[order]
    low = np.searchsorted(ordered, response.stem)
    count = np.searchsorted(ordered, response.stem, side="right") - low
    _, which, said = np.unique(response.stem, return_inverse=True, return_counts=True)
    spread = np.log2(WINDOW * (said[which] * np.maximum(count, 1)) ** REPEATED)
    weight = rare.milli_bits(response.stem) - np.round(1000 * spread).astype(np.int64)
    mine = np.flatnonzero((weight >= LEAST_WORD) & (count > 0) & (count <= OCCURRENCES))
    low, count = low[mine], count[mine]
    step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    at = np.repeat(mine, count)
    source_at = order[np.repeat(low, count) + step]
    crowded = _crowded(at, source_at, weight[at])
    at, source_at = at[crowded], source_at[crowded]
    return at.tolist(), source_at.tolist(), weight[at].tolist()


def _crowded(at: Ints, source_at: Ints, weight: Ints) -> npt.NDArray[np.bool_]:
    """Marks points whose own and neighbouring squares of ``WINDOW`` words weigh enough together."""
    if not len(at):
        return np.zeros(0, dtype=np.bool_)
    rows, columns = at // WINDOW + 1, source_at // WINDOW + 1
    width = int(columns.max()) + 2
    squares, inverse = np.unique(rows * width + columns, return_inverse=True)
    heavy = np.bincount(inverse, weights=weight)
    total = np.zeros(len(squares))
    for down in (-width, 0, width):
        for right in (-1, 0, 1):
            slot = np.minimum(np.searchsorted(squares, squares + down + right), len(squares) - 1)
            total += np.where(squares[slot] == squares + down + right, heavy[slot], 0)
    crowded: npt.NDArray[np.bool_] = (total >= CROWD)[inverse]
    return crowded


def _paths(at: list[int], source_at: list[int], weight: list[int]) -> list[tuple[int, list[int]]]:
    best, before = list(weight), [-1] * len(weight)
    low = 0
    for i, (here, there) in enumerate(zip(at, source_at, strict=True)):
        while at[low] < here - WINDOW:
            low += 1
        for j in range(i - 1, low - 1, -1):
            if at[j] == here or not -WINDOW <= there - source_at[j] <= WINDOW or there == source_at[j]:
                continue
            ahead = here - at[j]
            score = weight[i] + best[j] - UNFOUND * (ahead - 1) - SHIFT * abs(there - source_at[j] - ahead)
            if score > best[i]:
                best[i], before[i] = score, j
    return _trace(best, before)


def _trace(best: list[int], before: list[int]) -> list[tuple[int, list[int]]]:
    used = [False] * len(best)
    paths = []
    for tail in sorted(range(len(best)), key=lambda i: (-best[i], i)):
        members = []
        i = tail
        while i >= 0 and not used[i]:
            used[i] = True
            members.append(i)
            i = before[i]
        if members:
            paths.append((best[tail] - (best[i] if i >= 0 else 0), members[::-1]))
    return sorted(paths, key=lambda path: (-path[0], path[1]))
