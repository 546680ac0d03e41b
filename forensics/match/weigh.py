"""How much each character of a response would weigh if another tenant's text held it too, in 1/1000 bit.

The scale is measured, not chosen. Between answers that 12 models gave to different questions, a shared run of 12
letters occurs once in 2^21.8 pairs of places, and every further letter of a stock phrase makes it rarer by about 0.35
bit (docs/method.md says how). A word, number or ideograph pair that no other tenant and nothing of the recipient's own
holds is worth more: about one bit a letter, log2(10) a digit. What the recipient sent or was sent weighs nothing; what
h of T tenants hold weighs log2(T / h) for the whole run.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.kernel import IDEOGRAPH
from forensics.match.ledger import Ledger
from forensics.match.normalise import DIGIT, Folded
from forensics.match.repeats import repeated
from forensics.match.seeds import Ints
from forensics.match.tokens import DIGIT_BITS, LETTER, Tokens

STOCK_LETTER: Final = 350  # milli-bits of one more letter in a phrase of common words
STOCK_IDEOGRAPH: Final = 1200
IDEOGRAPH_BITS: Final = 3500
ANCHOR: Final = 17_600  # what the first run is rarer than its letters say: 21.8 bits less 12 stock letters
FULL_RUN: Final = 12 * LETTER  # what a run must weigh to be credited with that in full; repetition never does

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Weights:
    """Per byte of one response, in milli-bits: ``raw`` (nobody else holds it), ``net`` (after explaining away).

    ``own``, ``public`` and ``common`` mark the bytes that are explained, and how.
    """

    raw: Ints
    net: Ints
    own: Mask
    public: Mask
    common: Mask

    @cached_property
    def raw_sums(self) -> Ints:
        """Returns ``raw`` cumulated: one value more than bytes, from 0."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.raw)])

    @cached_property
    def raw_total(self) -> list[int]:
        """Returns ``raw_sums`` as a list."""
        total: list[int] = self.raw_sums.tolist()
        return total

    @cached_property
    def net_total(self) -> list[int]:
        """Returns ``net`` cumulated: one value more than bytes, from 0."""
        total: list[int] = [0, *np.cumsum(self.net).tolist()]
        return total


class Scale:
    """Weighs the bytes of one response."""

    def __init__(self, folded: Folded, words: Tokens, seed_bytes: int, tenants: int) -> None:
        self._folded, self._words, self._size, self._tenants = folded, words, seed_bytes, max(tenants, 2)
        self._repeated = repeated(folded, seed_bytes)
        self._intrinsic, self._stock = _shape(folded)
        self._intrinsic[self._repeated] = 0
        self._stock[self._repeated] = 0
        self._distinct, self._which = np.unique(words.value, return_inverse=True)

    def weigh(
        self, response: int, grams: tuple[Ledger, Ints], words: tuple[Ledger, Ints], *, source_counted: bool
    ) -> Weights:
        """Returns the weights of ``response``, right for every byte that the source in question holds too.

        Each ledger comes with its index's places; a word's place is its rank among the response's distinct words.
        """
        net = self._by_word(response, *words, source_counted=source_counted)
        ledger, places = grams
        rows = ledger.rows(response)
        at = places[rows]
        own = self._cover(at[ledger.own[rows]])
        public = self._cover(at[ledger.public[rows]])
        holders = np.zeros(len(net), dtype=np.int64)
        counted = ledger.holders(rows, source_counted=source_counted)
        for step in range(self._size):
            np.maximum.at(holders, at + step, counted)
        common = (holders > 0) & ~own & ~public
        net[own | public] = 0
        self._price_common(net, common, holders)
        return Weights(self._intrinsic, net, own, public, common)

    def _by_word(self, response: int, ledger: Ledger, places: Ints, *, source_counted: bool) -> Ints:
        rows = ledger.rows(response)
        held = np.zeros(len(self._distinct), dtype=np.int64)
        known = np.zeros(len(self._distinct), dtype=np.bool_)
        held[places[rows]] = ledger.holders(rows, source_counted=source_counted)
        known[places[rows]] = ledger.own[rows] | ledger.public[rows]
        first, last = self._words.first, self._words.last
        whole, stock = _sums(self._intrinsic, first, last), _sums(self._stock, first, last)
        price = np.round(1000 * np.log2(self._tenants / np.clip(held, 1, self._tenants))).astype(np.int64)
        token_held, token_known = held[self._which], known[self._which]
        worth = np.where(token_held > 0, np.minimum(whole, np.maximum(stock, price[self._which])), whole)
        worth = np.where(token_known, np.minimum(whole, stock), worth)
        net = np.zeros(len(self._intrinsic), dtype=np.int64)
        length = last - first
        step = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        byte = np.repeat(first, length) + step
        share = self._intrinsic[byte] * np.repeat(worth, length) // np.maximum(np.repeat(whole, length), 1)
        np.maximum.at(net, byte, share)
        return net

    def _cover(self, at: Ints) -> Mask:
        edge = np.zeros(len(self._folded) + 1, dtype=np.int64)
        np.add.at(edge, at, 1)
        np.subtract.at(edge, at + self._size, 1)
        return np.cumsum(edge)[:-1] > 0

    def _price_common(self, net: Ints, common: Mask, holders: Ints) -> None:
        edges = np.flatnonzero(np.diff(np.concatenate([[False], common, [False]]).astype(np.int8)))
        for low, high in edges.reshape(-1, 2).tolist():
            price = max(0, round(1000 * float(np.log2(self._tenants / int(holders[low:high].max())))))
            total = int(net[low:high].sum())
            if total > price:
                net[low:high] = net[low:high] * price // total


def _shape(folded: Folded) -> tuple[Ints, Ints]:
    """Returns intrinsic and stock milli-bits of each byte, the whole of a character on its last byte."""
    intrinsic = np.full(len(folded), LETTER, dtype=np.int64)
    stock = np.full(len(folded), STOCK_LETTER, dtype=np.int64)
    intrinsic[folded.kind == DIGIT], stock[folded.kind == DIGIT] = DIGIT_BITS, 0
    intrinsic[folded.kind == IDEOGRAPH], stock[folded.kind == IDEOGRAPH] = IDEOGRAPH_BITS, STOCK_IDEOGRAPH
    inside = np.append(~folded.lead[1:], np.zeros(min(len(folded), 1), dtype=np.bool_))
    intrinsic[inside] = 0
    stock[inside] = 0
    return intrinsic, stock


def _sums(values: Ints, first: Ints, last: Ints) -> Ints:
    total = np.concatenate([[0], np.cumsum(values)])
    summed: Ints = total[last] - total[first]
    return summed
