"""What a text says again says nothing new: marks the bytes that repeat what stood before."""

from typing import Final

import numpy as np

from forensics.match.kernel import Bytes, Hashes, Mask, compiled
from forensics.match.normalise import Folded
from forensics.match.seeds import gram_hashes

LONGEST_PERIOD: Final = 32


def repeated(folded: Folded, seed_bytes: int) -> Mask:
    """Marks bytes that repeat what the text had before: a gram seen earlier, or a period of up to 32 bytes."""
    found = np.zeros(len(folded), dtype=np.bool_)
    _mark_grams(gram_hashes(folded.data, seed_bytes), seed_bytes, found)
    _mark_periods(folded.data, found)
    return found


@compiled
def _mark_grams(hashes: Hashes, size: int, found: Mask) -> None:
    """Marks the ``size`` bytes from every place whose hash stood before."""
    slots = 16
    while slots < 2 * len(hashes):
        slots *= 2
    table, used = np.zeros(slots, dtype=np.uint64), np.zeros(slots, dtype=np.bool_)
    marked = 0
    for place in range(len(hashes)):
        slot = np.int64(hashes[place] & np.uint64(slots - 1))
        while used[slot] and table[slot] != hashes[place]:
            slot = (slot + 1) & (slots - 1)
        if used[slot]:
            found[max(place, marked) : place + size] = True
            marked = place + size
        else:
            table[slot], used[slot] = hashes[place], True


@compiled
def _mark_periods(data: Bytes, found: Mask) -> None:
    """Marks what repeats the bytes just before it, a whole period and at least three bytes of it."""
    for period in range(1, min(LONGEST_PERIOD + 1, len(data))):
        least, alike = max(period, 3), 0
        for place in range(period, len(data)):
            alike = alike + 1 if data[place] == data[place - period] else 0
            if alike == least:
                found[place + 1 - least : place + 1] = True
            elif alike > least:
                found[place] = True
