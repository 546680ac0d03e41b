"""Folds many texts at once, straight from the UTF-8 that Parquet holds: byte for byte what ``normalise.fold`` says."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numba as nb
import numpy as np

from forensics.match.kernel import Bytes, Ints, compiled, four_digits, spell
from forensics.match.normalise import ENTITY, fold, folding_table

_ROOM: Final = 128  # bytes that one character folds to at most, with some to spare
_ENTITY: Final = re.compile(ENTITY.encode())
_SPECIAL: Final = 255  # what ``narrow`` says of bytes that are no character by themselves, and of the backslash


@dataclass(frozen=True)
class Block:
    """Folded texts one after another: text i is ``data[bounds[i]:bounds[i + 1]]``."""

    data: Bytes
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1


def fold_block(raw: Bytes, begins: Ints, ends: Ints) -> Block:
    """Returns the folded form of the texts ``raw[begins[i]:ends[i]]`` (UTF-8)."""
    table, narrow = folding_table(), _narrow()
    size = int((ends - begins).sum()) + _ROOM
    bounds = np.zeros(len(begins) + 1, dtype=np.int64)
    while True:
        data = np.empty(size, dtype=np.uint8)
        if _fold(raw, begins, ends, narrow, table.folds, table.first, table.target, data, bounds):
            return _with_entities(Block(data[: bounds[-1]], bounds), raw, begins, ends)
        size *= 2


def _with_entities(block: Block, raw: Bytes, begins: Ints, ends: Ints) -> Block:
    """Returns the block with the texts that hold entities of HTML folded one by one, as ``normalise`` does."""
    if not len(begins):
        return block
    low, high = int(begins.min()), int(ends.max())
    marks = low + np.flatnonzero(raw[low:high] == ord("&"))
    after = raw[np.minimum(marks + 1, len(raw) - 1)]
    marks = marks[(after == ord("#")) | ((after | 0x20) - ord("a") < 26)]
    view = raw.data
    holding = {
        text
        for at, text in zip(marks.tolist(), (np.searchsorted(begins, marks, side="right") - 1).tolist(), strict=True)
        if text >= 0 and _ENTITY.match(view, at, int(ends[text]))
    }
    if not holding:
        return block
    parts = [block.data[block.bounds[text] : block.bounds[text + 1]] for text in range(len(block))]
    for text in holding:
        parts[text] = fold(bytes(view[begins[text] : ends[text]]).decode("utf-8", "surrogatepass")).data
    bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Block(np.concatenate(parts), bounds)


@lru_cache(maxsize=1)
def _narrow() -> Bytes:
    """Returns what each byte folds to by itself: 0 for nothing, ``_SPECIAL`` where more must be known."""
    table = folding_table()
    narrow = np.full(256, _SPECIAL, dtype=np.uint8)
    narrow[:128] = np.where(table.folds[:128] > 0, table.target[table.first[:128]], 0)
    narrow[ord("\\")] = _SPECIAL
    return narrow


@compiled
def _escape(raw: Bytes, at: int, end: int) -> tuple[int, int]:
    """Reads what follows backslashes: returns (code point, next byte); -1 for nothing, -2 for no escape.

    ``at`` is the first byte after the run of backslashes.
    """
    byte = raw[at]
    if byte in (110, 114, 116, 98, 102, 34, 47):  # nrtbf"/
        return -1, at + 1
    if byte != 117:  # u
        return -2, at
    value = four_digits(raw, at + 1, end)
    if value < 0:
        return -2, at
    after = at + 5
    if 0xD800 <= value < 0xDC00:
        low_at = after
        while low_at < end and raw[low_at] == 92:
            low_at += 1
        if 1 <= low_at - after <= 4 and low_at < end and raw[low_at] == 117:
            low = four_digits(raw, low_at + 1, end)
            if 0xDC00 <= low < 0xE000:
                return 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00), low_at + 5
    return value, after


@compiled
def _decode(raw: Bytes, at: int) -> tuple[int, int]:
    """Returns the code point that begins at a byte above 127, and the next byte."""
    byte = nb.int64(raw[at])
    if byte < 0xE0:
        return (byte & 0x1F) << 6 | (raw[at + 1] & 0x3F), at + 2
    if byte < 0xF0:
        return (byte & 0x0F) << 12 | (nb.int64(raw[at + 1]) & 0x3F) << 6 | (raw[at + 2] & 0x3F), at + 3
    high = (byte & 0x07) << 18 | (nb.int64(raw[at + 1]) & 0x3F) << 12
    return high | (nb.int64(raw[at + 2]) & 0x3F) << 6 | (raw[at + 3] & 0x3F), at + 4


@compiled
def _fold(
    raw: Bytes,
    begins: Ints,
    ends: Ints,
    narrow: Bytes,
    count: Bytes,
    first: Any,
    target: Any,
    data: Bytes,
    bounds: Ints,
) -> bool:
    """Fills ``data`` and ``bounds``; false if ``data`` is too small."""
    n = 0
    for text in range(len(begins)):
        at, end = begins[text], ends[text]
        bounds[text] = n
        # A conjoining Hangul vowel or tail joins the letter just written: 1 a lead, 2 a lead with its vowel.
        state, base, place = 0, 0, 0
        while at < end:
            if n + (end - at) + _ROOM > len(data):
                return False
            before = n
            kept = narrow[raw[at]]
            while kept != _SPECIAL:
                data[n] = kept
                n += kept != 0
                at += 1
                if at == end:
                    break
                kept = narrow[raw[at]]
            if at == end:
                break
            if n > before:
                state = 0
            if raw[at] < 128:
                while at < end and raw[at] == 92:
                    at += 1
                if at == end:
                    break
                code, after = _escape(raw, at, end)
                if code == -1:
                    at = after
                    continue
                if code == -2:
                    # An ordinary character after backslashes: read as such in the next round.
                    if raw[at] < 128:
                        continue
                    code, after = _decode(raw, at)
                at = after
            else:
                code, at = _decode(raw, at)
            for step in range(count[code]):
                folded = nb.int64(target[first[code] + step])
                if state == 1 and 0x1161 <= folded <= 0x1175:
                    base = 0xAC00 + ((base - 0x1100) * 21 + (folded - 0x1161)) * 28
                    n = spell(data, place, base)
                    state = 2
                elif state == 2 and 0x11A8 <= folded <= 0x11C2:
                    n = spell(data, place, base + folded - 0x11A7)
                    state = 0
                else:
                    state = 1 if 0x1100 <= folded <= 0x1112 else 0
                    base, place = folded, n
                    n = spell(data, n, folded)
    bounds[len(begins)] = n
    return True
