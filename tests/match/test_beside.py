"""Texts whose characters are not at hand: what lies in the exact runs that they share weighs as if they were."""

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from forensics.match.beside import Known, dense
from forensics.match.engine import Match, Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE
from forensics.match.normalise import fold
from forensics.match.reading import Reader, Response
from forensics.match.seeds import Segments, segments

PHRASE = "we have asked {} to return the sum of {} pounds to the account from which it was taken last week"
LEAK = PHRASE.format("Odalys Ormenbury", "41,736")
NAMES = (("Odalys Vael", "41,000"), ("Piet Ormenbury", "8,736"), ("Ugo Sarti", "77"))
OTHERS = [PHRASE.format(name, pounds) for name, pounds in NAMES]
FILLER = " ".join(f"page {n} tells of nothing" for n in range(400))
OWN = "Thank you for waiting. "
FLAGS = np.array([SOURCE | HOLDER], dtype=np.uint8)


class Runs:
    """Texts of which only the exact runs are known that they share with a response, as fingerprints show them."""

    def __init__(self, *texts: Text) -> None:
        self._texts = texts

    def known(self, responses: Sequence[Response], reader: Reader, at_hand: Collection[str]) -> Iterator[Known]:
        assert not at_hand
        for text in self._texts:
            folded = fold(text.text)
            (found,) = reader.sift([text.text])
            grams = reader.grams
            runs = segments(
                grams.response[found.gram_rows], grams.at[found.gram_rows], found.gram_at, reader.seed_bytes
            )

            def places(first: int, length: int, start: Sequence[int] = folded.start.tolist()) -> tuple[int, int]:
                return start[first], start[first + length - 1] + 1

            nothing = Segments(*(np.empty(0, dtype=np.int64) for _ in range(4)))
            sizes = len(folded), len(text.text.split())
            yield Known(Text(text.text_id, text.tenant, ""), dense(reader, responses, sizes, runs), places, nothing)

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        assert text_ids
        return []


def facts(matches: list[Match], response: str) -> set[str]:
    spans = [m.span for m in matches if m.span.kind == "facts"]
    assert all(span.bits_milli > 0 for span in spans)
    return {response[span.response_start : span.response_end] for span in spans}


def found(response: str, source: str, *, at_hand: bool) -> list[Match]:
    texts = [Text("source", "birch", source), *(Text(f"o{i}", f"t{i}", other) for i, other in enumerate(OTHERS))]
    library, beside = (texts, ()) if at_hand else ((), texts)
    found = match([Text("r", "cedar", response)], Shelf(library), lambda _text: FLAGS, beside=Runs(*beside))
    return [each for each in found if each.source_id == "source"]


def test_names_and_sums_in_a_phrase_that_all_use_are_combined() -> None:
    response = f"{OWN}{LEAK}."
    source = f"{LEAK}. {FILLER}"
    whole, runs = (found(response, source, at_hand=kind) for kind in (True, False))
    assert facts(whole, response) == {"Odalys Ormenbury", "41,736"}
    assert facts(runs, response) == {"Odalys Ormenbury", "41,736"}
    places = [
        {(m.span.source_start, m.span.source_end) for m in some if m.span.kind == "facts"} for some in (whole, runs)
    ]
    assert places[0] == places[1]


def test_a_figure_that_goes_on_otherwise_in_the_text_is_no_shared_fact() -> None:
    response = f"{OWN}{LEAK}. {LEAK.partition(' pounds')[0]}"
    source = LEAK.replace("41,736 pounds", "41,7365 dollars")
    assert facts(found(response, source, at_hand=False), response) == set()


def test_words_in_runs_are_counted_as_held() -> None:
    """What three others say too weighs less than what one says alone."""
    response = f"{OWN}{LEAK}."
    alone = match(
        [Text("r", "cedar", response)], Shelf([]), lambda _text: FLAGS, beside=Runs(Text("source", "birch", LEAK))
    )
    shared = found(response, LEAK, at_hand=False)
    total = [sum(m.span.bits_milli for m in some if m.source_id == "source") for some in (alone, shared)]
    assert total[0] > 60_000 > total[1]
