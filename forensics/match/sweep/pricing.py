"""What each byte of a response says towards a leak, by who else holds the seeds that cover it.

Letters of a prompt that nobody beside the two tenants holds say ``NOVEL_LETTER`` each, or what it takes to tell one
place from all letters of all texts, shared out over a seed's bytes (``rate_milli``), if that is less. A stretch that
other tenants hold too is a phrase out of a stock of phrases: all of it says log2 of all letters over the places where
it stands (about ``USES`` for each tenant that holds the rarest seed of it), never more than a bit a letter and never
less than stock letters do. Answers resemble each other, whoever asked: what another tenant's *answer* shares says
``ALIKE`` thousandths of what letters say in themselves. What the recipient's own texts or public ones hold says
nothing. Bytes that no seed covers (runs between two garbled letters are too short for one) say what they are worth in
themselves.
"""

import math
from typing import Any, Final

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Ints, compiled
from forensics.match.sweep.scan import FIRST, LAST, RESPONSE, SCORE, Answers, Kept
from forensics.match.sweep.seeding import GRAM, seeds
from forensics.match.sweep.table import CAPPED, find

PLAIN, NOVEL, STOCK, PUBLIC, OWN = 0, 1, 2, 3, 4

NOVEL_LETTER: Final = 1_250  # milli-bits
LETTER: Final = 1_000
DIGIT: Final = 3_322
STOCK_LETTER: Final = 350
ALIKE: Final = 500  # thousandths
USES: Final = 4  # of a phrase by one tenant that holds it
PHRASE: Final = 32  # bytes: what is shorter, anybody may say twice

_UNKNOWN: Final = 255


def rate_milli(letters: int) -> int:
    """Returns what a byte of a seed says that stands once among so many folded bytes, in milli-bits."""
    return min(NOVEL_LETTER, round(1000 * math.log2(max(letters, 2)) / GRAM))


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
def _crowd(held: Any) -> Any:
    """Returns twice log2 of the tenants that hold a seed, given its entry in ``holders``."""
    if held >= CAPPED:
        return nb.int64(held) - CAPPED
    return nb.int64(round(2 * np.log2(held)))


@compiled
def kinds(
    answers: Answers, r: int, kept: Kept, holders: Bytes, most: int, letters: int, kind: Bytes, stock: Ints
) -> None:
    """Writes the kind of each byte of response r, and what a byte says (milli-bits) where its kind is STOCK.

    A seed that at most ``most`` parts of the tenants hold is NOVEL; ``letters`` are the folded bytes of all texts.
    Where seeds of several kinds cover a byte, OWN goes before PUBLIC, NOVEL and STOCK.
    """
    low, high = answers.bounds[r], answers.bounds[r + 1]
    hashes, at = np.empty(high - low + 1, dtype=np.uint64), np.empty(high - low + 1, dtype=np.int32)
    kind[:] = PLAIN
    crowd = np.full(high - low, _UNKNOWN, dtype=np.uint8)
    for k in range(seeds(answers.data, low, high, hashes, at)):
        seed = find(hashes[k], kept.shift, kept.offsets, kept.cells)
        if seed < 0:
            continue
        place = nb.int64(at[k])
        what = STOCK if holders[seed] > most else NOVEL
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
            if what == STOCK:
                crowd[byte] = min(crowd[byte], _crowd(holders[seed]))
    _demote(kind)
    _price_stock(kind, crowd, letters, stock)


@compiled
def _price_stock(kind: Bytes, crowd: Bytes, letters: int, stock: Ints) -> None:
    """Shares out what each stretch of STOCK says over its bytes."""
    all_places = np.log2(letters / USES)
    begin = 0
    for byte in range(1, len(kind) + 1):
        if byte < len(kind) and kind[byte] == kind[begin]:
            continue
        if kind[begin] == STOCK:
            rarest = crowd[begin:byte].min()
            whole = 0 if rarest == _UNKNOWN else nb.int64(1000 * (all_places - rarest / 2))
            stock[begin:byte] = max(STOCK_LETTER, min(LETTER, whole // (byte - begin)))
        begin = byte


@compiled
def coarse(
    rows: Ints, most: Ints, asked: Bytes, answers: Answers, kept: Kept, holders: Bytes, rate: int, letters: int,
    worth: Ints,
) -> None:  # fmt: skip
    """Writes, for each nominated row, about what its passage says, in milli-bits: rather too much than too little.

    ``most[i]`` is how many parts of the tenants may hold a seed of row i that still counts as novel, ``asked[i]`` says
    whether its text is a prompt. Rows of one response should follow each other.
    """
    known, known_most = -1, -1
    kind, stock = np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64)
    for i in range(len(rows)):
        r = rows[i, RESPONSE]
        low, size = answers.bounds[r], answers.bounds[r + 1] - answers.bounds[r]
        if r != known or most[i] != known_most:
            kind, stock = np.empty(size, dtype=np.uint8), np.empty(size, dtype=np.int64)
            kinds(answers, r, kept, holders, most[i], letters, kind, stock)
            known, known_most = r, most[i]
        total = 0
        for byte in range(rows[i, FIRST], rows[i, LAST]):
            what, value = kind[byte], answers.data[low + byte]
            own = DIGIT if 48 <= value <= 57 else LETTER
            if what == PLAIN:
                total += own
            elif what == NOVEL:
                total += max(rate, own) if asked[i] else own
            elif what == STOCK:
                total += stock[byte] if asked[i] else STOCK_LETTER
        if not asked[i]:
            total = total * ALIKE // 1000
        # What differs was counted too: of n bytes with d differences, which cost two each, the score is n less 3 d.
        width = max(rows[i, LAST] - rows[i, FIRST], 1)
        alike = min(width, (width + rows[i, SCORE]) // 2 + 8)
        worth[i] = total * alike // width
