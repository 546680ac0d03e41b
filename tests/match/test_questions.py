"""Answers that resemble each other because of what was asked, or of what models recite."""

from pathlib import Path

import pytest

from forensics.match.sweep import alike
from tests.match.test_sweep import background, corpus, dice, prose, put, swept

QUESTION = "Which bird migrates farthest each year, and where does it breed?"


def told_twice(folder: Path, asked: tuple[str, str], words: int) -> set[tuple[int, int]]:
    """Returns (answer, source) of what is found where two tenants' answers share so many words."""
    folder.mkdir()
    texts = background(60)
    answer = prose(dice(9), words)
    for exchange, question in zip((3, 44), asked, strict=True):
        tenant = exchange % 10
        texts[2 * exchange] = (exchange, tenant, "prompt", question)
        put(texts, exchange, "response", answer)
    return {(p.answer, p.source) for p in swept(corpus(folder, texts), folder)}


def test_an_answer_to_the_same_question_shows_nothing_of_who_asked_it(tmp_path: Path) -> None:
    assert told_twice(tmp_path / "other", (QUESTION, "Who won the cup in 1998?"), 120) == {(89, 7)}
    assert told_twice(tmp_path / "same", (QUESTION, QUESTION.upper() + " "), 120) == set()
    assert told_twice(tmp_path / "nearly", (QUESTION, QUESTION + " I live in Oslo."), 120) == {(89, 7)}


def test_too_short_a_question_explains_nothing(tmp_path: Path) -> None:
    assert told_twice(tmp_path / "short", ("Go on.", "go on"), 120) == {(89, 7)}
    assert told_twice(tmp_path / "none", ("", ""), 120) == {(89, 7)}


@pytest.mark.parametrize("milli", [15_000, 20_000, 26_500, 33_000, 60_000])
def test_what_is_needed_says_enough_and_no_less_does(milli: int) -> None:
    least = alike.needed(milli)
    assert least >= milli
    assert alike.said(least) >= milli
    assert milli < 20_000 or least > milli
    if least > milli:
        assert alike.said(least - alike.HALVING // 500) < milli
