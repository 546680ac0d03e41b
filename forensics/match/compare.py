"""Overlap with no case: every response against every prompt, or against the prompts it is paired with."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from forensics.match.engine import Match, Settings, Shelf, Text, match
from forensics.match.ledger import HOLDER, OWN, SOURCE, Flags
from forensics.match.normalise import fold
from forensics.match.seeds import GramIndex, seed_grams

PAIRS: Final = Settings(seed_bytes=12, gap=300, least_bits_milli=16_000)
SWEEP: Final = Settings(seed_bytes=20, gap=60, most_responses=50)

Pairs = Mapping[str, Sequence[str]]
Progress = Callable[[int, int], None]


def compare_pairs(
    responses: Sequence[Text], prompts: Sequence[Text], pairs: Pairs, progress: Progress | None = None
) -> Iterator[Match]:
    """Yields the matches of each response with the prompts that ``pairs`` names for it; tenants are ignored."""
    known = {text.text_id: Text(text.text_id, None, text.text) for text in prompts}
    source = np.array([SOURCE], dtype=np.uint8)
    for done, response in enumerate(responses):
        if progress:
            progress(done, len(responses))
        paired = [known[prompt_id] for prompt_id in pairs.get(response.text_id, ())]
        if paired:
            yield from match([response], Shelf(paired), lambda _text: source, PAIRS)


def compare_all(
    responses: Sequence[Text], prompts: Sequence[Text], progress: Progress | None = None
) -> Iterator[Match]:
    """Yields the matches of every response with every prompt; no text explains another away."""
    yield from compare_pairs(responses, prompts, nominate(responses, prompts), progress)


def nominate(responses: Sequence[Text], prompts: Sequence[Text], settings: Settings = SWEEP) -> Pairs:
    """Returns the prompts that share a gram of ``settings.seed_bytes`` bytes with each response."""
    grams = [seed_grams(fold(text.text), settings.seed_bytes) for text in responses]
    index = GramIndex(grams, most_responses=settings.most_responses)
    found: dict[str, list[str]] = defaultdict(list)
    for prompt in prompts:
        rows, _ = index.lookup(*seed_grams(fold(prompt.text), settings.seed_bytes))
        for number in np.unique(index.response[rows]).tolist():
            found[responses[number].text_id].append(prompt.text_id)
    return found


def compare_tenants(responses: Sequence[Text], prompts: Sequence[Text]) -> list[Match]:
    """Returns the matches of each response with other tenants' prompts.

    What the response's own tenant prompts is its own context; tenants are counted over prompts and responses.
    """
    tenant = np.array([text.tenant or "" for text in responses])
    answers = [Text(f"response {i}", text.tenant, text.text) for i, text in enumerate(responses)]
    asked = {text.text_id for text in prompts}

    def roles(text: Text) -> Flags:
        own = tenant == (text.tenant or "")
        if text.text_id in asked:
            return np.where(own, OWN, SOURCE | HOLDER).astype(np.uint8)
        return np.where(own, 0, HOLDER).astype(np.uint8)

    return match(responses, Shelf([*prompts, *answers]), roles, SWEEP)


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Returns the matches that weigh anything, by response, prompt and place."""
    weighed = [m for m in matches if m.span.bits_milli > 0]
    return sorted(weighed, key=lambda m: (m.response_id, m.source_id, m.span.response_start, m.span.source_start))
