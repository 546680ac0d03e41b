"""Finds what of any text stands in a response: its grams, its words, its facts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from forensics.match.crowds import SHORT
from forensics.match.finding import find_facts, find_grams, ranks_of, token_values
from forensics.match.kernel import Numbers
from forensics.match.normalise import folded
from forensics.match.seeds import REPEATS, GramIndex, Ints

_SINGLE: Final = 1


@dataclass(frozen=True)
class Found:
    """What of one text stands in a response: rows of each index, and the first byte in the folded text of each.

    ``size`` and ``words`` are the text's folded bytes and tokens. ``short`` are the ranks and first bytes
    of the short runs, where they are looked for.
    """

    size: int
    words: int
    gram_rows: Ints
    gram_at: Ints
    word_rows: Ints
    word_at: Ints
    fact_rows: Ints
    fact_at: Ints
    short: tuple[Ints, Ints] | None = None


class Sieve:
    """The indexes of a set of responses, for any number of texts to be put through."""

    def __init__(
        self, grams: GramIndex, words: GramIndex, facts: GramIndex, seed_bytes: int, short: GramIndex | None
    ) -> None:
        """Takes the indexes of the responses' grams (of ``seed_bytes``), words, facts and, if wanted, short runs."""
        self._grams, self._words, self._facts, self._size, self._short = grams, words, facts, seed_bytes, short

    def sift(self, texts: Sequence[str]) -> list[Found]:
        """Returns what of each text stands in a response; texts may be sifted in any order and company."""
        short = self._short.counters() if self._short else None
        counters = (self._grams.counters(), self._words.counters(), self._facts.counters(), short)
        return [self._one(text, *counters) for text in texts]

    def _one(
        self, text: str, of_grams: Numbers, of_words: Numbers, of_facts: Numbers, of_short: Numbers | None
    ) -> Found:
        data, begins, dense = folded(text)
        grams = self._grams.rows(*find_grams(data, self._size, self._grams.table, REPEATS, of_grams))
        values, first, spaced = token_values(data, begins, dense)
        ranks, index = ranks_of(self._words.table, values, _SINGLE, of_words)
        words = self._words.rows(ranks, first[index].astype(np.int64))
        named = find_facts(values[spaced], first[spaced], self._facts.table, REPEATS, of_facts)
        facts = self._facts.rows(*named)
        found = Found(len(data), len(values), *grams, *words, *facts)
        if self._short is None or of_short is None:
            return found
        return replace(found, short=find_grams(data, SHORT, self._short.table, REPEATS, of_short))
