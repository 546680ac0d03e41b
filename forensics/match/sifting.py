"""Puts texts through the sieve: short ones together, long ones alone, several at a time, in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from forensics.match.sieve import Found
from forensics.match.spans import Text

_TOGETHER: Final = 1 << 16  # characters sifted in one go
_MOST: Final = 128  # texts
_AHEAD: Final = 2  # batches waiting for each thread

Sift = Callable[[Sequence[str]], list[Found]]


def sifted(texts: Iterable[Text], sift: Sift, threads: int) -> Iterator[tuple[Text, Found]]:
    """Yields every text with what of it stands in a response, in the order of ``texts`` whatever the ``threads``."""
    if threads < 2:
        for batch in batches(texts):
            yield from zip(batch, sift([text.text for text in batch]), strict=True)
        return
    pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="sift")
    waiting: deque[tuple[list[Text], Future[list[Found]]]] = deque()
    try:
        for batch in batches(texts):
            waiting.append((batch, pool.submit(sift, [text.text for text in batch])))
            if len(waiting) > _AHEAD * threads:
                first, found = waiting.popleft()
                yield from zip(first, found.result(), strict=True)
        while waiting:
            first, found = waiting.popleft()
            yield from zip(first, found.result(), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)


def batches(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Yields texts in lists of bounded length, in order."""
    batch: list[Text] = []
    characters = 0
    for text in texts:
        if batch and (characters + len(text.text) > _TOGETHER or len(batch) == _MOST):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text.text)
    if batch:
        yield batch
