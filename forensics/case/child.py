"""Processes of our own beside this one, for work in Python, which threads cannot share."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from forensics.case.memory import keep_freed_memory
from forensics.errors import ForensicsError


@contextmanager
def children(processes: int, begin: Callable[..., None] | None = None, *given: Any) -> Iterator[ProcessPoolExecutor]:
    """Yields ``processes`` new processes, in each of which ``begin(*given)`` is called first.

    They leave the keyboard's interrupt to this process, end at once if the block fails, and do not outlive this
    process. Raises if one is killed from outside.
    """
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(begin, given))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise ForensicsError(
            "a process that worked for this one was ended from outside, as the kernel does when memory runs out",
            fix="Free memory, or set `[resources] threads = 1` in case.toml: one process then does everything",
        ) from error
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin(*given)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
