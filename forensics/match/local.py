"""The compiled loops that find and align garbled passages: only arrays go in and come out (``garbled`` says why)."""

from typing import Final

import numpy as np

from forensics.match.kernel import Bytes, Codes, Ints, compiled

NONE: Final = -1


@compiled
def crowds(found: Ints, bounds: Ints) -> Ints:
    """Returns the places where short runs crowd: (response, first byte, end byte, band, bytes covered), in order.

    ``found`` has a row (response, band of diagonals, first byte) for every short run, in that order. ``bounds`` are the
    bytes of a run, the widest gap within a crowd, the fewest bytes that a crowd covers, and of how many bytes one must
    be covered.
    """
    size, gap, least, thin = bounds
    kept = np.empty((len(found) + 1, 5), dtype=np.int64)
    n = 0
    first, end, covered = np.int64(0), np.int64(0), np.int64(0)
    for row in range(len(found) + 1):
        joins = 0 < row < len(found) and (found[row, :2] == found[row - 1, :2]).all() and found[row, 2] - end <= gap
        if not joins:
            if row and covered >= least and covered * thin >= end - first:
                kept[n, 0], kept[n, 1], kept[n, 2] = found[row - 1, 0], first, end
                kept[n, 3], kept[n, 4] = found[row - 1, 1], covered
                n += 1
            if row < len(found):
                first, end, covered = found[row, 2], found[row, 2], np.int64(0)
        if row < len(found):
            last = found[row, 2] + size
            covered += last - max(end, found[row, 2])
            end = max(end, last)
    return kept[:n].copy()


@compiled
def codes_of(data: Bytes, begins: Ints, end: int) -> Codes:
    """Returns a number for each character that begins at ``begins``; the last one ends at ``end``."""
    codes = np.zeros(len(begins), dtype=np.uint32)
    for i in range(len(begins)):
        last = begins[i + 1] if i + 1 < len(begins) else end
        for at in range(begins[i], last):
            codes[i] = codes[i] << np.uint32(8) | np.uint32(data[at])
    return codes


@compiled
def aligned(mine: Codes, theirs: Codes, worth: Ints, costs: tuple[Ints, Ints], near: tuple[Ints, int]) -> Ints:
    """Returns the best local alignment: (score, first and end in ``mine``, first and end in ``theirs``, equal ones).

    A character of ``mine`` that meets its like earns its ``worth``; one that is changed, lost or added costs what
    ``costs`` says of it, of ``mine`` or of ``theirs``. ``near`` are the places in
    ``theirs`` at which the like of each is expected, ascending, and how far from there it may be.
    """
    mine_costs, their_costs = costs
    expected, band = near
    width = len(theirs) + 1
    score = np.zeros((2, width), dtype=np.int64)
    begun = np.zeros((2, width, 3), dtype=np.int64)  # first in mine, first in theirs, equal ones
    best = np.zeros(6, dtype=np.int64)
    reached = 0
    for i in range(1, len(mine) + 1):
        now, before = i & 1, 1 - (i & 1)
        low, high = max(1, expected[i - 1] + 1 - band), min(width - 1, expected[i - 1] + 1 + band)
        for j in range(reached + 1, high + 1):
            score[before, j] = 0
        score[now, max(low - 1, 0)] = 0
        reached = max(reached, high)
        for j in range(low, high + 1):
            equal = mine[i - 1] == theirs[j - 1]
            told, from_row, from_column = np.int64(0), now, NONE
            step = score[before, j - 1] + (worth[i - 1] if equal else -mine_costs[i - 1])
            if step > told:
                told, from_row, from_column = step, before, j - 1
            if score[before, j] - mine_costs[i - 1] > told:
                told, from_row, from_column = score[before, j] - mine_costs[i - 1], before, j
            if score[now, j - 1] - their_costs[j - 1] > told:
                told, from_row, from_column = score[now, j - 1] - their_costs[j - 1], now, j - 1
            score[now, j] = told
            if from_column == NONE:
                continue
            fresh = score[from_row, from_column] == 0
            diagonal = from_row == before and from_column == j - 1
            begun[now, j, 0] = i - 1 if fresh else begun[from_row, from_column, 0]
            begun[now, j, 1] = j - 1 if fresh else begun[from_row, from_column, 1]
            begun[now, j, 2] = (0 if fresh else begun[from_row, from_column, 2]) + (diagonal and equal)
            if told > best[0]:
                best[0], best[1], best[2], best[3], best[4] = told, begun[now, j, 0], i, begun[now, j, 1], j
                best[5] = begun[now, j, 2]
    return best
