"""Crowds: places where a response and a text share many short runs on neighbouring diagonals, though no long one."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from forensics.match.local import crowds
from forensics.match.normalise import Folded
from forensics.match.seeds import GramIndex, Ints, seed_grams

SHORT: Final = 7
"""Bytes of the short runs."""
BAND: Final = 64
"""Bytes of diagonals whose runs are counted together; a passage may drift by as many."""
COVERED: Final = 24
"""Bytes that short runs cover at least, in a text of ``PLAIN`` bytes; each doubling of the text asks for four more."""
PLAIN: Final = 1 << 14
THIN: Final = 6
"""One byte in so many is covered at least."""
GAP: Final = 120
"""Bytes without a short run after which a crowd ends."""
MOST: Final = 16
"""Crowds of one response and one text that are aligned, those first that cover most."""

CROWD: Final = 5
"""Columns of a crowd: response, first byte, end byte, diagonal, bytes covered."""
NONE: Final[Ints] = np.empty((0, CROWD), dtype=np.int64)
COMMON: Final = 20
"""Responses, or one in fifty of them, that hold a short run which is not looked for: it is common."""


def short_runs(responses: Sequence[Folded]) -> GramIndex:
    """Returns the index of the responses' short runs."""
    most = max(COMMON, len(responses) // 50)
    return GramIndex([seed_grams(folded, SHORT) for folded in responses], most_responses=most)


def nominated(response: Ints, at: Ints, source_at: Ints, size: int) -> Ints:
    """Returns the crowds of short runs that a text of ``size`` folded bytes shares with responses, one a row."""
    least = COVERED + round(4 * math.log2(max(1.0, size / PLAIN)))
    if len(at) * SHORT < least:
        return NONE
    found = []
    diagonal = source_at - at
    lowest = int(diagonal.min())
    for shift in (0, BAND // 2):
        band = (diagonal - lowest + shift) // BAND
        order = np.lexsort((at, band, response))
        rows = np.stack([response[order], band[order], at[order]], axis=1)
        crowd = crowds(rows, np.array([SHORT, GAP, least, THIN]))
        crowd[:, 3] = crowd[:, 3] * BAND + BAND // 2 - shift + lowest
        found.append(crowd)
    return _once(np.concatenate(found))


def _once(found: Ints) -> Ints:
    """Leaves out what a crowd on the neighbouring diagonals that covers more tells too."""
    kept: dict[int, list[int]] = {}
    order = np.lexsort((found[:, 3], found[:, 1], -found[:, 4], found[:, 0]))
    for row in order.tolist():
        response, first, end, diagonal, _ = found[row].tolist()
        mine = kept.setdefault(response, [])
        known = any(
            first < found[other, 2] and found[other, 1] < end and abs(int(found[other, 3]) - diagonal) <= BAND
            for other in mine
        )
        if not known and len(mine) < MOST:
            mine.append(row)
    return found[[row for rows in kept.values() for row in rows]]
