"""Passages with every fourth letter garbled: found by short runs that crowd, weighed by letters, with right ends."""

import random

import numpy as np
import pytest

from forensics.match.crowds import BAND, COVERED, SHORT, nominated
from forensics.match.engine import Match, Settings, Shelf, Text, match
from forensics.match.kernel import Codes, Ints
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.local import aligned, crowds

LEAK = (
    "Coroner Ysolde Marchetti noted at 04:17 that the brake line of lorry KX-5582 had been cut cleanly, and that 6,340 "
    "litres of solvent were missing from tank nine in Trondheim when the night watch came back from the harbour office."
)
CHINESE = (
    "调查员厉云舟在凌晨发现仓库青松里的货物被换成了空箱，守夜人说他听见马达声之后就躲进了锅炉房，"
    "直到天亮才敢出来报告，而账房先生坚持认为那批瓷器早在三天以前就已经由水路运往南方，谁也没有见过提货的收据。"
)
OWN = "Thank you for waiting. The tulips want sun and little water. {} Does this answer your question about the garden?"
PROSE = (
    "The garden had been laid out by {} in the year of the flood, and nobody had thought to ask what the {} was for. "
)


def garble(text: str, share: float, seed: int) -> str:
    dice = random.Random(seed)  # noqa: S311
    pool = [c for c in text if c.isalnum()]
    said = []
    for c in text:
        roll = dice.random()
        said.append(c if roll >= share else dice.choice((dice.choice(pool), c + dice.choice(pool), "")))
    return "".join(said)


def prose(seed: int, sentences: int) -> str:
    dice = random.Random(seed)  # noqa: S311
    word = ["".join(dice.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(2 * sentences)]
    return "".join(PROSE.format(word[2 * n], word[2 * n + 1]) for n in range(sentences))


def found(response: str, source: str, *, garbled: bool = True) -> list[Match]:
    role = np.array([SOURCE | HOLDER], dtype=np.uint8)
    texts = [Text("source", "birch", source), Text("other", "alder", prose(9, 60))]
    return match([Text("r", "cedar", response)], Shelf(texts), lambda _text: role, Settings(garbled=garbled))


@pytest.mark.parametrize("text", [LEAK, CHINESE])
@pytest.mark.parametrize("seed", range(8))
def test_a_quarter_of_the_letters_garbled_is_found_with_its_ends(text: str, seed: int) -> None:
    said = garble(text, 0.25, seed)
    response, source = OWN.format(said), f"{prose(1, 30)}{text} {prose(2, 30)}"
    matches = [m for m in found(response, source) if m.span.kind == "aligned" and m.span.bits_milli > 16_300]
    assert {m.source_id for m in matches} == {"source"}
    begin = response.index(said)
    assert abs(min(m.span.response_start for m in matches) - begin) <= 10
    assert abs(max(m.span.response_end for m in matches) - begin - len(said)) <= 10
    source_at = source.index(text)
    assert abs(min(m.span.source_start for m in matches) - source_at) <= 10
    assert abs(max(m.span.source_end for m in matches) - source_at - len(text)) <= 10


def test_exact_runs_alone_find_fewer() -> None:
    source = f"{prose(1, 30)}{LEAK} {prose(2, 30)}"
    told = [
        sum(
            any(m.span.bits_milli > 16_300 for m in found(OWN.format(garble(LEAK, 0.25, seed)), source, garbled=kind))
            for seed in range(20)
        )
        for kind in (False, True)
    ]
    assert told[0] < 15 < told[1]


def test_a_passage_that_is_as_it_was_is_told_as_before() -> None:
    response, source = OWN.format(LEAK), f"{prose(1, 30)}{LEAK} {prose(2, 30)}"
    assert found(response, source) == found(response, source, garbled=False)


def test_what_is_only_alike_is_not_told() -> None:
    """Sentences of one pattern, each filled in otherwise, share short runs and no more than a pattern."""
    assert not [m for m in found(prose(3, 4), prose(4, 400)) if m.source_id == "source" and m.span.bits_milli > 16_300]


def test_crowds_are_where_short_runs_cover_enough() -> None:
    least = np.array([SHORT, 120, COVERED, 6])
    at = [10, 30, 60, 90, 400, 2_000, 2_003]
    rows = np.array([(0, 5, place) for place in at])
    assert crowds(rows, least).tolist() == [[0, 10, 90 + SHORT, 5, 4 * SHORT]]
    assert not len(crowds(rows[:3], least))
    assert not len(crowds(np.array([(0, 5, n * 100) for n in range(9)]), least))
    apart = np.array([(0, 5, 10), (0, 5, 30), (0, 6, 60), (1, 5, 60), (1, 5, 90), (1, 5, 120)])
    assert not len(crowds(apart, least))


def test_a_crowd_that_drifts_over_a_band_s_edge_is_one() -> None:
    at = np.arange(0, 200, 20)
    source_at = 1_000 + at + np.where(at < 100, 0, BAND // 4)
    (crowd,) = nominated(np.zeros(len(at), dtype=np.int64), at, source_at, 5_000).tolist()
    assert crowd[:3] == [0, 0, 180 + SHORT]
    assert abs(crowd[3] - 1_000) <= BAND


def _best(mine: str, theirs: str, worth: int, cost: int) -> int:
    """Returns what ``aligned`` scores, by definition: every cell of the whole table."""
    table = [[0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for i, a in enumerate(mine, 1):
        for j, b in enumerate(theirs, 1):
            step = table[i - 1][j - 1] + (worth if a == b else -cost)
            table[i][j] = max(0, step, table[i - 1][j] - cost, table[i][j - 1] - cost)
    return max(max(row) for row in table)


def _codes(text: str) -> Codes:
    return np.array([ord(c) for c in text], dtype=np.uint32)


def _all(text: str, value: int) -> Ints:
    return np.full(len(text), value, dtype=np.int64)


@pytest.mark.parametrize("seed", range(20))
def test_the_alignment_is_the_best_one(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    theirs = "".join(dice.choices("abcd", k=80))
    mine = "".join(dice.choices("abcd", k=20)) + garble(theirs[10:60], 0.2, seed)
    costs = _all(mine, 1_000), _all(theirs, 1_000)
    near = np.arange(len(mine)), 200
    score, low, high, source_low, source_high, same = aligned(
        _codes(mine), _codes(theirs), _all(mine, 1_000), costs, near
    ).tolist()
    assert score == _best(mine, theirs, 1_000, 1_000)
    assert _best(mine[low:high], theirs[source_low:source_high], 1_000, 1_000) == score
    assert mine[low] == theirs[source_low]
    assert mine[high - 1] == theirs[source_high - 1]
    edits = high - low + source_high - source_low - 2 * same
    assert 1_000 * (same - edits) <= score <= 1_000 * (same - (edits + 1) // 2)
