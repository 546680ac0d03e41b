"""Canaries: markers that nobody but this run ever wrote, and the search for them, verbatim and after some damage."""

import secrets
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

SYLLABLES: Final = tuple(first + second for first in "bdfgklmnprstvz" for second in ("a", "e", "i", "o", "u", "ei"))
ALIKE: Final = 80.0  # of 100: the least likeness of a damaged marker; 24 random syllables are below 60 to any text


@dataclass(frozen=True)
class Hit:
    """A marker of one tenant in the answer to the other: ``how`` is ``verbatim`` or ``fuzzy``, likeness of 100."""

    marker: int
    how: str
    likeness: int


def make() -> str:
    """Returns a marker: eight made-up words of three syllables, some 60 bits in each third of it."""
    return " ".join("".join(secrets.choice(SYLLABLES) for _ in range(3)) for _ in range(8))


def filler(words: int) -> str:
    """Returns random words that begin like no other prompt."""
    return " ".join("".join(secrets.choice(SYLLABLES) for _ in range(2)) for _ in range(words))


def find(markers: list[str], answer: str) -> Hit | None:
    """Returns the most alike of ``markers`` in ``answer``, or None. Looks for nothing else."""
    folded = _folded(answer)
    best: Hit | None = None
    for number, marker in enumerate(markers):
        wanted = _folded(marker)
        if wanted in folded:
            return Hit(number, "verbatim", 100)
        if len(folded) * 2 >= len(wanted):
            likeness = fuzz.partial_ratio(wanted, folded, score_cutoff=ALIKE)
            if likeness and (best is None or likeness > best.likeness):
                best = Hit(number, "fuzzy", int(likeness))
    return best


def _folded(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())
