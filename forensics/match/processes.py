"""Weighs many texts in processes of their own: aligning is Python, which threads cannot share."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from forensics.case.memory import keep_freed_memory
from forensics.errors import ForensicsError
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
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(weighing,))
    waiting: deque[Future[list[Match]]] = deque()
    try:
        for batch in batches(texts):
            waiting.append(pool.submit(_weigh, [(text, shared[text.text_id]) for text in batch]))
            if len(waiting) > _AHEAD * processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise ForensicsError(
            "a process that weighs texts was ended from outside, as the kernel does when memory runs out",
            fix="Free memory, or set `[resources] threads = 1` in case.toml: one process then does everything",
        ) from error
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_here: Weighing | None = None  # of this process


def _begin(weighing: Weighing) -> None:
    """Prepares a process: the keyboard's interrupt is its parent's to obey, and it does not outlive its parent."""
    global _here  # noqa: PLW0603 - a process is given its work once
    _here = weighing
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _weigh(work: Work) -> list[Match]:
    if _here is None:
        raise RuntimeError("this process was given nothing to weigh with")
    return [found for text, shared in work for found in _here.matches(text, shared)]
