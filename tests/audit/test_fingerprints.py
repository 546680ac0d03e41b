"""Keyed fingerprints: what they find with the key, and that they say nothing without it."""

import random
from pathlib import Path

import numpy as np
import pytest

from forensics.audit.fingerprints import GRAM, Key, _siphash, every, fingerprints, sealed
from forensics.audit.shelf import Shelf, Writer
from forensics.match.library import Part
from forensics.match.normalise import fold
from forensics.match.spans import Text

KEY, OTHER = Key.of(b"k" * 32), Key.of(b"o" * 32)
WINDOW = 8
PHRASE = "the settlement with Halvorsen is capped at 4,730,000 crowns and must stay confidential until 12 May"


def _words(seed: int, count: int) -> str:
    rng = random.Random(seed)  # noqa: S311 - not a secret
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(3, 9))) for _ in range(count))


def _shelf(folder: Path, text: str, key: Key = KEY) -> Shelf:
    folder.mkdir()
    writer = Writer(folder / "prints", 1, key, WINDOW)
    writer.take(Part("x", "prompt", 0, None, "content", "f:0:0", "acme", False, 0, len(text)), Text("t", "acme", text))
    writer.finish()
    return Shelf(folder / "prints")


def _found(shelf: Shelf, text: str, key: Key) -> int:
    values, _ = every(fold(text), key)
    return sum(len(hits.text) for hits in shelf.look_up(np.unique(values)))


def test_the_function_is_siphash_2_4() -> None:
    """The reference vector of its authors: key 00…0f, message 00…0e."""
    words = [np.uint64(int.from_bytes(bytes(range(first, first + 8)), "little")) for first in (0, 8)]
    assert _siphash(np.arange(15, dtype=np.uint8), 0, 15, *words) == 0xA129CA6149BE45E5


@pytest.mark.parametrize("seed", range(20))
def test_texts_that_share_enough_share_a_fingerprint(seed: int) -> None:
    shared = _words(seed, 40)
    run = fold(shared).spelling.decode()[: WINDOW + GRAM - 1]
    one, other = (fold(f"{_words(seed + n, 50)} {run} {_words(seed + n + 1, 50)}") for n in (100, 200))
    assert set(fingerprints(one, KEY, WINDOW)[0].tolist()) & set(fingerprints(other, KEY, WINDOW)[0].tolist())


def test_a_phrase_is_found_with_the_key_and_not_without(tmp_path: Path) -> None:
    """Whoever has the store, and guesses the very phrase, cannot tell that it is in there."""
    shelf = _shelf(tmp_path / "kept", f"{_words(1, 300)} {PHRASE} {_words(2, 300)}")
    assert _found(shelf, PHRASE.upper().replace(" ", "-"), KEY) >= 5
    assert _found(shelf, PHRASE, OTHER) == 0
    assert _found(shelf, PHRASE, Key.of(None)) == 0
    for size in range(1, 400):
        assert _found(shelf, PHRASE, Key.of(size.to_bytes(16, "big"))) == 0


def test_not_even_the_places_tell_a_guess(tmp_path: Path) -> None:
    """Which runs are kept depends on the key: the gaps of a right guess agree no better than those of a wrong one."""
    text = f"{_words(1, 300)} {PHRASE}"
    kept = set(fingerprints(fold(text), KEY, WINDOW)[1].tolist())
    guessed, wrong = (set(fingerprints(fold(each), OTHER, WINDOW)[1].tolist()) for each in (text, _words(9, 320)))
    assert abs(len(kept & guessed) / len(guessed) - len(kept & wrong) / len(wrong)) < 0.1
    for name in ("value", "text", "at", "start"):
        raw = (_shelf(tmp_path / name, text).folder / f"000.{name}.npy").read_bytes()
        assert b"Halvorsen" not in raw
        assert b"halvorsen" not in raw


def test_digests_of_texts_are_keyed() -> None:
    assert sealed(b"a" * 16, "0f") == sealed(b"a" * 16, "0f")
    assert sealed(b"a" * 16, "0f") != sealed(b"b" * 16, "0f")


def test_what_many_texts_hold_is_looked_at_a_bounded_number_of_times(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    writer = Writer(folder / "prints", 1, KEY, WINDOW)
    part = Part("x", "prompt", 0, None, "content", "f:0:0", "acme", False, 0, 0)
    for _ in range(700):
        writer.take(part, Text("t", "acme", PHRASE))
    writer.finish()
    values = np.unique(fingerprints(fold(PHRASE), KEY, WINDOW)[0])
    assert max(len(hits.text) for hits in Shelf(folder / "prints").look_up(values)) <= 512 * len(values)
