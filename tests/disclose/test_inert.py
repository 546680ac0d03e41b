"""What makes text harmless, and what finds shared runs, by themselves."""

import random

import pytest

from forensics.disclose import inert
from forensics.disclose.runs import Windows, fold


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("=1+1", "'=1+1"),
        (" =1", "'=1"),
        ("@x", "'@x"),
        ("-5", "'-5"),
        ("a=1", "a=1"),
        ("\t=1", "'=1"),
        ("\uff1d1", "'\uff1d1"),
    ],
)
def test_cells_do_not_compute(raw: str, shown: str) -> None:
    assert inert.cell(raw) == shown
    assert inert.cell(-5) == -5


def test_text_is_one_line_without_controls() -> None:
    assert inert.text("a\x1b[31mb\r\nc\u202ed\x00\ud800e") == "ab  c d  e"


def test_markdown_finds_no_link() -> None:
    assert inert.markdown("[a](http://b) <i> www.c.d a_b _e_ |") == r"\[a\](http\://b) \<i\> www\.c.d a_b \_e\_ \|"


def test_file_names_of_equal_slugs_differ() -> None:
    assert inert.file_name("../A B") != inert.file_name("a b")
    assert inert.file_name("").startswith("tenant-")
    assert inert.file_name("日本").startswith("tenant-")


@pytest.mark.parametrize("seed", range(20))
def test_a_run_of_twenty_is_found_wherever_it_stands(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - dice of a test
    text = "".join(dice.choices("abcdefghij 0123456789-.é", k=3000))
    at = dice.randrange(2800)
    run = fold(text[at : at + 60])[:20]
    assert Windows([f"before{run.upper().lower()}after"]).shared(text)
    assert not Windows([f"{run[:19]}#".replace("#", "z")]).shared(text.replace("z", ""))


def test_a_text_of_one_character_costs_no_more_than_another() -> None:
    assert Windows(["a" * 500]).shared("a" * 1_000_000) == {"a" * 20}
