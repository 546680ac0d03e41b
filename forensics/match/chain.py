"""Chains exact runs of one response and one text into passages: in order on both sides, with small gaps."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.finding import chain_scores
from forensics.match.seeds import Ints, Segments

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
_SIDE: Final[Ints] = np.array(_LOG, dtype=np.int64) + 1000


def chains(found: Segments, total: Ints, gap: int) -> list[Chain]:
    """Returns the chains of one response and one text, best first, every run in one chain at most.

    ``total`` holds the cumulated weights of the response's bytes (one more than bytes); ``gap`` is the widest gap
    that a chain crosses, in bytes, on either side.
    """
    order = np.lexsort((found.source_at, found.at))
    runs = np.stack([found.at[order], found.source_at[order], found.length[order]])
    best, before = chain_scores(runs, total, _SIDE[: gap + 1], _LOOK_BACK)
    at, source_at, length = runs.tolist()
    return _trace(at, source_at, length, best.tolist(), before.tolist())


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
