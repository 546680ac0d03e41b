"""Planted anchors: one answer and one text that share a passage nobody else has, carried through every step.

The answer is held with each batch of responses; the text is counted and looked up beside every unit. What goes in must
come out of each join, or the run ends: a sweep that loses rows would report that nothing leaked.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from forensics.errors import ForensicsError
from forensics.match.kernel import Bytes, Ints
from forensics.match.sweep.folding import Block
from forensics.match.sweep.scan import FIRST, LAST, RESPONSE, SOURCE_FIRST, SOURCE_LAST
from forensics.match.sweep.seeding import GRAM, seed_list

LENGTH: Final = 400  # bytes of the shared passage
_EDGE: Final = 100  # bytes around it, different in both
_LETTERS: Final = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype=np.uint8)


def _letters(seed: int, size: int) -> Bytes:
    return _LETTERS[np.random.default_rng(seed).integers(len(_LETTERS), size=size)]


_SHARED: Final = _letters(90210, LENGTH)
ANSWER: Final = np.concatenate([_letters(1, _EDGE), _SHARED, _letters(2, _EDGE)])
TEXT: Final = Block(
    np.concatenate([_letters(3, _EDGE), _SHARED, _letters(4, _EDGE)]), np.array([0, LENGTH + 2 * _EDGE])
)


@lru_cache(maxsize=1)
def _anchors() -> int:
    """Returns how many seeds of the text lie wholly in the passage: each stands in the answer too."""
    places = seed_list(TEXT.data)[1]
    return int(((places >= _EDGE) & (places <= _EDGE + LENGTH - GRAM)).sum())


def check_counted(known: int, where: str) -> None:
    """Raises unless the canary's seeds were found in the table, all and no more."""
    conserve(_anchors(), known, f"counting {where}")


def check_found(rows: Ints, response: int, where: str) -> None:
    """Raises unless the canary's passage was nominated, whole and alone."""
    right = [
        row for row in rows.tolist()
        if row[RESPONSE] == response and row[FIRST] == row[SOURCE_FIRST] == _EDGE
        and row[LAST] == row[SOURCE_LAST] == _EDGE + LENGTH
    ]  # fmt: skip
    conserve(1, len(right) if len(rows) == len(right) else -len(rows), f"looking up {where}")


def conserve(planted: int, found: int, step: str) -> None:
    """Raises unless as many came out as went in."""
    if planted != found:
        raise ForensicsError(
            f"the sweep lost or made up rows while {step}: {planted:,} went in, {found:,} came out",
            fix="The result would be wrong, so there is none. Check memory and disk, run again, and report this",
        )
