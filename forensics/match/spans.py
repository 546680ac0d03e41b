"""What goes in at the engine's door and what comes out: texts, spans, matches."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Places = Callable[[int, int], tuple[int, int]]
"""From (first byte, length) in a folded text to code points of its original."""


@dataclass(frozen=True)
class Text:
    """One part of a prompt or response: an id of the caller's, whose it is, and its characters."""

    text_id: str
    tenant: str | None
    text: str


@dataclass(frozen=True)
class Settings:
    """How fine to look. ``seed_bytes``: shortest exact run seen; ``gap``: widest gap a passage crosses, in bytes.

    ``facts`` also looks for combinations of names, numbers and dates; ``most_responses`` drops grams that more
    responses hold, to bound cost; ``least_bits_milli`` is the least weight worth reporting; ``garbled`` also looks for
    passages with more changed letters than exact runs survive.
    """

    seed_bytes: int = 12
    gap: int = 60
    facts: bool = True
    most_responses: int | None = None
    least_bits_milli: int = 4_000
    most_chains: int = 64
    garbled: bool = True


@dataclass(frozen=True)
class Span:
    """A passage in two texts: code points of the originals, end exclusive; ``bits_milli`` in 1/1000 bit.

    ``kind`` is ``aligned`` or ``facts``; ``holders`` counts the tenants, the source among them and the recipient not,
    that hold at least half of it; ``explained_by`` is None, ``own_context``, ``public`` or ``common``.
    """

    response_start: int
    response_end: int
    source_start: int
    source_end: int
    bits_milli: int
    similarity_milli: int
    kind: str
    holders: int
    explained_by: str | None = None


@dataclass(frozen=True)
class Match:
    """A span with its two texts."""

    response_id: str
    source_id: str
    source_tenant: str | None
    span: Span


def place(span: Span) -> tuple[int, int, int, str]:
    return span.response_start, span.source_start, span.response_end, span.kind


def apart(places: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the indices of the places no more than half of which earlier chosen ones cover."""
    kept: list[int] = []
    for i, (begin, end) in enumerate(places):
        taken = sum(max(0, min(end, places[k][1]) - max(begin, places[k][0])) for k in kept)
        if taken * 2 <= end - begin:
            kept.append(i)
    return kept


def cover(matches: Iterable[Match]) -> list[Match]:
    """Returns the matches of one response and one owner's texts that count: no place of the response twice.

    A fact counts beside an aligned span of its own text, which does not hold it, but not beside another's.
    """
    ordered = sorted(matches, key=lambda m: (-m.span.bits_milli, m.source_id, place(m.span)))
    aligned = [m for m in ordered if m.span.kind == "aligned"]
    aligned = [aligned[i] for i in apart([(m.span.response_start, m.span.response_end) for m in aligned])]
    facts = [m for m in ordered if m.span.kind == "facts" and not any(_holds(a, m) for a in aligned)]
    facts = [facts[i] for i in apart([(m.span.response_start, m.span.response_end) for m in facts])]
    return aligned + facts


def _holds(passage: Match, fact: Match) -> bool:
    inside = passage.span.response_start <= fact.span.response_start < passage.span.response_end
    return inside and passage.source_id != fact.source_id
