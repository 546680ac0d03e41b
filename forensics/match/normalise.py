"""Folds a text to what survives re-casing, re-wrapping, mark-up and escaping, with a map back to its characters.

Kept are letters and digits of every script, compatibility forms and case folded (Unicode NFKC and casefold), Latin,
Greek, Hebrew and Arabic diacritics and kana voicing marks dropped. JSON escapes (``\\n``, ``\\"``, ``\\uXXXX``) are
decoded whatever the number of backslashes before them, so one, two or more layers fold alike; so are HTML's entities
(``&amp;``, ``&uuml;``, ``&#252;``), once and twice. The result is UTF-8, so
that a gram of k bytes holds about as much information in Chinese as in English.

Everything is vectorised over code points: time is proportional to the length, whatever the content.
"""

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.kernel import IDEOGRAPH, Table, fold_codes

Codes = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]

# Combining marks that writers and keyboards add or leave out; the marks of other scripts spell the word.
_LOOSE_MARKS: Final = (
    (0x0300, 0x0370), (0x0483, 0x0488), (0x0591, 0x05C8), (0x0610, 0x061B), (0x064B, 0x0660), (0x06D6, 0x06ED),
    (0x1AB0, 0x1B00), (0x1DC0, 0x1E00), (0x20D0, 0x2100), (0x3099, 0x309B), (0xFE20, 0xFE30),
)  # fmt: skip
TOKENS: Final = (0x40000, 0xE0000)
"""Code points that stand for token ids (``token_ids``): planes that Unicode has never assigned."""
# Code points that fold to themselves, by the ten thousand: unified ideographs, Hangul syllables, token ids.
_PLAIN: Final = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0x20000, 0x2A6E0), (0x2A700, 0x2F800),
                 (0x30000, 0x323B0), TOKENS)  # fmt: skip
_DIGIT_KINDS: Final = ("Nd",)

NONE, WORD, DIGIT = 0, 1, 2

ENTITY: Final = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
"""What may be an entity of HTML: it is one if ``html.unescape`` knows it."""
_ENTITY: Final = re.compile(ENTITY)
_LAYERS: Final = 2  # of entities: a page within a page


@dataclass(frozen=True)
class Folded:
    """A folded text of n bytes: ``data`` (its UTF-8), and for every byte the character it came from.

    ``start[i]`` and ``end[i]`` are code point offsets of the original, end exclusive; ``kind[i]`` is WORD, DIGIT or
    IDEOGRAPH (scripts written without spaces); ``lead[i]`` is true on the first byte of a code point.
    ``fresh[i]`` is true where the original had something between this byte's character and the one before.
    """

    data: Bytes
    start: Offsets
    end: Offsets
    kind: Bytes
    lead: npt.NDArray[np.bool_]
    fresh: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.data)

    @cached_property
    def spelling(self) -> bytes:
        """Returns ``data`` as bytes."""
        return self.data.tobytes()

    @cached_property
    def leads(self) -> list[bool]:
        """Returns ``lead`` as a list."""
        leads: list[bool] = self.lead.tolist()
        return leads


def fold(text: str) -> Folded:
    """Returns the folded form of ``text``; lone surrogates and unassigned code points fold to nothing."""
    if has_entities(text):
        return composing(text)
    data, _, _, where, composed = fold_codes(_codes(text), folding_table(), True)  # noqa: FBT003
    if composed:
        return composing(text)
    return Folded(data, where.start, where.end, where.kind, _lead(data), where.fresh)


def folded(text: str) -> tuple[Bytes, npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Returns (bytes, where words and dense characters begin, which of those are dense) of the folded ``text``.

    Says what ``fold`` says, without the map back to characters, which few texts need.
    """
    if not has_entities(text):
        data, begins, dense, _, composed = fold_codes(_codes(text), folding_table(), False)  # noqa: FBT003
        if not composed:
            return data, begins, dense
    whole = composing(text)
    first = np.flatnonzero(beginnings(whole))
    return whole.data, first.astype(np.int32), whole.kind[first] == IDEOGRAPH


def beginnings(text: Folded) -> npt.NDArray[np.bool_]:
    """Marks the bytes at which a word or a character of a script without spaces begins."""
    dense = text.kind == IDEOGRAPH
    begins: npt.NDArray[np.bool_] = text.fresh | (dense & text.lead)
    begins[:1] = True
    begins[1:] |= dense[1:] != dense[:-1]
    return begins


def composing(text: str) -> Folded:
    """Returns what ``fold`` returns, of any text, Hangul letters composed, entities decoded: slower, its definition."""
    table = folding_table()
    codes = _codes(text)
    if "\\" in text:
        codes, start, end = _unescape(codes)
    else:
        start = np.arange(len(codes), dtype=np.int32)
        end = start + 1
    if has_entities(text):
        for _ in range(_LAYERS):
            codes, start, end = _without_entities(codes, start, end)
    counts = table.folds[codes]
    kept = np.flatnonzero(counts)
    counts, codes = counts[kept], codes[kept]
    if len(counts) and counts.max() > 1:
        kept = np.repeat(kept, counts)
        step = np.arange(len(kept)) - np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
        folded = table.target[np.repeat(table.first[codes], counts) + step]
    else:
        folded = table.target[table.first[codes]]
    start, end = start[kept], end[kept]
    if len(folded) and ((folded >= 0x1161) & (folded <= 0x1175)).any():
        folded, start, end = _compose_jamo(folded, start, end)
    return _encode(folded, start, end, table)


def has_entities(text: str) -> bool:
    """Says whether a text may hold entities of HTML."""
    return "&" in text and _ENTITY.search(text) is not None


def _without_entities(codes: Codes, start: Offsets, end: Offsets) -> tuple[Codes, Offsets, Offsets]:
    """Returns code points with each entity as what it stands for, and their original spans."""
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    codes, end = codes.copy(), end.copy()
    keep = np.ones(len(codes), dtype=np.bool_)
    for found in _ENTITY.finditer(text):
        said = html.unescape(found.group())
        if said.endswith(";"):  # no entity, or one cut short with something behind
            continue
        begin, behind = found.span()
        keep[begin + len(said) : behind] = False
        codes[begin : begin + len(said)] = [ord(character) for character in said]
        start[begin : begin + len(said)] = start[begin]
        end[begin : begin + len(said)] = end[behind - 1]
    return codes[keep], start[keep], end[keep]


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _lead(data: Bytes) -> npt.NDArray[np.bool_]:
    lead: npt.NDArray[np.bool_] = (data & 0xC0) != 0x80
    return lead


def _encode(folded: Codes, start: Offsets, end: Offsets, table: Table) -> Folded:
    data = np.frombuffer(folded.tobytes().decode("utf-32-le").encode(), dtype=np.uint8)
    fresh = np.ones(len(folded), dtype=np.bool_)
    fresh[1:] = start[1:] > end[:-1]
    kind = table.kind[folded]
    if len(data) == len(folded):
        return Folded(data, start, end, kind, np.ones(len(data), dtype=np.bool_), fresh)
    lead = _lead(data)
    owner = np.cumsum(lead) - 1
    return Folded(data, start[owner], end[owner], kind[owner], lead, fresh[owner] & lead)


def _unescape(codes: Codes) -> tuple[Codes, Offsets, Offsets]:
    """Decodes JSON escapes: returns the code points with the original span of each."""
    start = np.arange(len(codes), dtype=np.int32)
    end = start + 1
    slash = codes == 0x5C
    after = np.zeros(len(codes), dtype=np.bool_)
    after[1:] = slash[:-1] & ~slash[1:]
    marks = np.flatnonzero(after)
    keep = ~slash
    letter = codes[marks]
    blank = np.isin(letter, [ord(c) for c in 'nrtbf"/'])
    keep[marks[blank]] = False
    unicode_at = marks[(letter == ord("u")) & (marks + 4 < len(codes))]
    codes = codes.copy()
    if len(unicode_at):
        digits = _HEX[np.minimum(codes[unicode_at[:, None] + np.arange(1, 5)], 127)]
        good = (digits >= 0).all(axis=1)
        unicode_at, digits = unicode_at[good], digits[good]
        value = (digits * np.array([4096, 256, 16, 1])).sum(axis=1)
        high = (value >= 0xD800) & (value < 0xDC00)
        paired = np.zeros(len(value), dtype=np.bool_)
        run = np.maximum.accumulate(np.where(slash, -1, np.arange(len(codes), dtype=np.int32)))
        # A high half pairs with a low half whose escape follows with nothing but backslashes between.
        follows = (run[unicode_at[1:] - 1] == unicode_at[:-1] + 4) & (np.diff(unicode_at) <= 9)
        paired[:-1] = high[:-1] & (value[1:] >= 0xDC00) & (value[1:] < 0xE000) & follows
        low = np.flatnonzero(paired) + 1
        value[low - 1] = 0x10000 + ((value[low - 1] - 0xD800) << 10) + (value[low] - 0xDC00)
        codes[unicode_at] = value
        end[unicode_at] = unicode_at + 5
        end[unicode_at[low - 1]] = unicode_at[low] + 5
        for step in range(1, 5):
            keep[unicode_at + step] = False
        keep[unicode_at[low]] = False
        start[unicode_at] = run[unicode_at - 1] + 1
    return codes[keep], start[keep], end[keep]


def _compose_jamo(codes: Codes, start: Offsets, end: Offsets) -> tuple[Codes, Offsets, Offsets]:
    """Composes conjoining Hangul letters (Unicode 3.12), since half of the world's file systems decompose them."""
    lead = (codes >= 0x1100) & (codes <= 0x1112)
    vowel = (codes >= 0x1161) & (codes <= 0x1175)
    tail = (codes >= 0x11A8) & (codes <= 0x11C2)
    first = np.flatnonzero(lead[:-1] & vowel[1:])
    has_tail = np.zeros(len(first), dtype=np.bool_)
    inside = first + 2 < len(codes)
    has_tail[inside] = tail[first[inside] + 2]
    codes, end = codes.copy(), end.copy()
    last = first + 1 + has_tail
    final = np.where(has_tail, codes[last] - np.uint32(0x11A7), 0)
    codes[first] = 0xAC00 + ((codes[first] - 0x1100) * 21 + (codes[first + 1] - 0x1161)) * 28 + final
    end[first] = end[last]
    keep = np.ones(len(codes), dtype=np.bool_)
    keep[first + 1] = False
    keep[last] = False
    return codes[keep], start[keep], end[keep]


def _hex_table() -> npt.NDArray[np.int64]:
    table = np.full(128, -1, dtype=np.int64)
    for digit in "0123456789abcdefABCDEF":
        table[ord(digit)] = int(digit, 16)
    return table


_HEX: Final = _hex_table()


@lru_cache(maxsize=1)
def folding_table() -> Table:
    """Returns how every code point folds."""
    count = np.zeros(0x110000, dtype=np.uint8)
    first = np.zeros(0x110000, dtype=np.uint32)
    kind = np.zeros(0x110000, dtype=np.uint8)
    target: list[int] = []
    known: dict[tuple[int, ...], int] = {}
    plain = np.zeros(0x110000, dtype=np.bool_)
    for low, high in _PLAIN:
        plain[low:high] = True
    for code in np.flatnonzero(~plain[:0x32400]).tolist():
        folded = _fold_character(chr(code))
        count[code] = len(folded)
        if folded:
            first[code] = known.setdefault(tuple(folded), len(target))
            if first[code] == len(target):
                target.extend(folded)
    for code in {code for codes in known for code in codes}:
        kind[code] = _kind(code)
    count[plain], kind[plain] = 1, IDEOGRAPH
    first[plain] = len(target) + np.arange(plain.sum())
    targets = np.concatenate([np.array(target, dtype=np.uint32), np.flatnonzero(plain).astype(np.uint32)])
    return Table(count, first, targets, kind)


def _fold_character(character: str) -> list[int]:
    category = unicodedata.category(character)
    if category[0] in "CZ" or (category[0] in "PS" and not unicodedata.decomposition(character)):
        return []
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", character).casefold())
    return [ord(c) for c in decomposed if unicodedata.category(c)[0] in "LNM" and not _loose(ord(c))]


def _loose(code: int) -> bool:
    return any(low <= code < high for low, high in _LOOSE_MARKS)


def _kind(code: int) -> int:
    if unicodedata.category(chr(code)) in _DIGIT_KINDS:
        return DIGIT
    spaceless = (
        0x0E00 <= code < 0x0F00 or 0x1000 <= code < 0x10A0 or 0x1780 <= code < 0x1800  # Thai, Lao, Burmese, Khmer
        or 0x2E80 <= code < 0xA000 or 0xAC00 <= code < 0xD7B0 or 0xF900 <= code < 0xFB00 or code >= 0x20000
    )  # fmt: skip
    return IDEOGRAPH if spaceless else WORD
