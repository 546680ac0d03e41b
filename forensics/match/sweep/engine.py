"""The sweep itself: hold responses, count tenants, look up every text, weigh what was nominated."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from forensics.match.seeds import Ints
from forensics.match.sweep.corpus import Corpus, Mask, Meta, Unit, folded
from forensics.match.sweep.folding import Block
from forensics.match.sweep.index import SHELF, Index, SeedTable, hold
from forensics.match.sweep.scan import FIELDS, Texts, scan
from forensics.match.sweep.workers import Workers

FIRST_ROWS: Final = 4096

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Nominated:
    """What one unit nominated: rows of ``scan.FIELDS`` whose first column is the response's text number."""

    unit: int
    rows: Ints
    looked: int


def batches(meta: Meta, capacity: int) -> list[list[Ints]]:
    """Splits the responses into batches of at most ``capacity`` characters (one shelf at least), shelf by shelf."""
    numbers = np.flatnonzero(meta.answer)
    if not len(numbers):
        return []
    shelf = np.cumsum(meta.characters[numbers]) // SHELF
    shelves = np.split(numbers, np.flatnonzero(np.diff(shelf)) + 1)
    result: list[list[Ints]] = []
    room = 0
    for each in shelves:
        size = int(meta.characters[each].sum())
        if not result or size > room:
            result.append([])
            room = max(capacity, size)
        result[-1].append(each)
        room -= size
    return result


class Sweep:
    """One sweep over one corpus."""

    def __init__(self, corpus: Corpus, *, threads: int, capacity: int, least: int, progress: Progress) -> None:
        """``capacity``: characters of responses held at once; ``least``: letters that a passage must share."""
        self._corpus, self._workers, self._capacity, self._least = corpus, Workers(threads), capacity, least
        self._progress = progress
        self.clock: dict[str, float] = {}
        self.figures: dict[str, int] = {}
        self._skip: Mask | None = None

    def run(self) -> Iterator[tuple[Index, list[Nominated]]]:
        """Yields, for each batch of responses, its index and what every text nominates."""
        for batch in batches(self._corpus.meta, self._capacity):
            index = self._timed("count", lambda batch=batch: self.indexed(batch))
            found = self._timed("scan", lambda index=index: list(self.nominated(index)))
            yield index, found

    def _timed(self, name, work):  # type: ignore[no-untyped-def]
        began = time.monotonic()
        result = work()
        self.clock[name] = self.clock.get(name, 0.0) + time.monotonic() - began
        return result

    def indexed(self, batch: Sequence[Ints]) -> Index:
        """Holds a batch, counts the tenants of its seeds over all texts, and returns its index."""
        t0 = time.monotonic()
        held = hold(self._corpus, batch, self._workers)
        t1 = time.monotonic()
        seeds = SeedTable(held, self._workers)
        t2 = time.monotonic()
        meta, units = self._corpus.meta, self._corpus.units
        digests = np.zeros(len(meta), dtype=np.int64)

        def work(unit: Unit) -> tuple[int, int]:
            read = known = 0
            for numbers, block in folded(unit):
                self._workers.check()
                digests[numbers], r, k = seeds.count(block, meta.tenant[numbers])
                read, known = read + r, known + k
            return read, known

        read = known = 0
        for done, (r, k) in enumerate(self._workers.each(work, units), 1):
            read, known = read + r, known + k
            self._progress("count", done, len(units))
        t3 = time.monotonic()
        if self._skip is None:
            self._skip = _copies(meta, digests)
        self.figures |= {"entries": seeds.entries, "distinct": seeds.distinct, "read": read, "known": known}
        index = seeds.keep()
        t4 = time.monotonic()
        print(f"hold {t1-t0:.2f} table {t2-t1:.2f} count {t3-t2:.2f} keep {t4-t3:.2f}")
        self.figures |= {"kept": len(index.kept.cells), "listed": index.listed, "capped": int((index.holders==255).sum())}
        return index

    def nominated(self, index: Index) -> Iterator[Nominated]:
        """Yields what each unit nominates, in order."""
        meta, units = self._corpus.meta, self._corpus.units
        skip = self._skip if self._skip is not None else np.zeros(len(meta), dtype=np.bool_)

        def work(number: int) -> Nominated:
            rows, looked = [np.empty((0, FIELDS), dtype=np.int64)], 0
            for numbers, block in folded(units[number]):
                self._workers.check()
                found, seen = self._scan(index, numbers, block, skip)
                rows.append(found)
                looked += seen
            return Nominated(number, np.concatenate(rows), looked)

        for done, found in enumerate(self._workers.each(work, range(len(units))), 1):
            self._progress("scan", done, len(units))
            yield found

    def _scan(self, index: Index, numbers: Ints, block: Block, skip: Mask) -> tuple[Ints, int]:
        meta = self._corpus.meta
        texts = Texts(
            numbers, meta.tenant[numbers], meta.exchange[numbers], meta.since[numbers],
            meta.prompt[numbers].astype(np.uint8), skip[numbers].astype(np.uint8),
        )  # fmt: skip
        room = FIRST_ROWS
        while True:
            found = np.empty((room, FIELDS), dtype=np.int64)
            needed, looked = scan(block.data, block.bounds, texts, index.kept, index.held.answers, self._least, found)
            if needed <= room:
                return found[:needed], looked
            room = needed


def _copies(meta: Meta, digests: Ints) -> Mask:
    """Marks texts that say the same as an earlier one of their tenant: one of them is source enough."""
    order = np.lexsort((np.arange(len(meta)), meta.since, digests, meta.tenant))
    copy = np.zeros(len(meta), dtype=np.bool_)
    same = (np.diff(meta.tenant[order]) == 0) & (np.diff(digests[order]) == 0)
    copy[order[1:][same]] = True
    return copy
