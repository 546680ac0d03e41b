"""Finds where a passage that is sure ends: what follows in both texts goes on being alike, with small differences.

Weighing asks whether a passage is one at all, and lets go of a tail that does not pay for the gap before it. Once it
is, its ends are another question: a few equal letters just behind a garbled one, at about the same distance in both
texts, are far likelier the passage going on than chance.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from forensics.match.kernel import Bytes, compiled
from forensics.match.normalise import Folded
from forensics.match.spans import Span

_NEAR: Final = 2  # bytes of a gap after which _SHORT equal ones are enough
_MIDDLE: Final = 12
_FAR: Final = 24
_SHORT: Final = 3
_APART: Final = 8  # bytes by which the gap may be longer in one text


@compiled
def reach(a: Bytes, i: int, room_a: int, b: Bytes, j: int, room_b: int, step: int) -> tuple[int, int]:
    """Returns how many bytes of either text the passage goes on from ``a[i]`` and ``b[j]``, in direction ``step``."""
    x = y = 0
    going = True
    while going:
        going = False
        for both in range(1, 2 * _FAR):
            for p in range(max(0, both - _FAR), min(_FAR, both) + 1):
                q = both - p
                if abs(p - q) > _APART or x + p >= room_a or y + q >= room_b:
                    continue
                gap = max(p, q)
                least = _SHORT + (gap > _NEAR) + (gap > _MIDDLE)
                if a[i + step * (x + p)] >= 0x80:
                    least *= 2
                run = 0
                while (
                    x + p + run < room_a
                    and y + q + run < room_b
                    and a[i + step * (x + p + run)] == b[j + step * (y + q + run)]
                ):
                    run += 1
                if run >= least:
                    x, y, going = x + p + run, y + q + run, True
                    break
            if going:
                break
    return x, y


def to_the_ends(span: Span, mine: Folded, theirs: Folded) -> Span:
    """Returns the span with its ends moved outward to where the passage ends in both texts."""
    folded, other = mine, theirs
    first, last = bytes_of(folded, span.response_start, span.response_end)
    source_first, source_last = bytes_of(other, span.source_start, span.source_end)
    a, b = folded.data, other.data
    after, source_after = reach(a, last, len(a) - last, b, source_last, len(b) - source_last, 1)
    before, source_before = reach(a, first - 1, first, b, source_first - 1, source_first, -1)
    if after:
        end, source_end = int(folded.end[last + after - 1]), int(other.end[source_last + source_after - 1])
        span = replace(span, response_end=end, source_end=source_end)
    if before:
        begin, source_begin = int(folded.start[first - before]), int(other.start[source_first - source_before])
        span = replace(span, response_start=begin, source_start=source_begin)
    return span


def bytes_of(folded: Folded, begin: int, end: int) -> tuple[int, int]:
    """Returns the folded bytes that stand for some code points."""
    places: Any = np.searchsorted(folded.start, [begin, end])
    return int(places[0]), int(places[1])
