"""Tells one source that many responses read from a document that many tenants hold.

Text that several tenants hold is common, and says little. But if responses of several tenants hold a long passage of
one tenant's prompt, they may have read the same pages: these readers must not make the passage common. Where prompts
of several tenants hold it or a part of it, it is a document, quoted further or less far, and nobody is left out. A
tenant that was told a passage and sends it again in a later prompt (every chat does, with its next turn) holds it as a
reader, and makes it no document.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from forensics.match.kernel import Ints
from forensics.match.sweep.scan import FIRST, LAST, RESPONSE, SOURCE_FIRST, SOURCE_LAST, TEXT

LONG: Final = 120  # letters from which a passage of a prompt may have been read by several tenants
_BLOCK: Final = LONG // 2
TWO: Final = 2  # parts that a passage's two tenants make up at most
_MANY: Final = 64  # texts of a response from which nobody asks who told whom


def excused(rows: Ints, parts: Ints, *, reader: Ints, owner: Ints, told: Ints, sent: Ints) -> Ints:
    """Returns how many parts of the tenants may hold each row's passage without making it common.

    ``rows`` are nominated passages of prompts (``scan.FIELDS``); ``parts[tenant]`` is the part that a tenant belongs
    to; ``reader`` and ``owner`` are the tenants of each row's response and text, ``told`` and ``sent`` when these were
    there (ns UTC). A row counts as it does where the fewest read it.
    """
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    row, place = _places(rows, TEXT, SOURCE_FIRST, SOURCE_LAST)
    count = _different(place, [parts[reader[row]], parts[owner[row]]])
    read = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(read, row, count)
    kept = np.flatnonzero(~_told_on(rows, reader, owner, told, sent))
    row, place = _places(rows[kept], RESPONSE, FIRST, LAST)
    owners = np.ones(len(rows), dtype=np.int64)
    np.maximum.at(owners, kept[row], _different(place, [owner[kept][row]]))
    return np.where(owners > 1, TWO, np.maximum(read, TWO))


def _told_on(rows: Ints, reader: Ints, owner: Ints, told: Ints, sent: Ints) -> NDArray[np.bool_]:
    """Marks rows whose owner had been told before what the same response holds out of another text."""
    first: dict[tuple[int, int], int] = {}
    for text, tenant, when in zip(rows[:, TEXT].tolist(), reader.tolist(), told.tolist(), strict=True):
        first[text, tenant] = min(when, first.get((text, tenant), when))
    found = np.zeros(len(rows), dtype=np.bool_)
    for mine in _several(rows[:, RESPONSE], owner):
        texts = np.unique(rows[mine, TEXT]).tolist()
        if len(texts) <= _MANY:
            for i in mine.tolist():
                tenant, when = int(owner[i]), int(sent[i])
                found[i] = any(first.get((text, tenant), when) < when for text in texts)
    return found


def _several(response: Ints, owner: Ints) -> Iterator[Ints]:
    """Yields the rows of each response that has rows of several owners."""
    order = np.argsort(response, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(response[order])) + 1):
        if (owner[mine] != owner[mine[0]]).any():
            yield mine


def _places(rows: Ints, text: int, first: int, last: int) -> tuple[Ints, Ints]:
    """Returns (row, place) for every block that a row covers wholly: of ``LONG`` bytes, each covers one at least."""
    low, high = -(-rows[:, first] // _BLOCK), rows[:, last] // _BLOCK
    count = np.maximum(high - low, 1)
    row = np.repeat(np.arange(len(rows)), count)
    step = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return row, rows[row, text] << 32 | (low[row] + step)


def _different(place: Ints, who: Sequence[Ints]) -> Ints:
    """Returns how many different ones of ``who`` are at each place."""
    _, number = np.unique(place, return_inverse=True)
    pairs = np.unique(np.concatenate([np.stack([number, each], axis=1) for each in who]), axis=0)
    count: Ints = np.bincount(pairs[:, 0])[number]
    return count
