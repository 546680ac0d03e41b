"""Passages that were reordered or reworded, by their rare words."""

import random

from forensics.match.compare import compare_pairs
from forensics.match.normalise import fold
from forensics.match.reworded import Rarity, Words, rarity, reworded, words_of
from forensics.match.spans import Text

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


SUBJECT = (
    "Achterberg",
    "Brandmeier",
    "Wilhelmine",
    "Ottokar",
    "Flurstueck",
    "Pachtvertrag",
    "Lieferwagen",
    "Kuendigung",
)


def about(seed: int, mentions: int) -> str:
    """Returns words that nothing else has, with the subject's names among them, again and again."""
    rng = random.Random(seed)  # noqa: S311
    own = ["".join(rng.choices("bcdfghjklmnpqrstvwxz", k=8)) for _ in range(mentions)]
    return " ".join(f"{SUBJECT[at % len(SUBJECT)]} {word}" for at, word in enumerate(own))


def test_names_that_both_repeat_count_once() -> None:
    mine, theirs = words_of(fold(about(1, 40))), words_of(fold(about(2, 40)))
    rare = rarity([words_of(fold(FILLER * 200)), mine, theirs])
    once = sum(sorted(rare.milli_bits(mine.stem).tolist())[: len(SUBJECT)])
    for passage in reworded(mine, theirs, rare, 20_000):
        assert passage.milli_bits > 20_000
    assert reworded(mine, theirs, rare, once) == []
    whole = words_of(fold(about(1, 40)))
    assert reworded(whole, whole, rare, once) != []


def test_a_reworded_passage_beside_a_copied_one_must_weigh_twice_as_much() -> None:
    copied = " ".join(f"{word}{at}" for at, word in enumerate(about(9, 40).split()))
    words = SOURCE.split()
    random.Random(3).shuffle(words)  # noqa: S311
    texts = {"loose": " ".join(words), "both": f"{copied} {FILLER * 5} {' '.join(words)}"}
    background = [Text(f"b{n}", None, FILLER * 40) for n in range(5)]
    found = {}
    for name, response in texts.items():
        asked = [Text("p", None, f"{SOURCE} {FILLER * 5} {copied}"), *background]
        pairs = {"r": ["p", *(each.text_id for each in background)]}
        told = compare_pairs([Text("r", None, response)], asked, pairs, tried=2**30)
        found[name] = sum(match.span.kind == "reworded" for match in told)
    assert found == {"loose": 1, "both": 0}
