"""How often chance alone gives what the sweep finds: measured in the same run, on texts that cannot be the source.

A text that came after a response ended cannot have leaked into it. What the two share anyway, they share by chance, by
language, or from a third; so there are about as many such passages as there are innocent ones among the found. Left
out are places that a found passage explains: a leak may be told on.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from forensics.match.sweep.corpus import Meta
from forensics.match.sweep.verify import Passage

LITERAL: Final = 700  # thousandths alike: what is less so is a paraphrase, and probable at most
ENOUGH: Final = 1_000  # responses from which a rate is said
_UPPER: Final = (3.7, 5.6, 7.2, 8.8, 10.2, 11.7)  # of the mean of a Poisson count of 0, 1, … at 97.5 %


@dataclass(frozen=True)
class Calibration:
    """Of ``responses``, those that hold a passage of this weight from an earlier text (``found``) or a later one."""

    responses: int
    found: int
    by_chance: int

    def __str__(self) -> str:
        said = f"{self.found:,} found, {self.by_chance:,} by chance"
        if self.responses < ENOUGH:
            return f"{said} (too few responses to say how many are false)"
        if not self.found:
            return said
        most = upper(self.by_chance)
        return f"{said}: {min(100, 100 * self.by_chance // self.found)} % false, at most {_share(most, self.found)} %"


def _share(most: float, found: int) -> int:
    return min(100, -(-int(100 * most) // found))


def upper(count: int) -> float:
    """Returns the greatest mean that a count of so many is still likely for (97.5 %)."""
    if count < len(_UPPER):
        return _UPPER[count]
    return count + 1.96 * math.sqrt(count) + 2.0


def calibrated(
    found: Sequence[Passage], chance: Sequence[Passage], responses: int, least_milli: int, alike_milli: int = 0
) -> Calibration:
    """Counts the responses that hold a passage of at least this weight and this similarity."""

    def holding(passages: Sequence[Passage]) -> int:
        said = [p for p in passages if p.span.bits_milli >= least_milli and p.span.similarity_milli >= alike_milli]
        return len({p.answer for p in said})

    return Calibration(responses, holding(found), holding(chance))


def apart_from_chance(passages: Sequence[Passage], meta: Meta) -> tuple[list[Passage], list[Passage]]:
    """Splits passages: from sources earlier than the response's end, attributed to first owners, and by chance."""
    earlier = [p for p in passages if meta.since[p.source] <= meta.until[p.answer]]
    later = [p for p in passages if meta.since[p.source] > meta.until[p.answer]]
    found = first_owners(earlier, meta)
    mine = _by_answer(found)
    chance = [
        p for p in later
        if not any(_meet(_place(p), _place(q)) for q in mine[p.answer])
        and not any(_meet(_origin(p), _place(q)) for q in mine[p.source])
    ]  # fmt: skip
    return found, chance


def first_owners(passages: Sequence[Passage], meta: Meta) -> list[Passage]:
    """Leaves out passages of an answer that had them from an earlier text which the response holds there too."""
    mine = _by_answer(passages)

    def told_on(p: Passage) -> bool:
        owners = {int(meta.tenant[q.source]) for q in mine[p.source] if _meet(_origin(p), _place(q))}
        return any(int(meta.tenant[q.source]) in owners and _meet(_place(p), _place(q)) for q in mine[p.answer])

    return [p for p in passages if not told_on(p)]


def _by_answer(passages: Sequence[Passage]) -> defaultdict[int, list[Passage]]:
    mine: defaultdict[int, list[Passage]] = defaultdict(list)
    for passage in passages:
        mine[passage.answer].append(passage)
    return mine


def _place(passage: Passage) -> tuple[int, int]:
    return passage.span.response_start, passage.span.response_end


def _origin(passage: Passage) -> tuple[int, int]:
    return passage.span.source_start, passage.span.source_end


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return min(one[1], other[1]) > max(one[0], other[0])
