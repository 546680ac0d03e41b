"""One source that many read is told from a document that many hold."""

import numpy as np

from forensics.match.kernel import Ints
from forensics.match.sweep.readers import LONG, TWO, excused
from forensics.match.sweep.scan import FIELDS, FIRST, LAST, RESPONSE, SOURCE_FIRST, SOURCE_LAST, TEXT

TENANTS = 10
PARTS = np.arange(TENANTS)
READER = np.array([1, 2, 3, 4])  # tenant of response n
TOLD = np.array([10, 20, 30, 40])  # when response n had ended


def rows(*given: tuple[int, int, int, int]) -> Ints:
    """Returns rows of (response, text, first byte, last byte); a text has the same places as the responses."""
    found = np.zeros((len(given), FIELDS), dtype=np.int64)
    for row, (response, text, first, last) in enumerate(given):
        found[row, [RESPONSE, TEXT]] = response, text
        found[row, [FIRST, SOURCE_FIRST]], found[row, [LAST, SOURCE_LAST]] = first, last
    return found


def most(given: Ints, owner_of: dict[int, int], sent_of: dict[int, int]) -> list[int]:
    owner = np.array([owner_of[text] for text in given[:, TEXT].tolist()])
    sent = np.array([sent_of[text] for text in given[:, TEXT].tolist()])
    reader, told = READER[given[:, RESPONSE]], TOLD[given[:, RESPONSE]]
    found: list[int] = excused(given, PARTS, reader=reader, owner=owner, told=told, sent=sent).tolist()
    return found


def test_readers_of_one_tenants_prompt_do_not_make_it_common() -> None:
    given = rows((0, 7, 0, 300), (1, 7, 0, 300), (2, 7, 0, 300))
    assert most(given, {7: 5}, {7: 1}) == [4, 4, 4]


def test_a_passage_counts_as_it_does_where_the_fewest_read_it() -> None:
    given = rows((0, 7, 0, 600), (1, 7, 0, 300), (2, 7, 0, 300))
    assert most(given, {7: 5}, {7: 1}) == [TWO, 4, 4]


def test_what_several_tenants_prompts_hold_anywhere_is_a_document() -> None:
    given = rows((0, 7, 0, 600), (0, 8, 0, 130), (1, 7, 0, 600), (1, 8, 0, 130), (2, 7, 200, 600))
    assert most(given, {7: 5, 8: 6}, {7: 1, 8: 2}) == [TWO, TWO, TWO, TWO, 4]


def test_who_was_told_and_sends_it_again_makes_it_no_document() -> None:
    given = rows((0, 7, 0, 300), (1, 7, 0, 300), (1, 8, 0, 300))
    sent_again = {7: 5, 8: int(READER[0])}
    assert most(given, sent_again, {7: 1, 8: 15})[:2] == [3, 3]
    assert most(given, sent_again, {7: 1, 8: 5})[1] == TWO  # sent before its tenant was told: a holder


def test_any_long_row_covers_a_block() -> None:
    for first in range(LONG):
        given = rows((0, 7, first, first + LONG), (0, 8, first, first + LONG))
        assert most(given, {7: 5, 8: 6}, {7: 1, 8: 2}) == [TWO, TWO]


def test_nothing_is_excused_of_nothing() -> None:
    assert most(rows(), {}, {}) == []
