"""What is chance, what is told on, and where a passage ends."""

import numpy as np
import pytest

from forensics.match.normalise import fold
from forensics.match.repeats import repeated
from forensics.match.spans import Span
from forensics.match.sweep.calibration import Calibration, apart_from_chance, calibrated
from forensics.match.sweep.corpus import Meta
from forensics.match.sweep.edges import to_the_ends
from forensics.match.sweep.verify import Passage


def meta(since: list[int], until: list[int], tenant: list[int]) -> Meta:
    count = len(since)
    flags = np.zeros(count, dtype=np.bool_)
    numbers = np.arange(count)
    return Meta(
        tenant=np.array(tenant), exchange=numbers, characters=numbers, since=np.array(since),
        began=np.array(until), until=np.array(until), prompt=flags, answer=~flags, tenants=max(tenant) + 1,
    )  # fmt: skip


def passage(answer: int, source: int, at: int = 0, source_at: int = 0, bits: int = 50_000) -> Passage:
    return Passage(answer, source, Span(at, at + 100, source_at, source_at + 100, bits, 1000, "aligned", 1))


def test_what_came_later_is_chance() -> None:
    known = meta(since=[1, 5, 9, 20], until=[1, 5, 9, 20], tenant=[0, 1, 2, 3])
    found, chance = apart_from_chance([passage(2, 0), passage(1, 3, at=300)], known)
    assert [(p.answer, p.source) for p in found] == [(2, 0)]
    assert [(p.answer, p.source) for p in chance] == [(1, 3)]


def test_a_place_that_a_found_passage_explains_says_nothing_of_chance() -> None:
    known = meta(since=[1, 5, 9, 20], until=[1, 5, 9, 20], tenant=[0, 1, 2, 0])
    found, chance = apart_from_chance([passage(2, 0), passage(2, 3, at=50), passage(2, 3, at=300)], known)
    assert len(found) == 1
    assert [p.span.response_start for p in chance] == [300]


def test_what_an_answer_told_on_is_its_first_owners() -> None:
    known = meta(since=[1, 5, 9], until=[1, 5, 9], tenant=[0, 1, 2])
    first, second, told_on = passage(1, 0), passage(2, 0), passage(2, 1)
    assert apart_from_chance([first, second, told_on], known)[0] == [first, second]
    elsewhere = passage(2, 1, at=400, source_at=700)
    assert apart_from_chance([first, second, elsewhere], known)[0] == [first, second, elsewhere]


def test_a_rate_is_said_only_where_there_is_enough() -> None:
    found = [passage(n, 0) for n in range(8)]
    assert str(calibrated(found, [], 5_000, 40_000)) == "8 found, 0 by chance: 0 % false, at most 47 %"
    assert str(calibrated(found, [passage(9, 1)], 900, 40_000)).endswith(
        "(too few responses to say how many are false)"
    )
    assert str(Calibration(5_000, 0, 0)) == "0 found, 0 by chance"


@pytest.mark.parametrize("tail", ["t?on of the waterways", "t of the waterways", "teion of the waterways"])
def test_ends_lie_behind_a_garbled_letter(tail: str) -> None:
    whole = "the reconstruction of the waterways"
    mine, theirs = f"xx yy qq the reconstruc{tail} zz kk ww", "mm the reconstruction of the waterways jj vv"
    begin, source_begin = mine.index("the"), theirs.index("the")
    known = Span(begin, begin + 15, source_begin, source_begin + 15, 1, 1000, "aligned", 1)
    span = to_the_ends(known, fold(mine), fold(theirs))
    assert mine[span.response_start : span.response_end].endswith("of the waterways")
    assert theirs[span.source_start : span.source_end] == whole


def test_repeats_are_what_stood_before() -> None:
    rng = np.random.default_rng(4)
    pieces = ["a", "b", "aaaa", "bbb", "ab", "hello world", "xyz", "xyzxyz"]
    for _ in range(200):
        text = "".join(rng.choice(pieces, size=16).tolist())
        folded = fold(text)
        data = folded.data.tobytes()
        expected = np.zeros(len(data), dtype=np.bool_)
        for at in range(len(data) - 4):
            if data.index(data[at : at + 5]) < at:
                expected[at : at + 5] = True
        for period in range(1, min(33, len(data))):
            alike = 0
            for at in range(period, len(data)):
                alike = alike + 1 if data[at] == data[at - period] else 0
                if alike >= max(period, 3):
                    expected[at + 1 - alike : at + 1] = True
        assert (repeated(folded, 5) == expected).all()
