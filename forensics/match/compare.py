"""Overlap with no case: every response against every prompt, or against the prompts it is paired with."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from forensics.match.engine import Match, Settings, Shelf, Span, Text, match
from forensics.match.ledger import HOLDER, OWN, SOURCE, Flags
from forensics.match.normalise import Folded, fold
from forensics.match.reworded import Passage, rarity, reworded, words_of
from forensics.match.seeds import GramIndex, seed_grams, winnowed
from forensics.match.spans import place

PAIRS: Final = Settings(seed_bytes=12, gap=300, facts=False, garbled=False)
SWEEP: Final = Settings(seed_bytes=20, gap=60, facts=False, most_responses=50, garbled=False)
PROBABLE: Final = 12_000  # margins in milli-bits, as in case.toml
CONFIRMED: Final = 30_000
EXACT: Final = 900  # thousandths alike, from which a passage was copied
DOUBTED: Final = 2  # times the least weight, for a reworded passage beside a copied one
JOIN: Final = 500  # characters between two passages that are told as one
NOMINATE: Final = 16  # bytes of a gram by which pairs are nominated
WINNOW: Final = 8
ENOUGH: Final = 40  # bits of rare grams that nominate a pair
FEW: Final = 100  # responses too few to tell a rare gram from a common one
SAMPLE: Final = 4_000  # texts whose words say how rare a word is

Pairs = Mapping[str, Sequence[str]]
Progress = Callable[[int, int], None]


def compare_pairs(
    responses: Sequence[Text],
    prompts: Sequence[Text],
    pairs: Pairs,
    progress: Progress | None = None,
    tried: int | None = None,
) -> Iterator[Match]:
    """Yields the matches of each response with the prompts that ``pairs`` names for it; tenants are ignored.

    A passage must weigh log2 of the pairs that were ``tried`` (those listed, if not said) plus the confirmed margin; a
    reworded one twice as much where another was copied: texts that share a passage share a subject, and its words.
    """
    known = {text.text_id: Text(text.text_id, None, text.text) for text in prompts}
    least = _threshold(tried or sum(len(listed) for listed in pairs.values()), CONFIRMED)
    asked = [known[name] for name in dict.fromkeys(name for listed in pairs.values() for name in listed)]
    answering = [text for text in responses if text.text_id in pairs]
    rare = rarity(words_of(fold(text.text)) for text in [*answering[:SAMPLE], *asked[:SAMPLE]])
    settings = replace(PAIRS, least_bits_milli=least)
    source = np.array([SOURCE], dtype=np.uint8)
    for done, response in enumerate(answering):
        if progress:
            progress(done, len(answering))
        paired = [known[prompt_id] for prompt_id in pairs[response.text_id]]
        found = match([response], Shelf(paired), lambda _text: source, settings)
        mine = fold(response.text)
        my_words = words_of(mine)
        for prompt in paired:
            aligned = [m.span for m in found if m.source_id == prompt.text_id and m.span.kind == "aligned"]
            theirs = fold(prompt.text)
            enough = DOUBTED * least if any(span.similarity_milli >= EXACT for span in aligned) else least
            loose = [_span(mine, theirs, passage) for passage in reworded(my_words, words_of(theirs), rare, enough)]
            for span in _reconciled(aligned, loose):
                yield Match(response.text_id, prompt.text_id, None, span)


def _span(mine: Folded, theirs: Folded, passage: Passage) -> Span:
    return Span(
        int(mine.start[passage.first]),
        int(mine.end[passage.last - 1]),
        int(theirs.start[passage.source_first]),
        int(theirs.end[passage.source_last - 1]),
        passage.milli_bits,
        passage.similarity_milli,
        "reworded",
        1,
    )


def _reconciled(aligned: Sequence[Span], loose: Sequence[Span]) -> list[Span]:
    """Returns passages of either kind, one where both kinds meet.

    Letter by letter wins if it is nearly exact and makes up half of the passage; otherwise the wider one by words does.
    """
    kept = [span for span in loose if not any(_exact(a, span) for a in aligned)]
    return _joined([*kept, *(a for a in aligned if not any(_meet(a, span) for span in kept))])


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Joins passages that follow each other closely in both texts: what lies between was reworded beyond seeing."""
    joined: list[Span] = []
    for span in sorted(spans, key=place):
        near = next((other for other in joined if _follows(other, span)), None)
        if near is None:
            joined.append(span)
        else:
            joined[joined.index(near)] = _united(near, span)
    return joined


def _follows(one: Span, other: Span) -> bool:
    mine, theirs = other.response_start - one.response_end, other.source_start - one.source_end
    return -JOIN <= mine <= JOIN and -JOIN <= theirs <= JOIN


def _united(one: Span, other: Span) -> Span:
    widths = one.response_end - one.response_start, other.response_end - other.response_start
    similarity = (one.similarity_milli * widths[0] + other.similarity_milli * widths[1]) // sum(widths)
    return Span(
        min(one.response_start, other.response_start),
        max(one.response_end, other.response_end),
        min(one.source_start, other.source_start),
        max(one.source_end, other.source_end),
        one.bits_milli + other.bits_milli,
        similarity,
        one.kind,
        1,
    )


def _exact(aligned: Span, loose: Span) -> bool:
    width = loose.response_end - loose.response_start
    shared = min(aligned.response_end, loose.response_end) - max(aligned.response_start, loose.response_start)
    return _meet(aligned, loose) and aligned.similarity_milli >= EXACT and shared * 2 >= width


def _meet(one: Span, other: Span) -> bool:
    mine = min(one.response_end, other.response_end) > max(one.response_start, other.response_start)
    return mine and min(one.source_end, other.source_end) > max(one.source_start, other.source_start)


def compare_all(
    responses: Sequence[Text], prompts: Sequence[Text], progress: Progress | None = None
) -> Iterator[Match]:
    """Yields the matches of every response with every prompt; no text explains another away."""
    nominated = nominate(responses, prompts)
    yield from compare_pairs(responses, prompts, nominated, progress, len(responses) * len(prompts))


def nominate(responses: Sequence[Text], prompts: Sequence[Text]) -> Pairs:
    """Returns the prompts that share enough rare grams with each response to be compared in full.

    Responses are winnowed (the least hash of every ``WINNOW`` grams is kept), prompts are looked up gram by gram, so
    any shared run of ``NOMINATE`` + ``WINNOW`` - 1 bytes is seen. A shared gram counts log2 of all responses over
    those that hold it.
    """
    index = GramIndex([winnowed(*seed_grams(fold(text.text), NOMINATE), WINNOW) for text in responses])
    rarity_bits = np.log2(len(responses) / np.maximum(index.holders(), 1))
    found: dict[str, list[str]] = defaultdict(list)
    for prompt in prompts:
        rows = np.unique(index.lookup(*seed_grams(fold(prompt.text), NOMINATE), limit=1)[0])
        score = np.bincount(index.response[rows], weights=rarity_bits[rows], minlength=len(responses))
        single = np.bincount(index.response[rows], minlength=len(responses)) > 0
        enough = score >= ENOUGH if len(responses) >= FEW else single
        for number in np.flatnonzero(enough).tolist():
            found[responses[number].text_id].append(prompt.text_id)
    return found


def compare_tenants(responses: Sequence[Text], prompts: Sequence[Text]) -> list[Match]:
    """Returns the matches of each response with other tenants' prompts.

    What the response's own tenant prompts is its own context; tenants are counted over prompts and responses. Since
    that is explained away, log2 of the pairs plus the probable margin is enough.
    """
    least = _threshold(len(responses) * len(prompts), PROBABLE)
    tenant = np.array([text.tenant or "" for text in responses])
    answers = [Text(f"response {i}", text.tenant, text.text) for i, text in enumerate(responses)]
    asked = {text.text_id for text in prompts}

    def roles(text: Text) -> Flags:
        own = tenant == (text.tenant or "")
        if text.text_id in asked:
            return np.where(own, OWN, SOURCE | HOLDER).astype(np.uint8)
        return np.where(own, 0, HOLDER).astype(np.uint8)

    return match(responses, Shelf([*prompts, *answers]), roles, replace(SWEEP, least_bits_milli=least))


def _threshold(tried: int, margin: int) -> int:
    return round(1000 * math.log2(max(1, tried))) + margin


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Returns the passages that weigh anything, facts aside, by response, prompt and place."""
    weighed = [m for m in matches if m.span.bits_milli > 0 and m.span.kind != "facts"]
    return sorted(weighed, key=lambda m: (m.response_id, m.source_id, m.span.response_start, m.span.source_start))
