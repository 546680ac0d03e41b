"""Drops what cannot stand in any response before anything is computed exactly.

Bytes of a folded text are looked at eight at a time: tables say whether the first and last eight of a gram, the first
eight of a word and its length, or those of two words in a row, may occur in a response. What passes is hashed and
looked up exactly, so the tables decide the speed and never the result. A word counts once per text: once found, it is
dropped from the text's own copy of the table, and the rest of a long document costs little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.normalise import Bytes, Folded
from forensics.match.plain import Bounds, Mask, Plain, bounds, joined, plain
from forensics.match.seeds import REPEATS, GramIndex, Hashes, Ints, gram_hashes, gram_hashes_at
from forensics.match.tokens import LONGEST_FACT, Facts, Tokens, chained, token_values

Cells = npt.NDArray[np.int64]

_BLOCK: Final = 1 << 16  # bytes of a folded text looked at in one go: what is made of them stays in the cache
_WIDE: Final = 8
_BLOCK_PAD: Final = 64  # more than any gram has bytes
_GRAM_SHIFT: Final = np.uint64(64 - 22)
_WORD_SHIFT: Final = np.uint64(64 - 18)
_FIRST: Final = np.uint64(0x9E3779B97F4A7C15)
_SECOND: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_MASK: Final = np.array([(1 << 8 * length) - 1 for length in range(_WIDE + 1)], dtype=np.uint64)


@dataclass(frozen=True)
class Found:
    """What of one text stands in a response: rows of each index, and the first byte in the folded text of each.

    ``size`` and ``words`` are the text's folded bytes and tokens.
    """

    size: int
    words: int
    gram_rows: Ints
    gram_at: Ints
    word_rows: Ints
    word_at: Ints
    fact_rows: Ints
    fact_at: Ints


class Sieve:
    """The tables of a set of responses, over the indexes that say exactly what stands where."""

    def __init__(
        self,
        responses: Sequence[tuple[Folded, Tokens, Facts]],
        grams: GramIndex,
        words: GramIndex,
        facts: GramIndex,
        seed_bytes: int,
    ) -> None:
        """Takes each response's folded form, tokens and facts, and the indexes made of them."""
        self._grams, self._words, self._facts, self._size = grams, words, facts, seed_bytes
        self._single = np.zeros(1 << (64 - int(_WORD_SHIFT)), dtype=np.bool_)
        self._double = np.zeros(len(self._single), dtype=np.bool_)
        gram_of = [np.empty((2, 0), dtype=np.uint64)]
        cell_of: dict[int, int] = {}
        for folded, tokens, named in responses:
            wide = _wide(folded.data)
            cells = self._gram_cells(wide(0, len(folded) + _WIDE))[: max(len(folded) - seed_bytes + 1, 0)]
            gram_of.append(np.stack([gram_hashes(folded.data, seed_bytes), cells.view(np.uint64)]))
            keys = _keys(wide(0, len(folded))[tokens.first], tokens.last - tokens.first)
            cell_of.update(zip(tokens.value.tolist(), _cells(keys).tolist(), strict=True))
            self._enter_facts(tokens, keys, named)
        hashes, cells = np.concatenate(gram_of, axis=1)
        first = np.unique(hashes, return_index=True)[1]
        self._gram_filter = _Filter.of(cells[first].view(np.int64), _GRAM_SHIFT, REPEATS)
        self._word_filter = _Filter.of(np.array(list(cell_of.values()), dtype=np.int64), _WORD_SHIFT, 1)

    def _enter_facts(self, tokens: Tokens, keys: Hashes, named: Facts) -> None:
        first, last, keys = tokens.first[tokens.spaced], tokens.last[tokens.spaced], keys[tokens.spaced]
        at = np.searchsorted(first, named.first)
        short = last[at] >= named.last
        self._single[_cells(keys[at[short]])] = True
        self._double[_cells(_pairs(keys)[at[~short]])] = True

    def sift(self, texts: Sequence[str]) -> list[Found]:
        """Returns what of each text stands in a response; texts may be sifted in any order and company."""
        folded = [plain(text) for text in texts]
        shelf = _Row(folded)
        whole = joined(folded)
        gram_at, word, keys = self._passing(whole, shelf)
        gram_at = gram_at[gram_at + self._size <= shelf.end(gram_at)]
        if whole.lead is not None:
            gram_at = gram_at[whole.lead[gram_at]]
        hashes = gram_hashes_at(whole.data, gram_at, self._size)
        grams = shelf.split(*self._grams.lookup(hashes, gram_at, owner=shelf.owner(gram_at)))
        at = shelf.tokens.first[word]
        values = _values(whole.data, shelf.tokens, word)
        words = shelf.split(*self._words.lookup(values, at, limit=1, owner=shelf.owner(at)))
        hashes, at = self._sequences(whole.data, shelf, keys)
        facts = shelf.split(*self._facts.lookup(hashes, at, owner=shelf.owner(at)))
        return [
            Found(len(mine), int(count), *g, *w, *f)
            for mine, count, g, w, f in zip(folded, shelf.counts, grams, words, facts, strict=True)
        ]

    def _passing(self, folded: Plain, shelf: "_Row") -> tuple[Ints, Ints, Hashes]:
        """Returns the bytes at which a gram may begin and the tokens that may be words of a response, and every key."""
        n, wide, tokens = len(folded), _wide(folded.data), shelf.tokens
        long = len(shelf.counts) == 1 and n > _BLOCK
        gram_filter, word_filter = (self._gram_filter, self._word_filter) if not long else self._own_filters()
        grams, words, keys = [_NONE], [_NONE], [_NONE.astype(np.uint64)]
        starts = np.searchsorted(tokens.first, np.arange(0, n + _BLOCK, _BLOCK)).tolist()
        for low, begin, end in zip(range(0, n, _BLOCK), starts[:-1], starts[1:], strict=False):
            view = wide(low, min(low + _BLOCK, n) + self._size)
            cells = self._gram_cells(view)
            at = gram_filter.passing(cells)
            grams.append(at + low)
            first = tokens.first[begin:end]
            mine = _keys(view[first - low], tokens.last[begin:end] - first)
            keys.append(mine)
            which = word_filter.passing(_cells(mine))
            words.append(which + begin)
            if long:
                at = at[at + low <= n - self._size]
                gram_filter.enough(self._grams, gram_hashes_at(folded.data, at + low, self._size), cells[at])
                word_filter.enough(self._words, _values(folded.data, tokens, which + begin), _cells(mine[which]))
        return np.concatenate(grams), np.concatenate(words), np.concatenate(keys)

    def _own_filters(self) -> tuple["_Filter", "_Filter"]:
        return self._gram_filter.own(len(self._grams.hashes)), self._word_filter.own(len(self._words.hashes))

    def _gram_cells(self, view: Hashes) -> Cells:
        """Returns the cell of every gram that a view of wide bytes holds whole."""
        apart = max(self._size - _WIDE, 0)
        mixed = view[: len(view) - self._size] * _FIRST
        mixed += view[apart : apart + len(mixed)]
        mixed *= _SECOND
        mixed >>= _GRAM_SHIFT
        return mixed.view(np.int64)

    def _sequences(self, data: Bytes, shelf: "_Row", keys: Hashes) -> tuple[Hashes, Ints]:
        """Returns (hash, first byte) of the sequences of spaced tokens that may be facts, as ``tokens.sequences``."""
        spaced = np.flatnonzero(shelf.tokens.spaced)
        keys, first = keys[spaced], shelf.tokens.first[spaced]
        single = np.flatnonzero(self._single[_cells(keys)])
        begins = np.flatnonzero(self._double[_cells(_pairs(keys))])
        end = np.searchsorted(first, shelf.end(first[begins]))
        steps = np.arange(LONGEST_FACT)
        each = np.minimum(begins[:, None] + steps, len(spaced) - 1)
        values = _values(data, shelf.tokens, spaced[np.concatenate([single, each.ravel()])])
        further = values[len(single) :].reshape(each.shape)
        hashes, places = [values[: len(single)]], [first[single]]
        run = further[:, 0]
        for step in range(1, LONGEST_FACT):
            run = chained(run, further[:, step])
            inside = begins + step < end
            hashes.append(run[inside])
            places.append(first[begins[inside]])
        return np.concatenate(hashes), np.concatenate(places)


class _Filter:
    """A table of cells that may hold something, and how often a text has shown what they hold."""

    def __init__(self, table: Mask, alone: Mask, limit: int, slots: int) -> None:
        """``alone`` marks cells of one hash only; each of an index's ``slots`` hashes is wanted ``limit`` times."""
        self._table, self._alone, self._limit = table, alone, limit
        self._count = np.zeros(slots, dtype=np.int64)

    @classmethod
    def of(cls, cells: Cells, shift: np.uint64, limit: int) -> "_Filter":
        """Returns the filter that all texts share, given the cell of every distinct hash."""
        held = np.bincount(cells, minlength=1 << (64 - int(shift)))
        return cls(held > 0, held == 1, limit, 0)

    def own(self, slots: int) -> "_Filter":
        """Returns a filter for one text, over an index of ``slots`` hashes."""
        return _Filter(self._table.copy(), self._alone, self._limit, slots)

    def passing(self, cells: Cells) -> Ints:
        """Returns which of the cells may hold something that is still wanted."""
        return np.flatnonzero(self._table[cells])

    def enough(self, index: GramIndex, hashes: Hashes, cells: Cells) -> None:
        """Notes what was found, and stops looking for what was found as often as is wanted."""
        slot = index.slots(hashes)
        known = np.flatnonzero(slot >= 0)
        slot, cells = slot[known], cells[known]
        np.add.at(self._count, slot, 1)
        done = cells[self._count[slot] >= self._limit]
        self._table[done[self._alone[done]]] = False


class _Row:
    """Several folded texts in a row: their tokens, and which text a byte belongs to."""

    def __init__(self, folded: Sequence[Plain]) -> None:
        self._offset = np.cumsum([0, *(len(each) for each in folded)])
        found = [bounds(each) for each in folded]
        self.counts = [len(each) for each in found]
        shift = np.repeat(self._offset[:-1], self.counts)
        first, middle, last = (np.concatenate([getattr(b, name) for b in found]) + shift for name in _PLACES)
        self.tokens = Bounds(first, middle, last, np.concatenate([each.spaced for each in found]))

    def owner(self, at: Ints) -> Ints:
        """Returns the number of the text that each byte belongs to."""
        owner: Ints = np.searchsorted(self._offset, at, side="right") - 1
        return owner

    def end(self, at: Ints) -> Ints:
        """Returns where the text of each byte ends."""
        end: Ints = self._offset[self.owner(at) + 1]
        return end

    def split(self, rows: Ints, at: Ints) -> list[tuple[Ints, Ints]]:
        """Returns (rows, places) of each text, places counted from its own beginning, order kept."""
        owner = self.owner(at)
        order = np.argsort(owner, kind="stable")
        rows, at = rows[order], (at - self._offset[owner])[order]
        edges = np.searchsorted(owner[order], np.arange(len(self.counts) + 1)).tolist()
        return [(rows[low:high], at[low:high]) for low, high in pairwise(edges)]


_PLACES: Final = ("first", "middle", "last")
_NONE: Final[Ints] = np.empty(0, dtype=np.int64)


def _wide(data: Bytes) -> Callable[[int, int], Hashes]:
    """Returns a function that gives, for bytes ``low`` to ``high``, those and the seven after each, as one number."""
    padded = np.concatenate([data, np.zeros(_BLOCK_PAD, dtype=np.uint8)])
    view: Hashes = np.ndarray((len(data) + _BLOCK_PAD - _WIDE,), dtype="<u8", buffer=padded, strides=(1,))
    return lambda low, high: view[low:high].copy()


def _keys(wide: Hashes, length: Ints) -> Hashes:
    """Returns a key of each token: alike for tokens of the same length whose first eight bytes are alike."""
    keys: Hashes = ((wide & _MASK[np.minimum(length, _WIDE)]) + length.view(np.uint64) * _SECOND) * _FIRST
    return keys


def _pairs(keys: Hashes) -> Hashes:
    pairs: Hashes = (keys[:-1] ^ (keys[:-1] >> np.uint64(29))) * _SECOND + keys[1:]
    return pairs


def _cells(keys: Hashes) -> Cells:
    return (keys >> _WORD_SHIFT).view(np.int64)


def _values(data: Bytes, tokens: Bounds, which: Ints) -> Hashes:
    return token_values(data, tokens.first[which], tokens.middle[which], tokens.last[which])
