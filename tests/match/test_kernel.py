"""The compiled loops say what the vectorised definitions say, whatever the text."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.match.normalise import beginnings, composing, fold, folded
from forensics.match.reading import Reader, prepare
from forensics.match.ready import compile_all
from forensics.match.seeds import seed_grams
from forensics.match.tokens import sequences, tokens

PIECES = (
    *(
        "the ",
        "word",
        "plain english words go here and there ",
        "A",
        "9",
        "  ",
        "\n",
        "a" * 40,
        "hello" * 9,
        "KZ-77310 ",
    ),
    *("—", " é", "ß", "ﷺ", "İ", "e\u0301", "ﬁ", "Σ", "½", "①", "\u200b", "\ud800", "١", "٣", "ไทย", "漢字", "かな"),
    *("ᄒ", "ᅡ", "ᆫ", "한", "17 March 2027, Ottilie Brandmeyer ", "2026年11月17日 苏砚秋 "),
    *("\\n", "\\u00e9", "\\u12", "\\x", "\\", '\\"', "\\\\u", "\\ud842\\udfb7", "\\ud842", "\\udfb7"),
    *("\\ud842A\\udfb7", "\\ud842\\\\\\udfb7"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)


@given(text=texts)
@settings(max_examples=300, deadline=None)
def test_folding(text: str) -> None:
    """The loop folds as the definition does, map included, and begins words where it does."""
    said, defined = fold(text), composing(text)
    for name in ("data", "start", "end", "kind", "lead", "fresh"):
        assert getattr(said, name).tolist() == getattr(defined, name).tolist(), name
    data, begins, dense = folded(text)
    first = np.flatnonzero(beginnings(defined)) if len(defined) else np.empty(0, dtype=np.int64)
    assert data.tolist() == defined.data.tolist()
    assert begins.tolist() == first.tolist()
    assert dense.tolist() == (defined.kind[first] == 3).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_finding(seed: int) -> None:
    """What the loops find of a text in the responses is what looking up each gram, word and sequence finds."""
    dice = random.Random(seed)  # noqa: S311
    responses = [prepare("".join(dice.choices(PIECES, k=60))) for _ in range(20)]
    reader = Reader(responses, dice.choice([12, 20]))
    for _ in range(40):
        text = "".join(dice.choices(dice.sample(PIECES, dice.choice([3, 40])), k=dice.choice([0, 1, 5, 60, 300])))
        found = reader.sift([text, "a\u200bnother text", text])[2]
        defined = composing(text)
        words = tokens(defined)
        assert (found.size, found.words) == (len(defined), len(words))
        grams = reader.grams.lookup(*seed_grams(defined, reader.seed_bytes))
        assert _pairs(found.gram_rows, found.gram_at) == _pairs(*grams)
        assert _pairs(found.word_rows, found.word_at) == _pairs(*reader.words.lookup(words.value, words.first, limit=1))
        assert _pairs(found.fact_rows, found.fact_at) == _pairs(*reader.facts.lookup(*sequences(words)))


def test_a_gram_is_found_wherever_it_stands() -> None:
    """Against a search by comparing bytes, not by any hash."""
    dice = random.Random(7)  # noqa: S311
    mine = prepare("".join(dice.choices("abcd ", k=400)))
    reader = Reader([mine], 12)
    text = "".join(dice.choices("xy", k=50)) + mine.text[100:160] + "".join(dice.choices("xy", k=50))
    (found,) = reader.sift([text])
    theirs = composing(text).spelling
    at = [i for i in range(len(theirs) - 11) if theirs[i : i + 12] in mine.folded.spelling]
    assert sorted(set(found.gram_at.tolist())) == at


def test_compiling_ahead_does_the_whole_work() -> None:
    """What ``make install`` runs compares texts and finds what they share."""
    assert compile_all() > 0


def _pairs(rows: object, at: object) -> list[tuple[int, int]]:
    return sorted(zip(np.asarray(rows).tolist(), np.asarray(at).tolist(), strict=True))
