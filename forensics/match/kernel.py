"""The compiled loop that folds every byte of every text, and what compiled loops share (``finding`` has the others).

Only arrays come in and go out; what the numbers mean is said by ``normalise``, whose vectorised
definition the tests hold against it. Compiled once per machine and kept beside the code; the interpreter's lock is
released while it runs.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int32]

F = TypeVar("F", bound=Callable[..., Any])

IDEOGRAPH: Final = 3
_SLASH: Final = 0x5C
_WIDEST: Final = 80  # bytes that one escaped character folds to at most
_ESCAPE_REACH: Final = 9  # between the ``u`` of one half of a surrogate pair and that of the other


def compiled(function: F) -> F:
    """Compiles a loop over arrays at its first call; later processes find it compiled."""
    return cast(F, numba.njit(nogil=True, cache=True)(function))


class Table(NamedTuple):
    """How code points fold: ``target[first[c]:first[c] + folds[c]]``, each of a ``kind``."""

    folds: Bytes
    first: Codes
    target: Codes
    kind: Bytes


class Map(NamedTuple):
    """Where every folded byte comes from: ``start`` and ``end`` in the original, its ``kind``, and ``fresh``.

    ``fresh`` marks first bytes of what does not follow the character before directly.
    """

    start: Numbers
    end: Numbers
    kind: Bytes
    fresh: Mask


@compiled
def _hexadecimal(code: int) -> int:
    if 48 <= code < 58:
        return code - 48
    if 65 <= code < 71:
        return code - 55
    if 97 <= code < 103:
        return code - 87
    return -1


@compiled
def four_digits(codes: Codes | Bytes, at: int, end: int) -> int:
    """Returns what the four hexadecimal digits from ``at`` on say, -1 if there are no four before ``end``."""
    if at + 4 > end:
        return -1
    value = 0
    for step in range(4):
        digit = _hexadecimal(codes[at + step])
        if digit < 0:
            return -1
        value = value * 16 + digit
    return value


@compiled
def _low_half(codes: Codes, at: int) -> int:
    """Returns the ``u`` of a low surrogate's escape if one stands at ``at``, -1 otherwise."""
    here = at
    while here < len(codes) and codes[here] == _SLASH:
        here += 1
    if here == at or here >= len(codes) or codes[here] != 117 or here - at + 5 > _ESCAPE_REACH:
        return -1
    value = four_digits(codes, here + 1, len(codes))
    return here if 0xDC00 <= value < 0xE000 else -1


@compiled
def _next(codes: Codes, at: int) -> tuple[int, int, int]:
    """Returns (code point or -1, its first place, the place after it) of what stands at ``at``, escapes decoded."""
    code = int(codes[at])
    if code != _SLASH:
        return code, at, at + 1
    here = at
    while here < len(codes) and codes[here] == _SLASH:
        here += 1
    if here == len(codes):
        return -1, at, here
    letter = codes[here]
    if letter in (110, 114, 116, 98, 102, 34, 47):  # n r t b f " /
        return -1, at, here + 1
    value = four_digits(codes, here + 1, len(codes)) if letter == 117 else -1
    if value < 0:
        return int(letter), here, here + 1
    if 0xD800 <= value < 0xDC00:
        low = _low_half(codes, here + 5)
        if low >= 0:
            return 0x10000 + ((value - 0xD800) << 10) + four_digits(codes, low + 1, len(codes)) - 0xDC00, at, low + 5
    return value, at, here + 5


@compiled
def _room(codes: Codes, counts: Bytes) -> int:
    """Returns how many bytes a folded text has at most."""
    room = 0
    for at in range(len(codes)):
        code = codes[at]
        room += 1 if code < 0x80 else 4 * counts[code]
        if code == 117 and at and codes[at - 1] == _SLASH:
            room += _WIDEST
    return room


@compiled
def spell(data: Bytes, n: int, code: int) -> int:
    """Writes one code point as UTF-8 at ``n``; returns where the next one goes."""
    if code < 0x80:
        data[n] = code
        return n + 1
    if code < 0x800:
        data[n], data[n + 1] = 0xC0 | code >> 6, 0x80 | code & 63
        return n + 2
    if code < 0x10000:
        data[n], data[n + 1], data[n + 2] = 0xE0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63
        return n + 3
    data[n], data[n + 1] = 0xF0 | code >> 18, 0x80 | code >> 12 & 63
    data[n + 2], data[n + 3] = 0x80 | code >> 6 & 63, 0x80 | code & 63
    return n + 4


@compiled
def fold_codes(codes: Codes, table: Table, mapped: bool) -> tuple[Bytes, Numbers, Mask, Map, bool]:  # noqa: FBT001
    """Folds a text: returns (bytes, where words and dense characters begin, which of those are dense, map, composed).

    The map is empty unless ``mapped``. ``composed`` says that conjoining Hangul letters stand in the text, which this
    loop does not put together.
    """
    folding, firsts, targets, kinds = table.folds, table.first, table.target, table.kind
    # Never touched, never paid for: the bound is generous, the copies at the end are exact.
    room = _room(codes, folding)
    data, begins, dense = np.empty(room, np.uint8), np.empty(room, np.int32), np.empty(room, np.bool_)
    room *= mapped
    starts, ends = np.empty(room, np.int32), np.empty(room, np.int32)
    kind, freshly = np.empty(room, np.uint8), np.empty(room, np.bool_)
    n = words = at = end = 0
    before, jamo = False, False
    while at < len(codes):
        code, start, after = int(codes[at]), at, at + 1
        if code == _SLASH:
            code, start, after = _next(codes, at)
        at = after
        folds = folding[code] if code >= 0 else 0
        if not folds:
            continue
        fresh = n == 0 or start > end
        end = after
        first = int(firsts[code])
        for step in range(folds):
            target = int(targets[first + step])
            spaceless = bool(kinds[target] == IDEOGRAPH)
            if fresh or spaceless or before:
                begins[words], dense[words] = n, spaceless
                words += 1
            began = n
            if target < 0x80:
                data[n] = target
                n += 1
            else:
                jamo |= 0x1161 <= target <= 0x1175
                n = spell(data, n, target)
            if mapped:
                starts[began:n], ends[began:n], kind[began:n] = start, after, kinds[target]
                freshly[began], freshly[began + 1 : n] = fresh, False
            fresh, before = False, spaceless
    n_mapped = n * mapped
    where = Map(starts[:n_mapped].copy(), ends[:n_mapped].copy(), kind[:n_mapped].copy(), freshly[:n_mapped].copy())
    return data[:n].copy(), begins[:words].copy(), dense[:words].copy(), where, jamo
