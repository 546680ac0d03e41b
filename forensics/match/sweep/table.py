"""The compiled side of the seed table: filling it, counting tenants in it, keeping what may matter, finding places.

A seed's 64-bit hash is told apart by its bucket (its highest bits) and its mark (its lowest 32). The marks of a bucket
stand together, ascending, each once; ``offsets`` says where a bucket's begin. Beside each mark is a 32-bit state: which
tenants hold the seed. One tenant: the highest bit and its number. Several: each sets one of 24 bits, which count a few
tenants, and one of seven others that ever fewer tenants set, which tell hundreds from thousands. So tenants may come in
any order, any number of times, from any thread, and leave the same state.
"""

from typing import Any, Final

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, compiled
from forensics.match.sweep.seeding import seeds

Words = Any  # NDArray[np.uint32] or NDArray[np.uint64], as each function says

SHARDS: Final = 16
CAPPED: Final = 128  # added to twice log2 of the holders where they are too many to look for this seed
PARTS: Final = 24  # of the tenants, by their own hash: one bit each
_LOW: Final = np.uint64(0xFFFFFFFF)
_S5: Final = np.uint64(5)
_S6: Final = np.uint64(6)
_S27: Final = np.uint64(27)
_S32: Final = np.uint64(32)
_S59: Final = np.uint64(59)
_S60: Final = np.uint64(60)
_ONE: Final = np.uint64(1)
_63: Final = np.uint64(63)
_ALONE: Final = np.uint32(0x80000000)
_PARTS_MASK: Final = np.uint32((1 << PARTS) - 1)
_LEVELS: Final = 7  # each is set by a quarter of the tenants that set the one before, or less
_CROWDED: Final = 18  # parts held from which the levels say more than the parts do


@compiled
def _cell(value: Any, shift: Any) -> Any:
    """Returns which bit of the bitmap stands for a hash: its bucket, then five bits of its mark."""
    return (value >> shift) << _S5 | (value & _LOW) >> _S27


@compiled
def tally(data: Bytes, bounds: Ints, shift: Any, first: int, last: int, counts: Words) -> None:
    """Adds to ``counts`` (uint32) how many seeds of the texts fall into each bucket from ``first`` to ``last``."""
    longest = np.max(np.diff(bounds))
    hashes, places = np.empty(longest + 1, dtype=np.uint64), np.empty(longest + 1, dtype=np.int32)
    for text in range(len(bounds) - 1):
        for k in range(seeds(data, bounds[text], bounds[text + 1], hashes, places)):
            bucket = np.int64(hashes[k] >> shift)
            if first <= bucket < last:
                counts[bucket] += np.uint32(1)


@compiled
def fill(data: Bytes, bounds: Ints, shift: Any, first: int, last: int, ends: Words, cells: Words) -> None:
    """Writes each seed's mark before ``ends`` of its bucket, which moves down: afterwards it is where it begins."""
    longest = np.max(np.diff(bounds))
    hashes, places = np.empty(longest + 1, dtype=np.uint64), np.empty(longest + 1, dtype=np.int32)
    for text in range(len(bounds) - 1):
        for k in range(seeds(data, bounds[text], bounds[text + 1], hashes, places)):
            bucket = np.int64(hashes[k] >> shift)
            if first <= bucket < last:
                ends[bucket] -= np.uint32(1)
                cells[ends[bucket]] = hashes[k] << _S32


@compiled
def distinct(offsets: Words, cells: Words, first: int, last: int, kept: int, bitmap: Words) -> int:
    """Sorts the cells of the buckets ``first`` to ``last``, keeps each once, after the ``kept`` ones before, in place.

    Returns how many are kept now. ``offsets`` is rewritten but for its last value; ``bitmap`` gains their bits.
    """
    low = nb.int64(offsets[first])
    for bucket in range(first, last):
        high = nb.int64(offsets[bucket + 1])
        offsets[bucket] = kept
        if high - low > 32:
            cells[low:high] = np.sort(cells[low:high])
        else:
            for i in range(low + 1, high):
                cell, k = cells[i], i
                while k > low and cells[k - 1] > cell:
                    cells[k] = cells[k - 1]
                    k -= 1
                cells[k] = cell
        for i in range(low, high):
            cell = cells[i]
            if kept == nb.int64(offsets[bucket]) or cell != cells[kept - 1]:
                cells[kept] = cell
                kept += 1
                bit = np.uint64(bucket) << _S5 | cell >> _S59
                bitmap[bit >> _S6] |= _ONE << (bit & _63)
        low = high
    return kept


@compiled
def probe(
    data: Bytes, bounds: Ints, shift: Any, bitmap: Words, hits: Hashes, owners: Any, digests: Ints
) -> tuple[int, int]:
    """Writes hash and text (int32) of the seeds that the bitmap lets through; returns (seeds, hits).

    ``digests[i]`` becomes a hash of text i, by its seeds and its length.
    """
    longest = np.max(np.diff(bounds))
    hashes, places = np.empty(longest + 1, dtype=np.uint64), np.empty(longest + 1, dtype=np.int32)
    read = count = 0
    for text in range(len(bounds) - 1):
        found = seeds(data, bounds[text], bounds[text + 1], hashes, places)
        value = np.uint64(bounds[text + 1] - bounds[text])
        for k in range(found):
            value += hashes[k] * hashes[k] ^ hashes[k]
        digests[text] = nb.int64(value)
        for k in range(found):
            cell = _cell(hashes[k], shift)
            hits[count] = hashes[k]
            owners[count] = text
            count += (bitmap[cell >> _S6] >> (cell & _63) & _ONE) != 0
        read += found
    return read, count


@compiled
def sharded(hits: Hashes, owners: Any, edges: Ints) -> tuple[Hashes, Any]:
    """Orders hits by their highest bits; ``edges`` (SHARDS + 1 values) becomes where each shard begins."""
    edges[:] = 0
    for k in range(len(hits)):
        edges[nb.int64(hits[k] >> _S60) + 1] += 1
    for shard in range(SHARDS):
        edges[shard + 1] += edges[shard]
    at = edges.copy()
    hashes, texts = np.empty_like(hits), np.empty_like(owners)
    for k in range(len(hits)):
        shard = nb.int64(hits[k] >> _S60)
        hashes[at[shard]] = hits[k]
        texts[at[shard]] = owners[k]
        at[shard] += 1
    return hashes, texts


@compiled
def part(tenant: int) -> Any:
    """Returns which of the ``PARTS`` a tenant belongs to."""
    mixed = np.uint32(tenant) * np.uint32(0x9E3779B1)
    return nb.int64((mixed >> np.uint32(8)) % np.uint32(PARTS))


@compiled
def _holder(tenant: int) -> Any:
    dice = (np.uint32(tenant) ^ np.uint32(0x5BD1E995)) * np.uint32(0x85EBCA77)
    dice ^= dice >> np.uint32(15)
    level = 0
    while level < _LEVELS - 1 and dice & np.uint32(3) == 0:
        dice >>= np.uint32(2)
        level += 1
    return np.uint32(1) << np.uint32(part(tenant)) | np.uint32(1) << np.uint32(PARTS + level)


@compiled
def _with(state: Any, tenant: int) -> Any:
    if state == 0:
        return _ALONE | np.uint32(tenant)
    if state & _ALONE:
        known = nb.int64(state & np.uint32(0x7FFFFFFF))
        if known == tenant:
            return state
        return _holder(known) | _holder(tenant)
    return state | _holder(tenant)


@compiled
def count(hashes: Hashes, texts: Any, tenants: Ints, shift: Any, offsets: Words, cells: Words) -> int:
    """Notes for each hit that the tenant of its text holds that seed; returns how many hits are in the table.

    ``tenants[i]`` is the tenant of text i; -1 is nobody's and is not noted.
    """
    known = 0
    lows = np.empty(256, dtype=np.int64)
    for begin in range(0, len(hashes), 256):
        size = min(256, len(hashes) - begin)
        for k in range(size):
            lows[k] = offsets[np.int64(hashes[begin + k] >> shift)]
        for k in range(size):
            hash_ = hashes[begin + k]
            mark = hash_ & _LOW
            i, high = lows[k], nb.int64(offsets[np.int64(hash_ >> shift) + 1])
            while i < high and cells[i] >> _S32 < mark:
                i += 1
            if i < high and cells[i] >> _S32 == mark:
                known += 1
                tenant = tenants[texts[begin + k]]
                if tenant >= 0:
                    state = np.uint32(cells[i] & _LOW)
                    cells[i] = mark << _S32 | np.uint64(_with(state, tenant))
    return known


@compiled
def _ones(state: Any) -> int:
    ones = 0
    state &= _PARTS_MASK
    while state:
        state &= state - np.uint32(1)
        ones += 1
    return ones


@compiled
def _crowd(state: Any, ones: int) -> Any:
    """Returns about twice log2 of the tenants that left such a state."""
    if ones < _CROWDED:
        return nb.int64(round(2 * np.log2(-PARTS * np.log(1 - ones / PARTS))))
    level = 0
    for each in range(_LEVELS):
        if state >> np.uint32(PARTS + each) & np.uint32(1):
            level = each
    return max(10, 4 * level + 1)


@compiled
def keep(
    offsets: Words, cells: Words, first: int, last: int, kept: int, most: int, holders: Bytes, bitmap: Words
) -> int:
    """Keeps, in place, the seeds that several tenants hold; those of more than ``most`` of the parts as CAPPED.

    Goes through the buckets ``first`` to ``last``, after ``kept`` seeds were kept; returns how many are now.
    ``offsets`` is rewritten but for its last value, ``holders[i]`` becomes how many parts hold seed i (or ``CAPPED``
    and more), ``bitmap`` (empty at first) says what may be looked for.
    """
    low = nb.int64(offsets[first])
    for bucket in range(first, last):
        high = nb.int64(offsets[bucket + 1])
        offsets[bucket] = kept
        for i in range(low, high):
            state = np.uint32(cells[i] & _LOW)
            if state & _ALONE or state == 0:
                continue
            ones = _ones(state)
            mark = cells[i] >> _S32
            cells[kept] = mark << _S32
            holders[kept] = CAPPED + _crowd(state, ones) if ones > most else max(ones, 2)
            kept += 1
            if ones > most:
                continue
            cell = np.uint64(bucket) << _S5 | mark >> _S27
            bitmap[cell >> _S6] |= _ONE << (cell & _63)
        low = high
    return kept


@compiled
def find_from(i: int, value: Any, shift: Any, offsets: Words, cells: Words) -> int:
    """Returns the number of a kept seed, -1 if it is none; ``i`` is where its bucket begins."""
    mark = value & _LOW
    high = nb.int64(offsets[np.int64(value >> shift) + 1])
    while i < high and cells[i] >> _S32 < mark:
        i += 1
    return i if i < high and cells[i] >> _S32 == mark else -1


@compiled
def find(value: Any, shift: Any, offsets: Words, cells: Words) -> int:
    """Returns the number of a kept seed, -1 if it is none."""
    return find_from(nb.int64(offsets[np.int64(value >> shift)]), value, shift, offsets, cells)


@compiled
def passes(value: Any, shift: Any, bitmap: Words) -> Any:
    """Says whether the bitmap lets a hash through."""
    cell = _cell(value, shift)
    return (bitmap[cell >> _S6] >> (cell & _63) & _ONE) != 0


@compiled
def scatter(data: Bytes, bounds: Ints, places: Ints, out: Bytes) -> None:
    """Copies text i of a block to ``out[places[i]:]``."""
    for text in range(len(bounds) - 1):
        size = bounds[text + 1] - bounds[text]
        out[places[text] : places[text] + size] = data[bounds[text] : bounds[text + 1]]
