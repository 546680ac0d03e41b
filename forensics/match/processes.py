"""Weighs many texts in processes of their own: aligning is Python, which threads cannot share."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Final

from forensics.case.child import children
from forensics.match.reading import Shared
from forensics.match.sifting import batches
from forensics.match.spans import Match, Text
from forensics.match.weighing import Weighing

_WORTHWHILE: Final = 50_000  # exact runs to weigh, below which a process costs more than it brings
_AHEAD: Final = 3  # batches waiting for each process

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
    waiting: deque[Future[list[Match]]] = deque()
    with children(processes, _begin, weighing) as pool:
        for batch in batches(texts):
            waiting.append(pool.submit(_weigh, [(text, shared[text.text_id]) for text in batch]))
            if len(waiting) > _AHEAD * processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


_here: Weighing | None = None  # of this process


def _begin(weighing: Weighing) -> None:
    global _here  # noqa: PLW0603 - a process is given its work once
    _here = weighing


def _weigh(work: Work) -> list[Match]:
    if _here is None:
        raise RuntimeError("this process was given nothing to weigh with")
    return [found for text, shared in work for found in _here.matches(text, shared)]
