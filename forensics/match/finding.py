"""The compiled loops that look up grams, words and facts of every text, and that chain what was found.

Only arrays come in and go out; what the numbers mean is said by ``seeds``, ``tokens`` and ``chain``, whose vectorised
definitions the tests hold against these loops.
"""

from typing import Final, NamedTuple

import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, Mask, Numbers, compiled

GRAM_BASE: Final = 0x9E3779B97F4A7C15
GRAM_MIX: Final = 0xFF51AFD7ED558CCD
TOKEN_BASE: Final = 0xD6E8FEB86659FD93
TOKEN_PAIR: Final = 0xA0761D6478BD642F
LONGEST_FACT: Final = 6  # tokens


class Lookup(NamedTuple):
    """Distinct hashes, ascending, to be found fast: ``seen`` says what cannot be there, ``heads`` where to look.

    ``seen`` is a Bloom filter of 64-bit blocks small enough for the cache: a hash's highest bits name its block, its
    two lowest groups of six a bit each. ``heads`` is an open table of ranks, -1 where free.
    """

    seen: Hashes
    seen_shift: np.uint64
    heads: Numbers
    head_shift: np.uint64
    hashes: Hashes


@compiled
def _bits(value: np.uint64) -> np.uint64:
    low = np.uint64(63)
    return np.uint64(1) << (value & low) | np.uint64(1) << ((value >> np.uint64(6)) & low)


@compiled
def lookup_of(hashes: Hashes) -> Lookup:
    """Returns a table of ``hashes``, which must be distinct and ascending."""
    bits = 6
    while bits < 30 and (1 << bits) < 2 * len(hashes):
        bits += 1
    head_shift = np.uint64(64 - bits)
    heads = np.full(1 << bits, -1, dtype=np.int32)
    blocks = max(bits - 3, 1)
    seen_shift = np.uint64(64 - blocks)
    seen = np.zeros(1 << blocks, dtype=np.uint64)
    last = np.uint64(len(heads) - 1)
    for rank in range(len(hashes)):
        seen[hashes[rank] >> seen_shift] |= _bits(hashes[rank])
        at = hashes[rank] >> head_shift
        while heads[at] >= 0:
            at = (at + np.uint64(1)) & last
        heads[at] = rank
    return Lookup(seen, seen_shift, heads, head_shift, hashes)


@compiled
def rank_of(table: Lookup, value: np.uint64) -> int:
    """Returns the rank of one hash in the table, -1 if it is not there."""
    bits = _bits(value)
    if table.seen[value >> table.seen_shift] & bits != bits:
        return -1
    last = np.uint64(len(table.heads) - 1)
    at = value >> table.head_shift
    while True:
        rank = table.heads[at]
        if rank < 0 or table.hashes[rank] == value:
            return int(rank)
        at = (at + np.uint64(1)) & last


@compiled
def ranks_of(table: Lookup, hashes: Hashes, limit: int, count: Numbers) -> tuple[Ints, Ints]:
    """Returns (rank, index) of the hashes that are in the table, each of them at most ``limit`` times, in order.

    ``count`` has a zero for every hash of the table, and has them again afterwards.
    """
    ranks = np.empty(len(hashes), dtype=np.int64)
    index = np.empty(len(hashes), dtype=np.int64)
    n = 0
    for i in range(len(hashes)):
        rank = rank_of(table, hashes[i])
        if rank >= 0 and count[rank] < limit:
            count[rank] += 1
            ranks[n], index[n] = rank, i
            n += 1
    count[ranks[:n]] = 0
    return ranks[:n].copy(), index[:n].copy()


@compiled
def rows_of(ranks: Ints, at: Ints, first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Returns the ``count`` rows from ``first`` on of every rank, each with what ``at`` says of that rank."""
    total = 0
    for rank in ranks:
        total += count[rank]
    rows, places = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    n = 0
    for i in range(len(ranks)):
        for step in range(count[ranks[i]]):
            rows[n], places[n] = first[ranks[i]] + step, at[i]
            n += 1
    return rows, places


@compiled
def find_grams(data: Bytes, size: int, table: Lookup, limit: int, count: Numbers) -> tuple[Ints, Ints]:
    """Returns (rank, first byte) of the grams of ``size`` bytes that are in the table, each at most ``limit`` times.

    ``count`` as in ``ranks_of``.
    """
    room = min(len(data), limit * len(table.hashes))
    ranks, places = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    n = 0
    seen, seen_shift = table.seen, table.seen_shift
    top, value = np.uint64(1), np.uint64(0)
    for _ in range(size - 1):
        top *= np.uint64(GRAM_BASE)
    for last in range(len(data)):
        if last >= size:
            value -= (np.uint64(data[last - size]) + np.uint64(1)) * top
        value = value * np.uint64(GRAM_BASE) + np.uint64(data[last]) + np.uint64(1)
        first = last - size + 1
        if first < 0 or (data[first] & 0xC0) == 0x80:
            continue
        mixed = (value ^ (value >> np.uint64(33))) * np.uint64(GRAM_MIX)
        mixed ^= mixed >> np.uint64(29)
        bits = _bits(mixed)
        if seen[mixed >> seen_shift] & bits != bits:
            continue
        rank = rank_of(table, mixed)
        if rank >= 0 and count[rank] < limit:
            count[rank] += 1
            ranks[n], places[n] = rank, first
            n += 1
    count[ranks[:n]] = 0
    return ranks[:n].copy(), places[:n].copy()


@compiled
def _spelled(data: Bytes, first: int, last: int) -> np.uint64:
    value, power = np.uint64(0), np.uint64(1)
    for at in range(first, last):
        power *= np.uint64(TOKEN_BASE)
        value += (np.uint64(data[at]) + np.uint64(1)) * power
    return value


@compiled
def token_values(data: Bytes, begins: Numbers, dense: Mask) -> tuple[Hashes, Numbers, Mask]:
    """Returns (hash, first byte, spaced) of every token: a word, or two neighbouring dense characters."""
    values = np.empty(len(begins), dtype=np.uint64)
    first = np.empty(len(begins), dtype=np.int32)
    spaced = np.empty(len(begins), dtype=np.bool_)
    n = 0
    following = np.uint64(0)
    for i in range(len(begins) - 1, -1, -1):
        last = begins[i + 1] if i + 1 < len(begins) else len(data)
        mine = _spelled(data, begins[i], last)
        paired = dense[i] and i + 1 < len(begins) and dense[i + 1]
        if paired or not dense[i]:
            value = mine + following * np.uint64(TOKEN_PAIR) if paired else mine
            values[n] = (value ^ (value >> np.uint64(31))) * np.uint64(TOKEN_PAIR)
            first[n], spaced[n] = begins[i], not dense[i]
            n += 1
        following = mine
    return values[:n][::-1].copy(), first[:n][::-1].copy(), spaced[:n][::-1].copy()


@compiled
def find_facts(values: Hashes, first: Numbers, table: Lookup, limit: int, count: Numbers) -> tuple[Ints, Ints]:
    """Returns (rank, first byte) of the sequences of tokens that are in the table, given the spaced tokens of a text.

    Each at most ``limit`` times, ordered by place, then length. ``count`` as in ``ranks_of``.
    """
    room = min(LONGEST_FACT * len(values), limit * len(table.hashes))
    ranks, places = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    n = 0
    for i in range(len(values)):
        run = np.uint64(0)
        for step in range(min(LONGEST_FACT, len(values) - i)):
            value = values[i + step]
            if step:
                mixed = run * np.uint64(TOKEN_BASE) + value
                run = mixed ^ (mixed >> np.uint64(32))
            else:
                run = value
            rank = rank_of(table, run)
            if rank >= 0 and count[rank] < limit:
                count[rank] += 1
                ranks[n], places[n] = rank, first[i]
                n += 1
    count[ranks[:n]] = 0
    return ranks[:n].copy(), places[:n].copy()


@compiled
def chain_scores(runs: Ints, total: Ints, costs: Ints, reach: int) -> tuple[Ints, Ints]:
    """Returns (best score of a chain that ends with each run, the run before it or -1).

    ``runs`` has a row for the first bytes in the response, by which they are ordered, one for those in the source, one
    for lengths.
    ``total`` cumulates the weights of the response's bytes; ``costs`` says what a gap of so many bytes costs on one
    side, half of what any gap costs included, up to the widest that is crossed; ``reach`` runs are looked back on.
    """
    at, source_at, length = runs[0], runs[1], runs[2]
    best, before = np.empty(len(at), np.int64), np.full(len(at), -1, np.int64)
    for i in range(len(at)):
        last = at[i] + length[i]
        best[i] = total[last] - total[at[i]]
        for j in range(i - 1, max(-1, i - 1 - reach), -1):
            end, source_end = at[j] + length[j], source_at[j] + length[j]
            trim = max(0, end - at[i], source_end - source_at[i])
            gap, source_gap = at[i] + trim - end, source_at[i] + trim - source_end
            if trim >= length[i] or gap >= len(costs) or source_gap >= len(costs):
                continue
            if source_at[i] <= source_at[j] or last <= end:
                continue
            score = best[j] + total[last] - total[at[i] + trim] - costs[gap] - costs[source_gap]
            if score > best[i]:
                best[i], before[i] = score, j
    return best, before
