"""Chooses seeds: grams of ``GRAM`` folded bytes, about a third of them, by their own content alone.

A gram is chosen if, of the ``INNER``-byte grams in it, the one of least rank stands first or last (a closed syncmer).
So what surrounds a gram, garbled or not, never decides, and of any ``SPAN`` bytes in a row at least one gram is chosen:
two copies of a run that long share a seed. Grams of period one to three say nothing and are never chosen: where a run
holds only such, there is nothing to find.
"""

from typing import Any, Final

import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, compiled

GRAM: Final = 13
INNER: Final = 8
SPAN: Final = GRAM + GRAM - INNER - 1

_STEPS: Final = GRAM - INNER  # from the first inner gram to the last
_BLOCK: Final = 4096  # places looked at in one go: what is made of them stays in the cache
_A: Final = np.uint64(0x9E3779B97F4A7C15)
_B: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_C: Final = np.uint64(0xFF51AFD7ED558CCD)
_A32: Final = np.uint32(0x9E3779B1)
_B32: Final = np.uint32(0x85EBCA77)
_S8: Final = np.uint64(8)
_S29: Final = np.uint64(29)
_S32: Final = np.uint64(32)
_S35: Final = np.uint64(35)
_S56: Final = np.uint64(56)


@compiled
def seeds(data: Bytes, low: int, high: int, hashes: Hashes, places: Any) -> int:
    """Writes the hash and place (from ``low``) of the seeds of one text, ``data[low:high]``; returns how many.

    ``hashes`` and ``places`` must have room for as many as the text has bytes.
    """
    count = 0
    if high - low < GRAM:
        return 0
    wide = np.empty(_BLOCK + _STEPS, dtype=np.uint64)
    rank = np.empty(_BLOCK + _STEPS, dtype=np.uint32)
    chosen = np.empty(_BLOCK, dtype=np.uint8)
    for begin in range(low, high - GRAM + 1, _BLOCK):
        size = min(_BLOCK, high - GRAM + 1 - begin)
        last = np.uint64(0)
        for at in range(begin, begin + 7):
            last = last >> _S8 | np.uint64(data[at]) << _S56
        for i in range(size + _STEPS):
            last = last >> _S8 | np.uint64(data[begin + 7 + i]) << _S56
            wide[i] = last
        for i in range(size + _STEPS):
            rank[i] = np.uint32(wide[i]) * _A32 + np.uint32(wide[i] >> _S32) * _B32
        for i in range(size):
            inner = min(rank[i + 1], rank[i + 2], rank[i + 3], rank[i + 4])
            plain = (rank[i] != rank[i + 1]) & (rank[i] != rank[i + 2]) & (rank[i] != rank[i + 3])
            chosen[i] = (min(rank[i], rank[i + _STEPS]) <= inner) & plain
        found = count
        for i in range(size):
            places[found] = begin - low + i
            found += chosen[i]
        for k in range(count, found):
            i = places[k] - (begin - low)
            after = wide[i + _STEPS]
            mixed = (wide[i] * _A ^ (after << _S29 | after >> _S35)) * _C
            hashes[k] = mixed ^ mixed >> _S32
        count = found
    return count


def seed_list(data: Bytes) -> tuple[Hashes, Ints]:
    """Returns hashes and places of the seeds of one folded text."""
    hashes, places = np.empty(len(data) + 1, dtype=np.uint64), np.empty(len(data) + 1, dtype=np.int64)
    count = seeds(data, 0, len(data), hashes, places)
    return hashes[:count], places[:count]
