"""How far a shared run goes: which short runs a kept text holds where, in a keyed filter of its own.

Fingerprints are few and say where; they miss the ends of what is shared, and all that is shorter than one of them. So
each text has a Bloom filter of *all* its runs of ``SHORT`` bytes, each with the stretch of the text that it begins in,
under a key that follows from the audit's secret and the text's number: sixteen bits a run, about one false answer in a
thousand, no false denial, and nothing that two texts' filters have in common. It is asked only next to what
fingerprints have shown, and only for the place that they let expect.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.audit.fingerprints import Key, placed
from forensics.match.chain import Run
from forensics.match.kernel import Hashes, Ints, Mask, compiled
from forensics.match.normalise import Folded
from forensics.match.seeds import Segments

Words = npt.NDArray[np.uint64]

SHORT: Final = 6
STRETCH: Final = 32
"""Bytes of a text whose runs are filed together: common short runs are seldom where they are asked for by chance."""
DRIFT: Final = 16
"""Bytes by which a run may have moved against the nearest one that fingerprints show."""
BITS: Final = 16
PROBES: Final = 6
REACH: Final = 160
"""Bytes of a response, beyond a run that fingerprints show, within which the filter is asked."""


def filter_of(folded: Folded, key: Key) -> Words:
    """Returns the filter of a folded text; ``key`` is that of the text."""
    at = _begins(folded)
    words = np.zeros(-(-max(len(at) * BITS, 64) // 64), dtype=np.uint64)
    _set(words, placed(folded, key, SHORT, at, at // STRETCH))
    return words


def lengthened(runs: Segments, response: int, folded: Folded, words: Words, key: Key) -> Segments:
    """Returns what one response shares with a text: ``runs`` as long as they are, and further ones beside them.

    A further run's place in the text is that which the nearest of ``runs`` gives it, exact but for what was lost or
    doubled in between.
    """
    at, place = _asked(runs, _begins(folded))
    there = np.zeros(len(at), dtype=np.bool_)
    for drift in (-DRIFT, DRIFT):
        there |= held(words, placed(folded, key, SHORT, at, np.maximum(place + drift, 0) // STRETCH))
    shown = list(zip(runs.at.tolist(), runs.source_at.tolist(), runs.length.tolist(), strict=True))
    longer = [
        _placed(first, last, min(shown, key=lambda run: (_apart(run, first, last), -run[2], run)))
        for first, last in _streaks(at[there], folded)
    ]
    left = [run for run in shown if not any(_within(run, each) for each in longer)]
    rows = np.array(sorted({*longer, *left}), dtype=np.int64).reshape(-1, 3)
    return Segments(np.full(len(rows), response, dtype=np.int64), rows[:, 0], rows[:, 1], rows[:, 2])


def _begins(folded: Folded) -> Ints:
    return np.flatnonzero(folded.lead[: max(0, len(folded) - SHORT + 1)])


def _asked(runs: Segments, at: Ints) -> tuple[Ints, Ints]:
    """Returns those places of a response that are near one of ``runs``, and where the nearest lets expect them."""
    apart = np.maximum(runs.at[None, :] - at[:, None], at[:, None] + SHORT - (runs.at + runs.length)[None, :])
    nearest = np.maximum(apart, 0).argmin(axis=1)
    near = apart[np.arange(len(at)), nearest] <= REACH
    return at[near], (at + (runs.source_at - runs.at)[nearest])[near]


def _apart(run: Run, first: int, last: int) -> int:
    """Returns how many bytes lie between a run and a stretch of the response; 0 where they overlap."""
    return max(0, run[0] - last + 1, first - run[0] - run[2] + 1)


def _placed(first: int, last: int, beside: Run) -> Run:
    source_at = first + beside[1] - beside[0]
    skipped = max(0, -source_at)
    return first + skipped, source_at + skipped, last - first - skipped


def _within(run: Run, other: Run) -> bool:
    return run[1] - run[0] == other[1] - other[0] and other[0] <= run[0] and run[0] + run[2] <= other[0] + other[2]


def _streaks(held_at: Ints, folded: Folded) -> list[tuple[int, int]]:
    """Returns the first and the end byte of each piece of the response whose runs are all held."""
    if not len(held_at):
        return []
    character = np.cumsum(folded.lead)
    breaks = np.flatnonzero(np.diff(character[held_at]) > 1) + 1
    first = held_at[np.concatenate([[0], breaks])]
    last = held_at[np.append(breaks, len(held_at)) - 1] + SHORT
    return list(zip(first.tolist(), last.tolist(), strict=True))


@compiled
def _set(words: Words, values: Hashes) -> None:
    size = np.uint64(len(words) * 64)
    for value in values:
        step = (value >> np.uint64(32)) | np.uint64(1)
        for probe in range(PROBES):
            bit = (value + np.uint64(probe) * step) % size
            words[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@compiled
def held(words: Words, values: Hashes) -> Mask:
    """Returns which of these values the text of the filter ``words`` holds, a false one in a thousand among them."""
    size = np.uint64(len(words) * 64)
    there = np.ones(len(values), dtype=np.bool_)
    for row in range(len(values)):
        step = (values[row] >> np.uint64(32)) | np.uint64(1)
        for probe in range(PROBES):
            bit = (values[row] + np.uint64(probe) * step) % size
            if not (words[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
                there[row] = False
    return there
