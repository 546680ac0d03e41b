"""Chains exact runs of one response and one text into passages: in order on both sides, with small gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.seeds import Segments

_LOOK_BACK: Final = 32

Run = tuple[int, int, int]  # first byte in the response, first byte in the source, length


@dataclass(frozen=True)
class Chain:
    """Runs in order, not overlapping on either side, and their score in milli-bits."""

    runs: tuple[Run, ...]
    score: int


def gap_cost(response_gap: int, source_gap: int) -> int:
    """Returns what it costs, in milli-bits, to say where a run goes on: 2 + log2 of either gap plus one."""
    return 2000 + _LOG[min(response_gap, 4095)] + _LOG[min(source_gap, 4095)]


_LOG: Final[list[int]] = [round(1000 * float(x)) for x in np.log2(np.arange(1, 4097))]


def chains(found: Segments, total: Sequence[int], gap: int) -> list[Chain]:
    """Returns the chains of one response and one text, best first, every run in one chain at most.

    ``total`` holds the cumulated weights of the response's bytes (one more than bytes); ``gap`` is the widest gap
    that a chain crosses, in bytes, on either side.
    """
    order = np.lexsort((found.source_at, found.at))
    at, source_at, length = (x[order].tolist() for x in (found.at, found.source_at, found.length))
    weight = [total[a + n] - total[a] for a, n in zip(at, length, strict=True)]
    best, before = list(weight), [-1] * len(weight)
    for i in range(len(at)):
        for j in range(i - 1, max(-1, i - 1 - _LOOK_BACK), -1):
            end, source_end = at[j] + length[j], source_at[j] + length[j]
            trim = max(0, end - at[i], source_end - source_at[i])
            if trim >= length[i] or at[i] + trim - end > gap or source_at[i] + trim - source_end > gap:
                continue
            if source_at[i] <= source_at[j] or at[i] + length[i] <= end:
                continue
            rest = weight[i] - (total[at[i] + trim] - total[at[i]])
            score = best[j] + rest - gap_cost(at[i] + trim - end, source_at[i] + trim - source_end)
            if score > best[i]:
                best[i], before[i] = score, j
    return _trace(at, source_at, length, best, before)


def _trace(at: list[int], source_at: list[int], length: list[int], best: list[int], before: list[int]) -> list[Chain]:
    used = [False] * len(at)
    result = []
    for tail in sorted(range(len(at)), key=lambda i: (-best[i], at[i], source_at[i])):
        if used[tail]:
            continue
        members = []
        i = tail
        while i >= 0 and not used[i]:
            used[i] = True
            members.append(i)
            i = before[i]
        score = best[tail] - (best[i] if i >= 0 else 0)
        runs: list[Run] = []
        for k in reversed(members):
            trim = 0
            if runs:
                last_at, last_source, last_length = runs[-1]
                trim = max(0, last_at + last_length - at[k], last_source + last_length - source_at[k])
            if trim < length[k]:
                runs.append((at[k] + trim, source_at[k] + trim, length[k] - trim))
        result.append(Chain(tuple(runs), score))
    return result


def groups(found: Segments) -> list[tuple[int, Segments]]:
    """Splits segments by response: (response, its segments), in ascending order."""
    responses, first = np.unique(found.response, return_index=True)
    bounds: npt.NDArray[np.int64] = np.append(first, len(found))
    return [
        (int(number), Segments(found.response[a:b], found.at[a:b], found.source_at[a:b], found.length[a:b]))
        for number, a, b in zip(responses, bounds[:-1], bounds[1:], strict=True)
    ]
