"""Words, numbers, names and identifiers of a folded text, as hashes that can be looked up in any other text.

A *token* is a run of letters and digits; in scripts without spaces, two neighbouring characters. A *fact* is a short
sequence of tokens that names something: a number, a date, a clock time, an identifier, a name of several capitalised
words. Facts outlive rewording, so a paraphrase keeps them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.finding import LONGEST_FACT, TOKEN_BASE, TOKEN_PAIR
from forensics.match.kernel import IDEOGRAPH
from forensics.match.normalise import DIGIT, Folded, beginnings
from forensics.match.seeds import Hashes, Ints

LETTER: Final = 1000  # milli-bits of a letter in a word nobody else holds
DIGIT_BITS: Final = 3322  # log2(10)
_LEAST: Final = 6_000  # a fact must say more than a small number does
_MOST: Final = 40_000
_BASE: Final = np.uint64(TOKEN_BASE)
_PAIR: Final = np.uint64(TOKEN_PAIR)
_JOINERS: Final = frozenset("_@/.:\\\\=#")


@dataclass(frozen=True)
class Tokens:
    """n tokens in order: ``first`` and ``last`` byte (end exclusive), ``value`` (hash), ``digits`` in each, ``spaced``.

    ``spaced`` is false for the two-character tokens of scripts without spaces.
    """

    first: Ints
    last: Ints
    value: Hashes
    digits: Ints
    spaced: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True)
class Facts:
    """n facts: ``first`` and ``last`` byte (end exclusive), ``value`` (hash), ``bits_milli`` each would weigh alone.

    ``named`` marks names, which must be capitalised wherever they stand.
    """

    first: Ints
    last: Ints
    value: Hashes
    bits_milli: Ints
    named: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.first)


def tokens(folded: Folded) -> Tokens:
    """Returns the tokens of a folded text."""
    n = len(folded)
    if not n:
        none = np.empty(0, dtype=np.int64)
        return Tokens(none, none, none.astype(np.uint64), none, none.astype(np.bool_))
    dense = folded.kind == IDEOGRAPH
    first = np.flatnonzero(beginnings(folded))
    last = np.append(first[1:], n)
    place = np.arange(n) - np.repeat(first, last - first)
    powers = np.multiply.accumulate(np.full(int(place.max()) + 1, _BASE, dtype=np.uint64))
    value = np.add.reduceat((folded.data.astype(np.uint64) + np.uint64(1)) * powers[place], first)
    digits = np.add.reduceat((folded.kind == DIGIT).astype(np.int64), first)
    spaced = ~dense[first]
    paired = np.flatnonzero(~spaced[:-1] & ~spaced[1:])
    value[paired], last[paired] = value[paired] + value[paired + 1] * _PAIR, last[paired + 1]
    single = ~spaced
    single[paired] = False
    keep = ~single
    value = (value ^ (value >> np.uint64(31))) * _PAIR
    return Tokens(first[keep], last[keep], value[keep], digits[keep], spaced[keep])


def stems(folded: Folded, length: int) -> tuple[Hashes, Ints, Ints]:
    """Returns (hash, first byte, last byte) of every word by its first ``length`` bytes; characters where unspaced."""
    n = len(folded)
    if not n:
        none = np.empty(0, dtype=np.int64)
        return none.astype(np.uint64), none, none
    first = np.flatnonzero(beginnings(folded))
    last = np.append(first[1:], n)
    place = np.minimum(np.arange(n) - np.repeat(first, last - first), length)
    powers = np.append(np.multiply.accumulate(np.full(length, _BASE, dtype=np.uint64)), np.uint64(0))
    value = np.add.reduceat((folded.data.astype(np.uint64) + np.uint64(1)) * powers[place], first)
    return (value ^ (value >> np.uint64(31))) * _PAIR, first, last


def sequences(words: Tokens) -> tuple[Hashes, Ints]:
    """Returns (hash, first byte) of every sequence of 1 to ``LONGEST_FACT`` spaced tokens."""
    value, first = words.value[words.spaced], words.first[words.spaced]
    hashes, places = [value], [first]
    run = value
    for length in range(2, LONGEST_FACT + 1):
        if len(value) < length:
            break
        run = chained(run[:-1], value[length - 1 :])
        hashes.append(run)
        places.append(first[: len(run)])
    return np.concatenate(hashes), np.concatenate(places)


def chained(run: Hashes, value: Hashes) -> Hashes:
    """Returns the hashes of the sequences ``run``, each with one more token."""
    mixed = run * _BASE + value
    return mixed ^ (mixed >> np.uint64(32))


def facts(text: str, folded: Folded, words: Tokens) -> Facts:
    """Returns the facts of a response: ``text`` the original, ``folded`` and ``words`` made from it."""
    at = np.flatnonzero(words.spaced)
    found: dict[int, tuple[int, int, int, bool]] = {}
    parts = _Parts(text, folded, words, at)
    index = 0
    while index < len(at):
        length, bits, named = parts.fact(index)
        if length and bits >= _LEAST:
            chosen = at[index : index + length]
            value = words.value[chosen[0]]
            for token in chosen[1:]:
                value = chained(np.array([value]), words.value[token : token + 1])[0]
            found.setdefault(int(value), (int(words.first[chosen[0]]), int(words.last[chosen[-1]]), bits, named))
        index += max(length, 1)
    rows = sorted((first, last, value, bits, named) for value, (first, last, bits, named) in found.items())
    columns = list(zip(*rows, strict=True)) or [()] * 5
    kinds = (np.int64, np.int64, np.uint64, np.int64, np.bool_)
    return Facts(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


_NONE: Final[Ints] = np.empty(0, dtype=np.int64)
NO_FACTS: Final = Facts(_NONE, _NONE, _NONE.astype(np.uint64), _NONE, _NONE.astype(np.bool_))


class _Parts:
    """The spaced tokens of a response with what the original has between and in them."""

    def __init__(self, text: str, folded: Folded, words: Tokens, at: Ints) -> None:
        begin = folded.start[words.first[at]] if len(at) else at
        end = folded.end[words.last[at] - 1] if len(at) else at
        self.words = [text[b:e] for b, e in zip(begin, end, strict=True)]
        self.between = [text[e:b] for e, b in zip(end[:-1], begin[1:], strict=True)]
        self.digits = words.digits[at].tolist()

    def fact(self, index: int) -> tuple[int, int, bool]:
        """Returns how many tokens from ``index`` make one fact (none: 0), its milli-bits, and whether it is a name."""
        for kind in (self._date, self._joined, self._name):
            length = kind(index)
            if length:
                return length, min(self._bits(index, length), _MOST), kind == self._name
        return 0, 0, False

    def _date(self, i: int) -> int:
        """Day, month name, year in either order: ``17 March 2027``, ``March 17, 2027``."""
        if i + 2 >= len(self.words) or any(len(gap) > 3 for gap in self.between[i : i + 2]):
            return 0
        day, month = (i, i + 1) if self.digits[i] else (i + 1, i)
        year = i + 2
        fits = (
            self.words[day].isdigit() and len(self.words[day]) <= 2
            and not self.digits[month] and len(self.words[month]) >= 3
            and self.words[year].isdigit() and len(self.words[year]) == 4
        )  # fmt: skip
        return 3 if fits else 0

    def _joined(self, i: int) -> int:
        """Tokens that one sign joins, if a digit or an identifier's joiner is among them."""
        length = 1
        while i + length < len(self.words) and length < LONGEST_FACT and self._holds(i, i + length):
            length += 1
        within = "".join(self.between[i : i + length - 1])
        named = bool(_JOINERS & set(within)) and not within.isspace()
        return length if named or any(self.digits[i : i + length]) else 0

    def _holds(self, first: int, following: int) -> bool:
        gap = self.between[following - 1]
        if self.digits[following - 1] and self.digits[following] and gap.strip() in _DATE_SIGNS:
            return True
        if len(gap) != 1 or gap.isspace():
            return False
        return gap in _JOINERS or any(self.digits[first : following + 1])

    def _name(self, i: int) -> int:
        length = 0
        while i + length < len(self.words) and length < 4 and self._capital(i + length):
            length += 1
            if i + length < len(self.words) and self.between[i + length - 1] not in _NAME_GAPS:
                break
        return length if length >= 2 else 0

    def _capital(self, i: int) -> bool:
        return self.words[i][0].isupper() and len(self.words[i]) >= 2 and not self.digits[i]

    def _bits(self, i: int, length: int) -> int:
        """A date is one day of three years; digits count by digit, without the zeros of a round number; letters by
        letter, and as a code's where the token has three digits or more."""
        if length == 3 and self._date(i):
            return 10_000
        total = 0
        for word, digits in zip(self.words[i : i + length], self.digits[i : i + length], strict=True):
            if digits == len(word):
                worth = word.rstrip("0") or "0"
                total += 2000 if len(word) == 4 and word[:2] in {"19", "20"} else len(worth) * DIGIT_BITS
            else:
                total += digits * DIGIT_BITS + (len(word) - digits) * (3000 if digits >= 3 else LETTER)
        return total


_DATE_SIGNS: Final = frozenset({"年", "月", "日", "년", "월", "일", "/", "-", ".", ":"})
_NAME_GAPS: Final = frozenset({" ", ". ", " & ", "-", "'", "’", "\u00a0"})
