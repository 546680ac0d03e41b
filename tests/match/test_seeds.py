"""The guarantee of the seeds, and what repetition costs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.match.normalise import fold
from forensics.match.seeds import GramIndex, capped, gram_hashes, seed_grams, segments, winnowed

LETTERS = st.text("abcdefgh0123中文字データ", max_size=80)


@settings(max_examples=60, deadline=None)
@given(LETTERS, LETTERS, LETTERS, LETTERS, st.text("abcdefgh0123中文字データ", min_size=12, max_size=40))
def test_any_shared_run_is_seen(before: str, after: str, left: str, right: str, shared: str) -> None:
    mine, theirs = fold(before + shared + after), fold(left + shared + right)
    index = GramIndex([seed_grams(mine, 12)])
    rows, at = index.lookup(*seed_grams(theirs, 12), limit=1_000)
    found = segments(index.response[rows], index.at[rows], at, 12)
    data, other = mine.data.tobytes(), theirs.data.tobytes()
    for a, b, n in zip(found.at.tolist(), found.source_at.tolist(), found.length.tolist(), strict=True):
        assert data[a : a + n] == other[b : b + n]
    if index.holders().max(initial=0) and len(index) == len(seed_grams(mine, 12)[0]):
        assert found.length.max() >= len(fold(shared)) - 2  # a character of three bytes may be cut at the end


def test_equal_grams_have_equal_hashes_wherever_they_stand() -> None:
    data = np.frombuffer(bytes(range(250)) * 2, dtype=np.uint8)
    for size in (1, 5, 12, 16, 24, 50):
        hashes = gram_hashes(data, size)
        assert len(hashes) == len(data) - size + 1
        assert (hashes[: 250 - size] == hashes[250 : 500 - size]).all()
        assert len(np.unique(hashes[:250])) == 250


def test_repetition_is_capped() -> None:
    hashes, at = seed_grams(fold("hello" * 10_000), 12)
    assert len(capped(hashes)) <= 5 * 8
    index = GramIndex([(hashes, at)])
    rows, _ = index.lookup(hashes, at)
    assert len(rows) <= (5 * 8) * 8


@settings(max_examples=50, deadline=None)
@given(st.binary(min_size=0, max_size=60), st.binary(min_size=0, max_size=60), st.binary(min_size=23, max_size=50))
def test_winnowing_keeps_a_gram_of_every_long_shared_run(left: bytes, right: bytes, shared: bytes) -> None:
    kept = []
    for text in (left + shared, shared + right):
        hashes = gram_hashes(np.frombuffer(text, dtype=np.uint8), 16)
        kept.append(set(winnowed(hashes, np.arange(len(hashes)), 8)[0].tolist()))
    assert kept[0] & kept[1]
