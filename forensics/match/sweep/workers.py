"""Runs work in threads and takes the results in order, a few ahead, so that an interrupt is obeyed at once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final, TypeVar

import numpy as np

from forensics.match.kernel import Bytes

_AHEAD: Final = 2  # results waiting for each thread
_PATIENCE: Final = 0.2  # seconds between looks at the keyboard

Work = TypeVar("Work")
Result = TypeVar("Result")


class Stopped(Exception):  # noqa: N818 - no error, a request
    """Work that was asked to stop."""


class Workers:
    """A number of threads; ``stopped[0]`` is 1 when they should end, which compiled loops look at too."""

    def __init__(self, threads: int) -> None:
        self._threads = max(threads, 1)
        self.stopped: Bytes = np.zeros(1, dtype=np.uint8)

    def each(self, work: Callable[[Work], Result], items: Iterable[Work]) -> Iterator[Result]:
        """Yields ``work(item)`` of every item, in order."""
        pool = ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="sweep")
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > _AHEAD * self._threads:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        except BaseException:
            self.stopped[0] = 1
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def check(self) -> None:
        """Raises if the work should end: threads call it between blocks."""
        if self.stopped[0]:
            raise Stopped


def _result(future: Future[Result]) -> Result:
    while not future.done():
        wait([future], timeout=_PATIENCE)
    return future.result()
