"""Spells sequences of token ids as texts, one character for each token, so that they go through the same engine.

The characters are code points of planes 4 to 13, which Unicode has never assigned: no real text holds them. They fold
to themselves (``normalise``) and weigh what an ideograph weighs, which is about what a token of three to four letters
says. Places of spans are then those of tokens.
"""

from collections.abc import Iterable
from typing import Final

from forensics.match.normalise import TOKENS

MOST: Final = TOKENS[1] - TOKENS[0]
"""Token ids go from 0 to below this; the largest vocabularies in use have about 262,000 (Gemma 3)."""


def spelled(ids: Iterable[int]) -> str:
    """Returns the text that stands for these token ids; raises ValueError for an id that no vocabulary has."""
    first = TOKENS[0]
    codes = []
    for number in ids:
        if not 0 <= number < MOST:
            raise ValueError(f"{number} is no token id (0 to {MOST - 1:,})")
        codes.append(chr(first + number))
    return "".join(codes)
