"""Projections in parallel: one projector per thread, and batches of one content that go ahead of one another."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Lock
from types import TracebackType
from typing import Protocol, Self, TypeVar

from forensics.case.database import connect_memory
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest.formats import Formats
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.records import Frame
from forensics.ingest.project import Projected, Projector


class Framed(Protocol):
    """What holds the frames of one batch."""

    @property
    def frames(self) -> Sequence[Frame | Block]: ...


Batch = TypeVar("Batch", bound=Framed)


class Projectors:
    """Up to ``threads`` projectors, made when they are needed, all within the case's one bound of memory."""

    def __init__(self, case: Case, formats: Formats, threads: int) -> None:
        self._formats, self._threads = formats, threads
        self._con = connect_memory(case)
        self._free, self._making = BoundedSemaphore(threads), Lock()
        self._idle: SimpleQueue[Projector] = SimpleQueue()
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._con.close()

    def project(self, files: Sequence[Sequence[Frame | Block]]) -> list[list[Projected]]:
        """Returns what ``Projector.project`` returns, once a projector is free."""
        with self._free:
            projector = self._taken()
            try:
                return projector.project(files)
            finally:
                self._idle.put(projector)

    def ahead(self, batches: Iterator[Batch], label: str) -> Iterator[tuple[Batch, list[Projected]]]:
        """Yields each batch of one content with what it says, in order, while the next ones are framed and projected.

        With one thread, nothing goes ahead. Raises as ``project``; errors name the content by its ``label``.
        """
        if self._threads == 1:
            for batch in batches:
                yield batch, self._one(batch, label)
            return
        waiting: deque[tuple[Batch, Future[list[Projected]]]] = deque()
        for batch in batches:
            waiting.append((batch, self._pool.submit(self._one, batch, label)))
            if len(waiting) > self._threads:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()

    def _one(self, batch: Framed, label: str) -> list[Projected]:
        try:
            return self.project([batch.frames])[0]
        except ForensicsError as error:
            raise ForensicsError(error.what, where=f"{label} (by {error.where})", fix=error.fix) from error

    def _taken(self) -> Projector:
        try:
            return self._idle.get_nowait()
        except Empty:
            with self._making:
                return Projector(self._con.cursor(), self._formats)
