"""Finds runs of letters and digits that a few short documents share with many long texts, in one pass over the texts.

It keeps a promise, not a score: a shared run of 20 letters or digits, or of 12 characters of a script written without
spaces, is found wherever it stands, re-cased and re-punctuated as it may be.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import numba
import numpy as np
import numpy.typing as npt

RUN: Final = 20
DENSE_RUN: Final = 12
_BASE: Final = 0x9E3779B97F4A7C15
_BITS: Final = 20
_MIX: Final = 0xBF58476D1CE4E5B9
_DENSE: Final = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U000323af]{12}"
)
_DROP: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))

Codes = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]


def fold(text: str) -> str:
    """Returns the letters and digits of ``text``, compatibility forms and case folded, without anything between."""
    if text.isascii():
        return text.encode("ascii").translate(_LOWER, _DROP).decode("ascii")
    codes = _codes(unicodedata.normalize("NFKC", text).casefold())
    return codes[_alphanumeric()[codes]].tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _alphanumeric() -> npt.NDArray[np.bool_]:
    """Returns, for every code point, whether it is a letter or digit."""
    return np.frombuffer(bytes(map(str.isalnum, map(chr, range(0x110000)))), dtype=np.bool_)


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def windows(folded: str) -> Iterator[tuple[int, str]]:
    """Yields (start, window) of every window of a folded text that must not be shared."""
    for start in range(len(folded) - DENSE_RUN + 1):
        if start + RUN <= len(folded):
            yield start, folded[start : start + RUN]
        if _DENSE.fullmatch(dense := folded[start : start + DENSE_RUN]):
            yield start, dense


class Windows:
    """The windows of a set of folded documents, ready to be looked for in texts."""

    def __init__(self, documents: Iterable[str]) -> None:
        held = [(document, {window for _, window in windows(document)}) for document in documents]
        # A run holds a gram at every stride-th position, wherever it begins: gram + stride - 1 = run.
        self._sieve = _Sieve(held, RUN, gram=12, stride=9)
        self._dense = _Sieve(held, DENSE_RUN, gram=8, stride=5)

    def shared(self, text: str) -> set[str]:
        """Returns the windows that stand in ``text``."""
        folded = fold(text)
        found = self._sieve.shared(folded)
        if not folded.isascii() and _DENSE.search(folded):
            found |= self._dense.shared(folded)
        return found


class _Sieve:
    """Windows of one length: a text's grams at every ``stride``-th position say where it is worth looking."""

    def __init__(self, held: list[tuple[str, set[str]]], run: int, *, gram: int, stride: int) -> None:
        self._run, self._gram, self._stride = run, gram, stride
        self.windows = {each for _, found in held for each in found if len(each) == run}
        grams = [_grams(document, gram) for document, found in held if found & self.windows]
        self._hashes = np.unique(np.concatenate(grams)) if grams else np.empty(0, dtype=np.uint64)
        self._maybe = np.zeros(1 << _BITS, dtype=np.bool_)
        self._maybe[self._hashes >> np.uint64(64 - _BITS)] = True

    def shared(self, folded: str) -> set[str]:
        if not self.windows:
            return set()
        places = _places(_codes(folded), self._gram, self._stride, self._hashes, self._maybe)
        found: set[str] = set()
        seen: set[str] = set()
        for place in places:
            around = folded[max(0, place + self._gram - self._run) : place + self._run]
            if around in seen:  # a text of one character has one surrounding, not a million
                continue
            seen.add(around)
            found |= {around[n : n + self._run] for n in range(len(around) - self._run + 1)} & self.windows
        return found


def _grams(folded: str, gram: int) -> Hashes:
    """Returns the hashes of the grams that begin at every character."""
    codes = _codes(folded)
    return np.array([_hash(codes, at, gram) for at in range(len(codes) - gram + 1)], dtype=np.uint64)


@numba.njit(nogil=True, cache=True)
def _hash(codes: Codes, at: int, gram: int) -> np.uint64:
    total = np.uint64(0)
    for offset in range(gram):
        total = total * np.uint64(_BASE) + np.uint64(codes[at + offset])
    return (total ^ (total >> np.uint64(29))) * np.uint64(_MIX)


@numba.njit(nogil=True, cache=True)
def _places(codes: Codes, gram: int, stride: int, hashes: Hashes, maybe: npt.NDArray[np.bool_]) -> list[int]:
    """Returns every ``stride``-th place at which a gram begins whose hash is among ``hashes``, which ascend."""
    places = [0][:0]  # the compiler wants to see of what
    for at in range(0, len(codes) - gram + 1, stride):
        value = _hash(codes, at, gram)
        if maybe[value >> np.uint64(64 - _BITS)]:
            rank = np.searchsorted(hashes, value)
            if rank < len(hashes) and hashes[rank] == value:
                places.append(at)
    return places
