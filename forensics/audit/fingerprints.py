"""Keyed fingerprints: which runs of letters and digits a text holds, told only to who has the key.

A text is folded as for matching (NFKC, case, letters and digits only) and every run of ``GRAM`` bytes is put through
SipHash-2-4, a keyed function made for short inputs (Aumasson and Bernstein, 2012), under a key that HMAC-SHA256 derives
from the audit's secret. Of the values that begin within every ``window`` bytes the least is kept (winnowing), so two
texts that share ``window`` + ``GRAM`` - 1 bytes share a fingerprint, and what they share longer is covered without a
gap, in any script: bytes are counted, not characters. As the choice depends on the key, not even the places of the
fingerprints say anything of the text to who has none.
"""

import hmac
from dataclasses import dataclass
from typing import Final

import numpy as np

from forensics.match.kernel import Bytes, Hashes, Ints, compiled
from forensics.match.normalise import Folded

GRAM: Final = 12
"""Bytes; the shortest run that matching looks for."""
_NEVER: Final = np.uint64(2**64 - 1)
"""Stands for the runs that begin within a character."""
PLAIN: Final = b"texts are kept beside these fingerprints"
"""Stands for the secret in a store that keeps the texts themselves."""


@dataclass(frozen=True)
class Key:
    """A derived key: two words for SipHash, and a name by which a changed secret is noticed."""

    first: int
    second: int
    name: str

    @classmethod
    def of(cls, secret: bytes | None) -> "Key":
        """Returns the key that follows from a secret; from none, that of a store that keeps the texts."""
        words = _derived(secret or PLAIN, b"fingerprint")
        name = _derived(secret or PLAIN, b"name")[:8].hex()
        return cls(int.from_bytes(words[:8], "little"), int.from_bytes(words[8:16], "little"), name)

    def of_text(self, run: int, number: int) -> "Key":
        """Returns the key of one text, the ``number``-th that a run kept: nothing links what is made under two."""
        mine = self.first.to_bytes(8, "little") + self.second.to_bytes(8, "little")
        words = _derived(mine, b"text %d %d" % (run, number))
        return Key(int.from_bytes(words[:8], "little"), int.from_bytes(words[8:16], "little"), "")


def sealed(secret: bytes, digest: str) -> str:
    """Returns a keyed digest in place of a plain one, which would let whoever guesses a text check the guess."""
    return hmac.digest(secret, b"digest\0" + digest.encode(), "sha256").hex()


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hmac.digest(secret, b"forensics audit 1\0" + purpose, "sha256")


def fingerprints(folded: Folded, key: Key, window: int) -> tuple[Hashes, Ints]:
    """Returns (values, first bytes) of the fingerprints of a folded text, in the order of the text."""
    values = _keyed(folded.data, GRAM, np.uint64(key.first), np.uint64(key.second))
    begins = folded.lead[: len(values)]
    kept = _least(np.where(begins, values, _NEVER), window)
    kept = kept[begins[kept]]
    return values[kept], kept


def every(folded: Folded, key: Key, gram: int = GRAM) -> tuple[Hashes, Ints]:
    """Returns (values, first bytes) of all runs of ``gram`` bytes that begin at a character."""
    values = _keyed(folded.data, gram, np.uint64(key.first), np.uint64(key.second))
    at = np.flatnonzero(folded.lead[: len(values)])
    return values[at], at


def placed(folded: Folded, key: Key, gram: int, at: Ints, stretch: Ints) -> Hashes:
    """Returns the values of the runs of ``gram`` bytes that begin at ``at``, each as one of its ``stretch``."""
    return _placed(folded.data, np.stack([at, stretch], axis=1), gram, np.uint64(key.first), np.uint64(key.second))


@compiled
def _turned(word: np.uint64, left: int) -> np.uint64:
    return (word << np.uint64(left)) | (word >> np.uint64(64 - left))


@compiled
def _mixed(
    v0: np.uint64, v1: np.uint64, v2: np.uint64, v3: np.uint64, rounds: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    for _ in range(rounds):
        v0 += v1
        v2 += v3
        v1 = _turned(v1, 13) ^ v0
        v3 = _turned(v3, 16) ^ v2
        v0 = _turned(v0, 32)
        v2 += v1
        v0 += v3
        v1 = _turned(v1, 17) ^ v2
        v3 = _turned(v3, 21) ^ v0
        v2 = _turned(v2, 32)
    return v0, v1, v2, v3


@compiled
def _word(data: Bytes, first: int, last: int) -> np.uint64:
    word = np.uint64(0)
    for at in range(last - 1, first - 1, -1):
        word = (word << np.uint64(8)) | np.uint64(data[at])
    return word


@compiled
def _siphash(data: Bytes, first: int, size: int, one: np.uint64, two: np.uint64) -> np.uint64:
    v0, v1 = one ^ np.uint64(0x736F6D6570736575), two ^ np.uint64(0x646F72616E646F6D)
    v2, v3 = one ^ np.uint64(0x6C7967656E657261), two ^ np.uint64(0x7465646279746573)
    whole = size // 8 * 8
    for at in range(first, first + whole, 8):
        word = _word(data, at, at + 8)
        v3 ^= word
        v0, v1, v2, v3 = _mixed(v0, v1, v2, v3, 2)
        v0 ^= word
    word = (np.uint64(size & 0xFF) << np.uint64(56)) | _word(data, first + whole, first + size)
    v3 ^= word
    v0, v1, v2, v3 = _mixed(v0, v1, v2, v3, 2)
    v0 ^= word
    v2 ^= np.uint64(0xFF)
    v0, v1, v2, v3 = _mixed(v0, v1, v2, v3, 4)
    return v0 ^ v1 ^ v2 ^ v3


@compiled
def _keyed(data: Bytes, size: int, one: np.uint64, two: np.uint64) -> Hashes:
    count = max(0, len(data) - size + 1)
    values = np.empty(count, dtype=np.uint64)
    for at in range(count):
        values[at] = _siphash(data, at, size, one, two)
    return values


@compiled
def _placed(data: Bytes, asked: Ints, size: int, one: np.uint64, two: np.uint64) -> Hashes:
    values = np.empty(len(asked), dtype=np.uint64)
    said = np.empty(8 + size, dtype=np.uint8)
    for row in range(len(asked)):
        at, stretch = asked[row]
        for byte in range(8):
            said[byte] = (stretch >> (8 * byte)) & 0xFF
        said[8:] = data[at : at + size]
        values[row] = _siphash(said, 0, 8 + size, one, two)
    return values


@compiled
def _least(values: Hashes, window: int) -> Ints:
    """Returns the places of the least of every ``window`` values, the last one where several are equal, each once."""
    kept = np.empty(len(values), dtype=np.int64)
    n = 0
    if len(values) < window:
        return np.arange(len(values))
    best = -1
    for last in range(window - 1, len(values)):
        first = last - window + 1
        if best < first:
            best = first
            for at in range(first, last + 1):
                if values[at] <= values[best]:
                    best = at
        elif values[last] <= values[best]:
            best = last
        if n == 0 or kept[n - 1] != best:
            kept[n] = best
            n += 1
    return kept[:n].copy()
