"""Filters of kept texts: they deny nothing that is held, seldom affirm what is not, and show where shared runs end."""

import random

import numpy as np
import pytest

from forensics.audit.fingerprints import GRAM, Key, every, fingerprints, placed
from forensics.audit.holding import SHORT, STRETCH, filter_of, held, lengthened
from forensics.match.kernel import Mask
from forensics.match.normalise import Folded, fold
from forensics.match.seeds import Segments, segments

KEY = Key.of(b"k" * 32)
WINDOW = 8
LEAK = "Odalys Ormenbury was sacked for saying that receipt book GBSS4258/69 lost its lead seal"


def _words(seed: int, count: int) -> str:
    rng = random.Random(seed)  # noqa: S311 - not a secret
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(3, 9))) for _ in range(count))


def _shared(response: Folded, source: Folded) -> Segments:
    """Returns the exact runs of one response (number 0) that a source's fingerprints show, as the audit finds them."""
    values, at = every(response, KEY)
    kept, place = fingerprints(source, KEY, WINDOW)
    mine, theirs = np.nonzero(values[:, None] == kept[None, :])
    return segments(np.zeros(len(mine), dtype=np.int64), at[mine], place[theirs], GRAM)


def _held(text: Folded, of: Folded, key: Key, moved: int = 0) -> Mask:
    """Returns what of a text, ``moved`` by so many bytes, a filter of another says that it holds, asked with a key."""
    at = np.flatnonzero(text.lead[: len(text) - SHORT + 1])
    return held(filter_of(of, KEY), placed(text, key, SHORT, at, (at + moved) // STRETCH))


def test_nothing_that_is_held_is_denied_and_little_else_affirmed() -> None:
    source, other = fold(_words(1, 2_000)), fold(_words(2, 2_000))
    assert _held(source, source, KEY).all()
    assert _held(other, source, KEY).mean() < 0.003
    assert len(filter_of(source, KEY)) * 8 < 2.1 * len(source)


def test_what_is_held_elsewhere_is_not_held_here() -> None:
    source = fold(_words(1, 2_000))
    assert _held(source, source, KEY, moved=2 * STRETCH).mean() < 0.003


def test_without_the_text_s_key_a_filter_affirms_no_more_than_chance() -> None:
    source = fold(_words(1, 2_000))
    for key in (KEY.of_text(1, 7), KEY.of_text(1, 8), Key.of(b"o" * 32), Key.of(b"o" * 32).of_text(1, 7)):
        assert _held(source, source, key).mean() < 0.003


@pytest.mark.parametrize("text", [LEAK, "关于欧阳若兰的赔付案卷已经封存，请勿外传，违者必究，金额为四百七十三万元整"])
def test_a_shared_run_is_seen_to_its_ends(text: str) -> None:
    source, response = fold(f"{_words(1, 60)} {text} {_words(2, 60)}"), fold(f"{_words(3, 20)} {text} {_words(4, 20)}")
    mine = KEY.of_text(1, 0)
    found = lengthened(_shared(response, source), 0, response, filter_of(source, mine), mine)
    longest = int(np.argmax(found.length))
    at, length = int(found.at[longest]), int(found.length[longest])
    wanted = len(fold(_words(3, 20)))
    assert abs(at - wanted) <= 2
    assert abs(at + length - wanted - len(fold(text))) <= 2


def test_runs_between_changed_letters_are_seen_beside_longer_ones() -> None:
    said = LEAK.replace("Ormenbury", "Orgenbury").replace("GBSS4258", "GBxSS4258").replace("lost", "losH")
    source, response = fold(f"{_words(1, 60)} {LEAK}"), fold(said)
    mine = KEY.of_text(1, 0)
    runs = _shared(response, source)
    found = lengthened(runs, 0, response, filter_of(source, mine), mine)
    assert runs.length.sum() < found.length.sum()
    pieces = {response.data[a : a + n].tobytes().decode() for a, n in zip(found.at, found.length, strict=True)}
    assert any("ss425869los" in piece for piece in pieces)
