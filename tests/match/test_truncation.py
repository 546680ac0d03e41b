"""Texts that are too short for their token counts were cut, whatever their record says."""

from pathlib import Path

import pytest

from tests.match.story import Story, weights
from tests.match.test_run import LEAK, OTHER, scan

CHINESE = "星川物流的客户名单包括三百二十家公司，其中四十二家在九月终止了合同，金额共计一千七百万。"


@pytest.mark.parametrize(
    ("prompt", "tokens", "cut"),
    [
        (LEAK * 2, 9_000, True),  # some 200 characters cannot be 9,000 tokens
        (LEAK * 90, 2_300, False),  # four characters a token
        (LEAK * 90, 9_000, True),  # one character a token
        (CHINESE * 40, 1_700, False),  # one character a token
        (CHINESE * 40, 9_000, True),  # a fifth of a character
        ("48213 77310 " * 400, 3_200, False),  # figures are dense
        ("Hello.", 60, False),  # the template's tokens
    ],
)
def test_a_source_too_short_for_its_tokens_leaves_disclosure_open(
    prompt: str, tokens: int, cut: bool, tmp_path: Path
) -> None:
    story = Story(tmp_path)
    story.exchange("a", "birch", prompt, "Noted.", prompt_tokens=tokens)
    story.exchange("b", "cedar", "Good morning.", f"Good morning! {OTHER}", prompt_tokens=12)
    story.suspect("b", "a")
    _, con = story.run()
    assert scan(con, "b")["missing_why"] == ("prompt_truncated" if cut else None)


def test_a_response_too_short_for_its_tokens_leaves_disclosure_open(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.exchange("a", "birch", "Draft a memo.", "Noted.")
    story.exchange("b", "cedar", "Good morning.", "Good morning!", completion_tokens=800)
    story.suspect("b", "a")
    _, con = story.run()
    assert scan(con, "b")["missing_why"] == "response_truncated"


def test_what_is_left_of_a_cut_text_is_searched(tmp_path: Path) -> None:
    story = Story(tmp_path)
    story.exchange("a", "birch", f"Draft a memo. {LEAK}", "Noted.", prompt_tokens=9_000)
    story.exchange("b", "cedar", "Good morning.", f"Good morning! {LEAK}")
    story.suspect("b", "a")
    _, con = story.run()
    assert weights(con, "b")["a"] > 40_000
