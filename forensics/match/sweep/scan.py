"""Looks up a text's seeds among the kept ones and extends each match letter by letter in both directions.

What both share around a seed is a *segment*. It goes on over small differences (a letter changed, lost, added, up to
three) for as long as four equal letters follow; each costs two letters. A text nominates a response if one segment, or
several in order, say enough.
"""

from typing import Any, Final, NamedTuple

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, compiled
from forensics.match.sweep.seeding import GRAM, seeds
from forensics.match.sweep.table import find_from, passes

FACTS: Final = ("tenant", "exchange", "began", "until")  # of a response; times in ns UTC
FIELDS: Final = 8  # response, text, first and last byte in the one, in the other, score, bytes of the text
RESPONSE, TEXT, FIRST, LAST, SOURCE_FIRST, SOURCE_LAST, SCORE, SIZE = range(FIELDS)
REACH: Final = 4096  # bytes that a segment extends to either side
_REPEATS: Final = 8  # times that one seed of a text is looked at
_SLOTS: Final = 4096
_GIVE_UP: Final = 10
_LOOK_BACK: Final = 16
_GAP: Final = 200  # bytes between two segments of one passage
_LEAST: Final = GRAM + 1
FEWEST: Final = 18  # letters of a passage, however rare


class Kept(NamedTuple):
    """The kept seeds (``table``) with where they stand in the responses (``places``) and what explains those places."""

    shift: Any
    offsets: Any
    cells: Any
    bitmap: Any
    starts: Any
    places: Hashes
    own: Bytes
    public: Bytes


class Answers(NamedTuple):
    """The responses in memory: folded bytes, where each begins, and of each the ``FACTS``, side by side."""

    data: Bytes
    bounds: Ints
    facts: Ints


class Texts(NamedTuple):
    """What is known of the texts of a block: number, tenant (-1: public), exchange, since when (ns UTC), and whether a
    prompt; ``skip`` marks copies of a text of the same tenant."""

    number: Ints
    tenant: Ints
    exchange: Ints
    since: Ints
    prompt: Bytes
    skip: Bytes


@compiled
def _extend(a: Bytes, i: int, room_a: int, b: Bytes, j: int, room_b: int, step: int) -> tuple[int, int, int]:
    """Returns (score, bytes of ``a``, bytes of ``b``) of the best extension from ``a[i]`` and ``b[j]`` on."""
    x = y = score = best = best_x = best_y = 0
    while True:
        while x < room_a and y < room_b and a[i + step * x] == b[j + step * y]:
            x, y, score = x + 1, y + 1, score + 1
        if score > best:
            best, best_x, best_y = score, x, y
        if x >= room_a or y >= room_b or x >= REACH or y >= REACH:
            return best, best_x, best_y
        found = False
        for width in range(1, 4):
            for short in range(width, -1, -1):
                for turn in range(2):
                    if turn and short == width:
                        continue
                    p, q = (width, short) if turn == 0 else (short, width)
                    if x + p + 4 > room_a or y + q + 4 > room_b:
                        continue
                    u, v = i + step * (x + p), j + step * (y + q)
                    if (
                        a[u] == b[v] and a[u + step] == b[v + step]
                        and a[u + 2 * step] == b[v + 2 * step] and a[u + 3 * step] == b[v + 3 * step]
                    ):  # fmt: skip
                        found, x, y, score = True, x + p, y + q, score - 2 * width
                        break
                if found:
                    break
            if found:
                break
        if not found or score < best - _GIVE_UP:
            return best, best_x, best_y


@compiled
def _role(texts: Texts, t: int, answers: Answers, r: int) -> int:
    """Returns what text t may be to response r: 0 nothing, 1 the recipient's own, 2 public, 3 another's.

    Another's text that came later cannot be the source: what it shares with the response is chance, and measured.
    """
    if texts.tenant[t] < 0:
        return 2
    if texts.exchange[t] == answers.facts[r, 1]:
        return 1 if texts.prompt[t] else 0
    if texts.tenant[t] == answers.facts[r, 0]:
        return 1 if texts.since[t] < answers.facts[r, 2] else 0
    return 3


@compiled
def known(count: int, hashes: Hashes, at: Any, which: Any, kept: Kept) -> int:
    """Keeps, in place, those of a text's seeds that are kept ones; ``which`` becomes their numbers. Returns how many.

    Step by step over all seeds, so that the memory's answers to one are awaited together with those to the next.
    """
    passed = 0
    for k in range(count):
        let = passes(hashes[k], kept.shift, kept.bitmap)
        hashes[passed], at[passed] = hashes[k], at[k]
        passed += let
    for k in range(passed):
        which[k] = kept.offsets[np.int64(hashes[k] >> kept.shift)]
    found = 0
    for k in range(passed):
        seed = find_from(nb.int64(which[k]), hashes[k], kept.shift, kept.offsets, kept.cells)
        hashes[found], at[found], which[found] = hashes[k], at[k], seed
        found += seed >= 0
    return found


@compiled
def scan(
    data: Bytes, bounds: Ints, texts: Texts, kept: Kept, answers: Answers, least: Ints, found: Ints, stopped: Bytes
) -> tuple[int, int]:
    """Writes nominated passages to ``found`` (rows of ``FIELDS``); returns (rows needed, places looked at).

    ``least[0]`` letters are the fewest of a passage out of an answer, ``least[1]`` out of a prompt; log2 of the
    response's length comes on top. Returns early, with less, once another thread sets ``stopped[0]``.

    Marks in ``kept`` which places the recipient's own or public texts explain. If more rows are needed than ``found``
    has, the rest is not written: make room and scan again.
    """
    longest = np.max(np.diff(bounds))
    hashes, at = np.empty(longest + 1, dtype=np.uint64), np.empty(longest + 1, dtype=np.int32)
    which = np.empty(longest + 1, dtype=np.int32)
    seen, times = np.zeros(_SLOTS, dtype=np.uint64), np.zeros(_SLOTS, dtype=np.int64)
    way, end = np.zeros(_SLOTS, dtype=np.int64), np.zeros(_SLOTS, dtype=np.int64)
    rows = np.empty((1024, 6), dtype=np.int64)
    needed = looked = 0
    for t in range(len(bounds) - 1):
        low, high = bounds[t], bounds[t + 1]
        count = known(seeds(data, low, high, hashes, at), hashes, at, which, kept)
        segments = 0
        # Scratch tables are not emptied between texts: what they hold is marked with the text it is of.
        sign = np.uint64(texts.number[t] + 1) * np.uint64(0x9E3779B97F4A7C15)
        for k in range(count):
            if stopped[0]:
                return 0, looked
            value = hashes[k] ^ sign
            seed = which[k]
            slot = np.int64(value & np.uint64(_SLOTS - 1))
            if seen[slot] != value:
                seen[slot], times[slot] = value, 0
            times[slot] += 1
            if times[slot] > _REPEATS:
                continue
            place = nb.int64(at[k])
            for entry in range(nb.int64(kept.starts[seed]), nb.int64(kept.starts[seed + 1])):
                r = nb.int64(kept.places[entry] >> np.uint64(32))
                role = _role(texts, t, answers, r)
                if role == 0:
                    continue
                if role == 1:
                    kept.own[entry] = 1
                    continue
                if role == 2:
                    kept.public[entry] = 1
                    continue
                if texts.skip[t]:
                    continue
                off = nb.int64(kept.places[entry] & np.uint64(0xFFFFFFFF))
                # Places on one diagonal of one response are told apart from all others by this number.
                line = ((r << 32) + off - place) ^ np.int64(sign)
                lane = ((line * 0x9E3779B1) >> 20) & (_SLOTS - 1)
                if way[lane] == line and place < end[lane]:
                    continue
                looked += 1
                begin, size = answers.bounds[r], answers.bounds[r + 1] - answers.bounds[r]
                score, x, y = _extend(
                    answers.data, begin + off + GRAM, size - off - GRAM, data, low + place + GRAM,
                    high - low - place - GRAM, 1,
                )  # fmt: skip
                back, p, q = _extend(answers.data, begin + off - 1, off, data, low + place - 1, place, -1)
                way[lane], end[lane] = line, place + GRAM + y
                score += back + GRAM
                if score < _LEAST:
                    continue
                if segments == len(rows):
                    wider = np.empty((2 * segments, 6), dtype=np.int64)
                    wider[:segments] = rows
                    rows = wider
                rows[segments, 0] = r
                rows[segments, 1], rows[segments, 2] = off - p, off + GRAM + x
                rows[segments, 3], rows[segments, 4] = place - q, place + GRAM + y
                rows[segments, 5] = score
                segments += 1
        if segments:
            nominated = found[min(needed, len(found)) :]
            named = _nominate(rows[:segments], texts.number[t], answers, nb.int64(least[texts.prompt[t]]), nominated)
            nominated[:named, SIZE] = high - low
            needed += named
    return needed, looked


@compiled
def _enough(answers: Answers, r: int, first: int, last: int, score: int, least: int) -> Any:
    """Whether a passage says enough; a digit counts as three letters."""
    low, size = answers.bounds[r], answers.bounds[r + 1] - answers.bounds[r]
    needed = least + nb.int64(np.log2(max(size, 2)))
    if score >= needed or score < FEWEST:
        return score >= needed
    digits = 0
    for byte in range(low + first, low + last):
        digits += 48 <= answers.data[byte] <= 57
    return score + 2 * digits >= needed


@compiled
def _nominate(rows: Ints, number: int, answers: Answers, least: int, found: Ints) -> int:
    """Writes the passages of one text whose segments say enough, alone or in order; returns how many there are."""
    written = 0
    if len(rows) == 1:
        if _enough(answers, rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 5], least):
            _write(found, written, rows[0, 0], number, rows[0, 1], rows[0, 2], rows[0, 3], rows[0, 4], rows[0, 5])
            written += 1
        return written
    order = np.argsort(rows[:, 0] << 32 | rows[:, 1])
    best = np.empty(len(rows), dtype=np.int64)
    first, first_at = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    for n in range(len(order)):
        i = order[n]
        best[n], first[n], first_at[n] = rows[i, 5], rows[i, 1], rows[i, 3]
        for m in range(n - 1, max(-1, n - 1 - _LOOK_BACK), -1):
            j = order[m]
            if rows[j, 0] != rows[i, 0]:
                break
            gap, gap_at = rows[i, 1] - rows[j, 2], rows[i, 3] - rows[j, 4]
            if gap >= -4 and gap_at >= -4 and gap <= _GAP and gap_at <= _GAP:
                score = best[m] + rows[i, 5] - 2 - min(abs(gap - gap_at), 20) // 2
                if score > best[n]:
                    best[n], first[n], first_at[n] = score, first[m], first_at[m]
        if _enough(answers, rows[i, 0], first[n], rows[i, 2], best[n], least):
            _write(found, written, rows[i, 0], number, first[n], rows[i, 2], first_at[n], rows[i, 4], best[n])
            written += 1
    return written


@compiled
def _write(found: Ints, row: int, r: int, t: int, a: int, b: int, c: int, d: int, score: int) -> None:
    if row < len(found):
        found[row, 0], found[row, 1], found[row, 2], found[row, 3] = r, t, a, b
        found[row, 4], found[row, 5], found[row, 6] = c, d, score
