"""What each byte of a response says towards a leak, by who else holds the seeds that cover it.

A seed that nobody beside the two tenants holds stands once among all letters of all texts: to come by it by chance
takes log2 of that many places, shared out over its bytes (``rate``), and never more than two bits a letter, about what
prose carries. A seed that more tenants hold, or too many to look for, says what stock phrases say. What the recipient's
own texts or public ones hold says nothing. Bytes that no seed covers (runs between two garbled letters are too short
for one) say what they are worth in themselves.
"""

from typing import Final

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Ints, compiled
from forensics.match.sweep.scan import FIRST, LAST, RESPONSE, SCORE, Answers, Kept
from forensics.match.sweep.seeding import GRAM, seeds
from forensics.match.sweep.table import CAPPED, find

PLAIN, NOVEL, STOCK, PUBLIC, OWN = 0, 1, 2, 3, 4

MOST_BITS: Final = 2_000  # milli-bits of one letter
LETTER: Final = 1_000
DIGIT: Final = 3_322
STOCK_LETTER: Final = 350
PHRASE: Final = 32  # bytes: what is shorter, anybody may say twice


@compiled
def _demote(kind: Bytes) -> None:
    """Turns runs that explain less than ``PHRASE`` bytes into STOCK: a phrase of one's own explains no passage."""
    begin = 0
    for byte in range(1, len(kind) + 1):
        if byte < len(kind) and kind[byte] == kind[begin]:
            continue
        if kind[begin] >= PUBLIC and byte - begin < PHRASE:
            kind[begin:byte] = STOCK
        begin = byte


@compiled
def kinds(answers: Answers, r: int, kept: Kept, holders: Bytes, most: int, kind: Bytes) -> None:
    """Writes the kind of each byte of response r; a seed that at most ``most`` tenants hold is NOVEL.

    Where seeds of several kinds cover a byte, OWN goes before PUBLIC, NOVEL and STOCK.
    """
    low, high = answers.bounds[r], answers.bounds[r + 1]
    hashes, at = np.empty(high - low + 1, dtype=np.uint64), np.empty(high - low + 1, dtype=np.int32)
    kind[:] = PLAIN
    for k in range(seeds(answers.data, low, high, hashes, at)):
        seed = find(hashes[k], kept.shift, kept.offsets, kept.cells)
        if seed < 0:
            continue
        place = nb.int64(at[k])
        what = STOCK if holders[seed] == CAPPED or holders[seed] > most else NOVEL
        mine = np.uint64(r) << np.uint64(32) | np.uint64(place)
        for entry in range(nb.int64(kept.starts[seed]), nb.int64(kept.starts[seed + 1])):
            if kept.places[entry] == mine:
                if kept.own[entry]:
                    what = OWN
                elif kept.public[entry]:
                    what = PUBLIC
        for byte in range(place, place + GRAM):
            known = kind[byte]
            if what >= PUBLIC:
                kind[byte] = max(known, what)
            elif known < PUBLIC and known != NOVEL:
                kind[byte] = what
    _demote(kind)


@compiled
def coarse(rows: Ints, most: Ints, answers: Answers, kept: Kept, holders: Bytes, rate: int, worth: Ints) -> None:
    """Writes, for each nominated row, about what its passage says, in milli-bits: rather too much than too little.

    ``most[i]`` is how many tenants may hold a seed of row i that still counts as novel. Rows of one response should
    follow each other.
    """
    known, known_most = -1, -1
    kind = np.empty(0, dtype=np.uint8)
    for i in range(len(rows)):
        r = rows[i, RESPONSE]
        low, size = answers.bounds[r], answers.bounds[r + 1] - answers.bounds[r]
        if r != known or most[i] != known_most:
            kind = np.empty(size, dtype=np.uint8)
            kinds(answers, r, kept, holders, most[i], kind)
            known, known_most = r, most[i]
        total = 0
        for byte in range(rows[i, FIRST], rows[i, LAST]):
            what, value = kind[byte], answers.data[low + byte]
            own = DIGIT if 48 <= value <= 57 else LETTER
            if what == PLAIN:
                total += own
            elif what == NOVEL:
                total += max(rate, own)
            elif what == STOCK:
                total += STOCK_LETTER
        # What differs was counted too: of n bytes with d differences, which cost two each, the score is n less 3 d.
        width = max(rows[i, LAST] - rows[i, FIRST], 1)
        alike = min(width, (width + rows[i, SCORE]) // 2 + 8)
        worth[i] = total * alike // width
