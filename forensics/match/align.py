"""Aligns a chain exactly: fills its gaps, extends its ends, and keeps the best-scoring stretch.

RapidFuzz aligns windows of at most a few hundred bytes, never whole texts: its work stays bounded, and so does the time
in which an interrupt is obeyed.
"""

from collections.abc import Sequence
from typing import Final

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

from forensics.match.chain import Run, gap_cost

_REACH: Final = 120  # bytes looked at beyond either end of a chain, at a time
_SHORTEST: Final = 3
_WIDEST: Final = 1200


def align(
    texts: tuple[bytes, bytes], runs: Sequence[Run], total: Sequence[int], lead: Sequence[bool], gap: int
) -> list[Run]:
    """Returns the equal runs of the passage around a chain's ``runs``, in order, ends trimmed to where it pays.

    ``texts`` are the folded response and source. ``total`` holds cumulated milli-bits of the response's bytes, for
    pricing runs against gaps of at most ``gap``; ``lead`` says which of its bytes begin a character: runs are made of
    whole ones.
    """
    response, source = texts
    filled: list[Run] = []
    for run in runs:
        if filled:
            at, source_at, length = filled[-1]
            filled += _between(response, source, (at + length, source_at + length), (run[0], run[1]))
        filled.append(run)
    filled = _extend(response, source, filled, total, gap, forward=True)
    filled = _extend(response, source, filled, total, gap, forward=False)
    return best_stretch(_whole_characters(_merge(filled), lead), total)


def _whole_characters(runs: list[Run], lead: Sequence[bool]) -> list[Run]:
    whole = []
    for at, source_at, length in runs:
        begin, end = at, at + length
        while begin < end and not lead[begin]:
            begin += 1
        while end > begin and end < len(lead) and not lead[end]:
            end -= 1
        if end > begin:
            whole.append((begin, source_at + begin - at, end - begin))
    return whole


def best_stretch(runs: Sequence[Run], total: Sequence[int]) -> list[Run]:
    """Returns the stretch of consecutive runs whose weight less gap costs is greatest."""
    best, best_range, score, first = -1, (0, 0), 0, 0
    for i, (at, source_at, length) in enumerate(runs):
        weight = total[at + length] - total[at]
        cost = 0
        if i > first:
            last_at, last_source, last_length = runs[i - 1]
            cost = gap_cost(at - last_at - last_length, source_at - last_source - last_length)
        if i > first and score - cost > 0:
            score += weight - cost
        else:
            score, first = weight, i
        if score > best:
            best, best_range = score, (first, i + 1)
    return list(runs[slice(*best_range)])


def stretch_score(runs: Sequence[Run], total: Sequence[int]) -> int:
    """Returns the greatest weight less gap costs of any consecutive runs, in milli-bits."""
    best = score = 0
    for i, (at, source_at, length) in enumerate(runs):
        if i:
            last_at, last_source, last_length = runs[i - 1]
            score -= gap_cost(at - last_at - last_length, source_at - last_source - last_length)
        score = max(score, 0) + total[at + length] - total[at]
        best = max(best, score)
    return best


def _between(response: bytes, source: bytes, begin: tuple[int, int], end: tuple[int, int]) -> list[Run]:
    a, b = response[begin[0] : end[0]], source[begin[1] : end[1]]
    if not a or not b or len(a) > _WIDEST or len(b) > _WIDEST:
        return []
    return [(begin[0] + x, begin[1] + y, n) for x, y, n in _blocks(a, b)]


def _blocks(a: bytes, b: bytes) -> list[Run]:
    blocks = Levenshtein.editops(a, b).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size >= _SHORTEST]


def _extend(
    response: bytes, source: bytes, runs: list[Run], total: Sequence[int], gap: int, *, forward: bool
) -> list[Run]:
    """Adds runs beyond one end for as long as they pay for the gaps before them."""
    while True:
        at, source_at, length = runs[-1] if forward else runs[0]
        if forward:
            begin = (at + length, source_at + length)
            a, b = response[begin[0] : begin[0] + _REACH], source[begin[1] : begin[1] + _REACH]
        else:
            begin = (max(0, at - _REACH), max(0, source_at - _REACH))
            a, b = response[begin[0] : at], source[begin[1] : source_at]
        if not a or not b:
            return runs
        blocks = _prefix_blocks(a, b) if forward else _suffix_blocks(a, b)
        added = [(begin[0] + x, begin[1] + y, n) for x, y, n in blocks]
        paid = _paying(added if forward else added[::-1], runs[-1] if forward else runs[0], total, gap, forward=forward)
        if not paid:
            return runs
        runs = runs + paid if forward else paid[::-1] + runs


def _prefix_blocks(a: bytes, b: bytes) -> list[Run]:
    """Aligns what follows an end: the exact common prefix, then the rest."""
    same = Prefix.similarity(a, b)
    blocks = [(0, 0, same)] if same else []
    return blocks + [(x + same, y + same, n) for x, y, n in _blocks(a[same:], b[same:])]


def _suffix_blocks(a: bytes, b: bytes) -> list[Run]:
    same = Postfix.similarity(a, b)
    blocks = _blocks(a[: len(a) - same], b[: len(b) - same])
    return blocks + ([(len(a) - same, len(b) - same, same)] if same else [])


def _paying(blocks: list[Run], anchor: Run, total: Sequence[int], gap: int, *, forward: bool) -> list[Run]:
    """Returns the leading blocks, seen from the anchor outward, up to where weight less gap costs is greatest."""
    score = best = 0
    kept = 0
    for i, block in enumerate(blocks):
        near, far = (anchor, block) if forward else (block, anchor)
        response_gap = far[0] - near[0] - near[2]
        source_gap = far[1] - near[1] - near[2]
        if response_gap > gap or source_gap > gap:
            break
        score += total[block[0] + block[2]] - total[block[0]]
        score -= gap_cost(response_gap, source_gap) if response_gap or source_gap else 0
        if score > best:
            best, kept = score, i + 1
        anchor = block
    return blocks[:kept]


def _merge(runs: list[Run]) -> list[Run]:
    """Joins runs that touch on both sides."""
    merged: list[Run] = []
    for at, source_at, length in runs:
        if merged and merged[-1][0] + merged[-1][2] == at and merged[-1][1] + merged[-1][2] == source_at:
            last = merged.pop()
            merged.append((last[0], last[1], last[2] + length))
        else:
            merged.append((at, source_at, length))
    return merged
