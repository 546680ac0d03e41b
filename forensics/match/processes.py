"""Weighs many texts in processes of their own: aligning is Python, which threads cannot share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from forensics.case.child import spread
from forensics.match.reading import Shared
from forensics.match.sifting import batches
from forensics.match.spans import Match, Text
from forensics.match.weighing import Weighing

_WORTHWHILE: Final = 50_000  # exact runs to weigh, below which a process costs more than it brings

Work = Sequence[tuple[Text, Shared]]


def weighed(texts: Iterable[Text], shared: Mapping[str, Shared], weighing: Weighing, processes: int) -> Iterator[Match]:
    """Yields what ``weighing`` finds in every text, in the order of ``texts`` whatever the ``processes``.

    ``shared`` says what each text shares with the responses. Little work is done in this process. Raises if a process
    is killed.
    """
    if processes < 2 or sum(len(each.runs) for each in shared.values()) < _WORTHWHILE:
        for text in texts:
            yield from weighing.matches(text, shared[text.text_id])
        return
    work = ([(text, shared[text.text_id]) for text in batch] for batch in batches(texts))
    yield from spread(_weigh, weighing, work, processes)


def _weigh(weighing: Weighing, work: Work) -> list[Match]:
    return [found for text, shared in work for found in weighing.matches(text, shared)]
