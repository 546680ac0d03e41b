"""Finds runs of letters and digits that a few short documents share with many long texts, in one pass over the texts.

It keeps a promise, not a score: a shared run of 20 letters or digits, or of 12 characters of a script written without
spaces, is found wherever it stands, re-cased and re-punctuated as it may be.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

RUN: Final = 20
DENSE_RUN: Final = 12
_GRAM: Final = 8
_STRIDE: Final = 5  # a run of 12 holds a gram of 8 at every fifth position, wherever it begins
_BASE: Final = 0x9E3779B97F4A7C15
_POWERS: Final = [pow(_BASE, n, 1 << 64) for n in range(_GRAM)]
_BITS: Final = 20
_OTHER: Final = re.compile(r"[\W_]+")
_DENSE: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U000323af]{12}")
_ASCII_DROP: Final = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))

Hashes = npt.NDArray[np.uint64]


def fold(text: str) -> str:
    """Returns the letters and digits of ``text``, compatibility forms and case folded, without anything between."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_LOWER, _ASCII_DROP).decode("ascii")
    return _OTHER.sub("", unicodedata.normalize("NFKC", text).casefold())


def windows(folded: str) -> Iterable[tuple[int, str]]:
    """Yields (start, window) of every window of a folded text that must not be shared."""
    for start in range(len(folded) - DENSE_RUN + 1):
        if start + RUN <= len(folded):
            yield start, folded[start : start + RUN]
        if _DENSE.fullmatch(dense := folded[start : start + DENSE_RUN]):
            yield start, dense


class Windows:
    """The windows of a set of folded documents, ready to be looked for in texts."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._by_gram: dict[int, set[str]] = {}
        for window in {window for document in documents for _, window in windows(document)}:
            for gram in _grams(window, 1).tolist():
                self._by_gram.setdefault(gram, set()).add(window)
        self._hashes = np.array(sorted(self._by_gram), dtype=np.uint64)
        self._maybe = np.zeros(1 << _BITS, dtype=np.bool_)
        self._maybe[self._hashes >> np.uint64(64 - _BITS)] = True

    def shared(self, text: str) -> set[str]:
        """Returns the windows that stand in ``text``."""
        folded = fold(text)
        grams = _grams(folded, _STRIDE)
        maybe = np.unique(grams[self._maybe[grams >> np.uint64(64 - _BITS)]])
        common = maybe[np.isin(maybe, self._hashes)]
        candidates: set[str] = set()
        for gram in common.tolist():
            candidates |= self._by_gram[gram]
        return {window for window in candidates if window in folded}


def _grams(folded: str, stride: int) -> Hashes:
    """Returns the hashes of the grams that begin at every ``stride``-th character."""
    codes = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = len(codes) - _GRAM + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    total = np.zeros((count + stride - 1) // stride, dtype=np.uint64)
    for offset, power in enumerate(_POWERS):
        total += codes[offset : offset + count : stride] * np.uint64(power)
    mixed: Hashes = (total ^ (total >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed
