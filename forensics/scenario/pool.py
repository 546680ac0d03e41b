"""A paged KV pool as a decode worker's rank keeps it: which pages a request gets, and what those pages still hold.

Read from SGLang's allocator for prefill and decode roles (``need_sort``): freed pages are parked, and merged and sorted
back into the free list only when that list cannot serve a request; pages are handed out lowest index first. Freeing
clears nothing, so a page holds the last tokens written to it until somebody else writes.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

NOBODY = -1


class PoolExhaustedError(RuntimeError):
    """The pool cannot hold the request even with every freed page: the engine would queue it."""


@dataclass
class Lease:
    """Pages held for one owner, in the order of its tokens. ``held`` turns false when they are released."""

    owner: str
    pages: list[int]
    tokens: int
    held: bool = True


@dataclass(frozen=True)
class StaleRun:
    """Tokens ``first`` to ``last`` (end exclusive) of ``owner``'s own sequence, found in another owner's pages.

    ``owner`` is empty where nothing was ever written, and the positions then mean nothing. ``at`` is where the run
    starts in the reader's sequence.
    """

    owner: str
    first: int
    last: int
    at: int

    @property
    def tokens(self) -> int:
        return self.last - self.first


class PagedPool:
    """The KV slots of one (worker, dp rank) since its process started.

    Each slot remembers who wrote it last and which position of that owner's sequence it was: 8 bytes per token.
    """

    def __init__(self, tokens: int, page_size: int) -> None:
        if tokens % page_size:
            raise ValueError(f"a pool of {tokens} tokens is no whole number of pages of {page_size}")
        self.page_size = page_size
        self.page_count = tokens // page_size
        self.free: list[int] = list(range(self.page_count))
        self.parked: list[int] = []
        self._owner: npt.NDArray[np.int32] = np.full(tokens, NOBODY, dtype=np.int32)
        self._position: npt.NDArray[np.int32] = np.zeros(tokens, dtype=np.int32)
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}

    def reserve(self, owner: str, tokens: int) -> Lease:
        """Returns pages for ``tokens`` tokens of ``owner``; raises ``PoolExhaustedError`` when there are too few."""
        return Lease(owner, self._take(self._pages_for(tokens)), tokens)

    def extend(self, lease: Lease, tokens: int) -> None:
        """Grows ``lease`` to ``tokens`` tokens in all, as decoding does page by page."""
        lease.pages += self._take(self._pages_for(tokens) - len(lease.pages))
        lease.tokens = max(lease.tokens, tokens)

    def write(self, lease: Lease, first: int, last: int) -> None:
        """Writes KV of the lease's tokens ``first`` to ``last`` (end exclusive) to the pages it was given.

        A transfer knows addresses only. One that lands after ``release`` overwrites whoever holds those pages now:
        that is the late write.
        """
        slots = self._slots(lease, first, last)
        self._owner[slots] = self._number(lease.owner)
        self._position[slots] = np.arange(first, first + len(slots), dtype=np.int32)

    def release(self, lease: Lease) -> None:
        """Parks the lease's pages; what they hold stays."""
        if not lease.held:
            raise ValueError(f"the pages of {lease.owner} were released before")
        lease.held = False
        self.parked += lease.pages

    def foreign(self, lease: Lease, tokens: int) -> list[StaleRun]:
        """Returns what the first ``tokens`` positions of ``lease`` hold that its owner did not write, in order."""
        slots = self._slots(lease, 0, tokens)
        owner = self._owner[slots]
        position = np.where(owner == NOBODY, np.arange(len(slots)), self._position[slots])
        own = self._numbers.get(lease.owner, NOBODY - 1)
        breaks = np.flatnonzero((np.diff(owner) != 0) | (np.diff(position) != 1)) + 1
        edges = [0, *breaks.tolist(), len(slots)]
        return [
            StaleRun(self._name(int(owner[start])), int(position[start]), int(position[start]) + stop - start, start)
            for start, stop in pairwise(edges)
            if stop > start and owner[start] != own
        ]

    @property
    def used(self) -> int:
        """Pages that somebody holds."""
        return self.page_count - len(self.free) - len(self.parked)

    def _take(self, pages: int) -> list[int]:
        if pages <= 0:
            return []
        if pages > len(self.free):
            self.free = sorted(self.free + self.parked)
            self.parked = []
        if pages > len(self.free):
            raise PoolExhaustedError(f"{pages} pages wanted, {len(self.free)} free")
        taken, self.free = self.free[:pages], self.free[pages:]
        return taken

    def _pages_for(self, tokens: int) -> int:
        return -(-tokens // self.page_size)

    def _slots(self, lease: Lease, first: int, last: int) -> npt.NDArray[np.int64]:
        """Returns the slots of the lease's tokens ``first`` to ``last`` (end exclusive), as far as it has pages."""
        skipped = first // self.page_size
        pages = np.asarray(lease.pages[skipped : self._pages_for(last)], dtype=np.int64)
        slots = (pages[:, None] * self.page_size + np.arange(self.page_size)).reshape(-1)
        return slots[first - skipped * self.page_size : last - skipped * self.page_size]

    def _number(self, owner: str) -> int:
        if owner not in self._numbers:
            self._numbers[owner] = len(self._names)
            self._names.append(owner)
        return self._numbers[owner]

    def _name(self, number: int) -> str:
        return "" if number == NOBODY else self._names[number]
