"""Passages that were reordered or reworded, by their rare words."""

import random

from forensics.match.normalise import fold
from forensics.match.reworded import Rarity, Words, rarity, reworded, words_of

SOURCE = (
    "The lighthouse keeper repaired the mahogany staircase before the hurricane season, hauled forty barrels of "
    "whale oil past the customs warehouse, and painted the northern balcony turquoise, because the harbour council "
    "had threatened to withhold his pension unless the beacon could be seen from the Portuguese fishing grounds."
)
FILLER = "Nothing else of note was said that day, and all of us went home at the usual hour to have our dinner there. "


def ready(text: str) -> tuple[Words, Rarity]:
    words = words_of(fold(text))
    background = [words_of(fold(FILLER * 200)), words_of(fold(SOURCE)), words]
    return words, rarity(background)


def test_a_shuffled_passage_is_found_where_it_stands() -> None:
    words = SOURCE.split()
    random.Random(3).shuffle(words)  # noqa: S311
    shuffled = " ".join(words)
    response = FILLER * 5 + shuffled + " " + FILLER * 5
    mine, rare = ready(response)
    (passage,) = reworded(mine, words_of(fold(FILLER * 3 + SOURCE)), rare, 30_000)
    folded = fold(response)
    begin, end = int(folded.start[passage.first]), int(folded.end[passage.last - 1])
    assert abs(begin - 5 * len(FILLER)) < 40
    assert abs(end - 5 * len(FILLER) - len(shuffled)) < 40


def test_common_words_and_recurring_subjects_are_no_passage() -> None:
    mine, rare = ready(FILLER * 4 + "turquoise whale " * 30)
    assert reworded(mine, words_of(fold(FILLER * 4 + "whale turquoise " * 30)), rare, 30_000) == []


def test_nothing_is_found_in_nothing() -> None:
    empty = words_of(fold(""))
    assert reworded(empty, empty, rarity([]), 0) == []
