"""Processes of our own beside this one, for work in Python, which threads cannot share."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from forensics.case.memory import keep_freed_memory
from forensics.errors import ForensicsError

_AHEAD: Final = 3  # batches waiting for each process

Tool = TypeVar("Tool")
Batch = TypeVar("Batch")
Result = TypeVar("Result")


def spread(
    work: Callable[[Tool, Batch], list[Result]], tool: Tool, batches: Iterable[Batch], processes: int
) -> Iterator[Result]:
    """Yields what ``work(tool, batch)`` returns of every batch, in their order, from ``processes`` with a copy each.

    ``work`` is a function of a module; ``tool`` travels to each process once. Raises if a process is killed.
    """
    waiting: deque[Future[list[Result]]] = deque()
    with children(processes, tool) as pool:
        for batch in batches:
            waiting.append(pool.submit(_with_tool, work, batch))
            if len(waiting) > _AHEAD * processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


@contextmanager
def children(processes: int, tool: object = None) -> Iterator[ProcessPoolExecutor]:
    """Yields ``processes`` new processes, each with a copy of ``tool``.

    They leave the keyboard's interrupt to this process, end at once if the block fails, and do not outlive this
    process. Raises if one is killed from outside.
    """
    others = multiprocessing.active_children()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=(tool,))
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


_tool: Any = None  # of this process


def _begin(tool: object) -> None:
    global _tool  # noqa: PLW0603 - a process is given its tool once
    _tool = tool
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_freed_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _with_tool(work: Callable[[Any, Batch], list[Result]], batch: Batch) -> list[Result]:
    return work(_tool, batch)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
