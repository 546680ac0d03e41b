"""Responses in memory, the table of their seeds, and the three steps that make it an index of what may matter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from forensics.match.kernel import Bytes, Hashes, Ints
from forensics.match.sweep import canary, table
from forensics.match.sweep import places as placing
from forensics.match.sweep.corpus import Corpus, folded
from forensics.match.sweep.folding import Block
from forensics.match.sweep.scan import FACTS, Answers, Kept
from forensics.match.sweep.workers import Workers

Counts = npt.NDArray[np.uint32]

MOST: Final = 8  # of the tenants' parts: about ten tenants; a seed that more hold is not looked for
SHELF: Final = 1 << 25  # characters of responses within which the places of one seed are bounded
_STEP: Final = 1 << 22  # bytes of responses, or buckets, that one call goes through
_FULL: Final = 4  # seeds in a bucket
_SPREAD: Final = 5  # a bucket's bits in the bitmap: 2**5


@dataclass(frozen=True)
class Held:
    """Some responses, folded: ``numbers[r]`` is the text's number of response r, ``answers`` what is known of it.

    ``shelves`` are ranges of responses that do not depend on how many are held at once.
    """

    numbers: Ints
    answers: Answers
    shelves: Sequence[tuple[int, int]]

    @property
    def canary(self) -> Block:
        """Returns the planted answer: it stands behind all others and has no number."""
        return Block(self.answers.data, self.answers.bounds[-2:])

    def steps(self) -> Iterator[Block]:
        """Yields the folded responses, a bounded number of bytes at a time."""
        bounds = self.answers.bounds
        first = 0
        while first < len(bounds) - 1:
            last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + _STEP, side="right")) - 1)
            yield Block(self.answers.data, bounds[first : last + 1])
            first = last


def hold(corpus: Corpus, wanted: Sequence[Ints], workers: Workers) -> Held:
    """Reads and folds the responses with the numbers in ``wanted``, shelf by shelf."""
    meta = corpus.meta
    chosen = np.zeros(len(meta), dtype=np.bool_)
    for shelf in wanted:
        chosen[shelf] = True
    numbers = np.concatenate(wanted)
    size = np.zeros(len(meta) + 1, dtype=np.int64)

    def work(unit: int) -> list[tuple[Ints, Block]]:
        blocks = []
        for each in folded(corpus.units[unit], chosen):
            workers.check()
            blocks.append(each)
        return blocks

    parts: list[tuple[Ints, Block]] = []
    for found in workers.each(work, range(len(corpus.units))):
        parts += found
    for which, block in parts:
        size[which] = np.diff(block.bounds)
    bounds = np.concatenate([[0], np.cumsum([*size[numbers], len(canary.ANSWER)])]).astype(np.int64)
    place = np.zeros(len(meta), dtype=np.int64)
    place[numbers] = bounds[:-2]
    data = np.empty(int(bounds[-1]) + 1, dtype=np.uint8)
    parts.reverse()
    while parts:
        which, block = parts.pop()
        table.scatter(block.data, block.bounds, place[which], data)
    data[bounds[-2] : bounds[-1]] = canary.ANSWER
    edges = np.cumsum([0, *(len(shelf) for shelf in wanted)]).tolist()
    edges[-1] += 1
    facts = np.stack([getattr(meta, name)[numbers] for name in FACTS], axis=1)
    latest = np.iinfo(np.int64).max
    facts = np.concatenate([facts, [[meta.tenants, -1, latest, latest]]])
    return Held(numbers, Answers(data, bounds, facts), list(pairwise(edges)))


class SeedTable:
    """The seeds of the responses held, and which tenants hold each."""

    def __init__(self, held: Held, workers: Workers) -> None:
        self._held = held
        entries = max(int(held.answers.bounds[-1]) // 3, 64)
        bits = max(10, (entries // _FULL).bit_length())
        self.shift = np.uint64(64 - bits)
        self.buckets = 1 << bits
        halves = [(0, self.buckets // 2), (self.buckets // 2, self.buckets)]
        offsets = np.zeros(self.buckets + 1, dtype=np.uint32)

        def tally(half: tuple[int, int]) -> None:
            for block in held.steps():
                workers.check()
                table.tally(block.data, block.bounds, self.shift, *half, offsets)

        list(workers.each(tally, halves))
        np.cumsum(offsets, dtype=np.uint32, out=offsets)
        self.entries = int(offsets[-1])
        self.cells: Hashes = np.empty(self.entries + 1, dtype=np.uint64)

        def fill(half: tuple[int, int]) -> None:
            for block in held.steps():
                workers.check()
                table.fill(block.data, block.bounds, self.shift, *half, offsets, self.cells)

        list(workers.each(fill, halves))
        canary.conserve(0, int(offsets[0]), "filling the table")
        self.bitmap: Hashes = np.zeros(max(self.buckets * (1 << _SPREAD) // 64, 1), dtype=np.uint64)
        self.offsets: Counts = offsets
        kept = 0
        for first in range(0, self.buckets, _STEP):
            last = min(first + _STEP, self.buckets)
            kept = table.distinct(offsets, self.cells, first, last, kept, self.bitmap)
        offsets[-1] = kept
        self.distinct = kept
        self._locks = [Lock() for _ in range(table.SHARDS)]

    def count(self, block: Block, tenants: Ints) -> tuple[Ints, int, int]:
        """Notes which seeds the texts of a block hold: ``tenants[i]`` is whose text i is, -1 nobody's.

        Returns (a hash of each text's seeds, seeds read, seeds that are in the table).
        """
        size = int(block.bounds[-1] - block.bounds[0])
        hits, owners = np.empty(size + 1, dtype=np.uint64), np.empty(size + 1, dtype=np.int32)
        digests = np.empty(len(block), dtype=np.int64)
        read, found = table.probe(block.data, block.bounds, self.shift, self.bitmap, hits, owners, digests)
        edges = np.zeros(table.SHARDS + 1, dtype=np.int64)
        hashes, texts = table.sharded(hits[:found], owners[:found], edges)
        known = 0
        for shard, lock in enumerate(self._locks):
            mine = slice(edges[shard], edges[shard + 1])
            with lock:
                known += table.count(hashes[mine], texts[mine], tenants, self.shift, self.offsets, self.cells)
        return digests, read, known

    def keep(self) -> dict[str, npt.NDArray[Any]]:
        """Returns what an ``Index`` is made of: the seeds that several tenants hold. The table is used up."""
        holders: Bytes = np.zeros(self.distinct + 1, dtype=np.uint8)
        bitmap: Hashes = np.zeros_like(self.bitmap)
        kept = 0
        for first in range(0, self.buckets, _STEP):
            last = min(first + _STEP, self.buckets)
            kept = table.keep(self.offsets, self.cells, first, last, kept, MOST, holders, bitmap)
        self.offsets[-1] = kept
        cells = self.cells[:kept].copy()
        self.cells = self.bitmap = np.empty(0, dtype=np.uint64)
        return {"offsets": self.offsets, "cells": cells, "bitmap": bitmap, "holders": holders[:kept].copy()}


def _in_steps(responses: Ints, bounds: Ints) -> Iterator[Ints]:
    """Splits responses so that one step goes through a bounded number of bytes, or one response."""
    bytes_before = np.cumsum(bounds[responses + 1] - bounds[responses])
    edges = np.flatnonzero(np.diff(bytes_before // _STEP)) + 1
    yield from np.split(responses, edges)


class Index:
    """The kept seeds with their places, for ``scan``."""

    def __init__(self, held: Held, offsets: Counts, cells: Hashes, bitmap: Hashes, holders: Bytes) -> None:
        shift = np.uint64(64 - (len(offsets) - 1).bit_length() + 1)
        self.held, self.holders = held, holders
        tenants = np.ascontiguousarray(held.answers.facts[:, 0])
        order = [low + np.argsort(tenants[low:high], kind="stable") for low, high in held.shelves]
        starts = np.zeros(len(cells) + 1, dtype=np.uint32)
        scratch = np.empty((len(cells), 3), dtype=np.int32)

        def run(places: Hashes) -> int:
            listed = np.zeros(len(cells), dtype=np.uint32)
            total = 0
            for shelf in order:
                scratch[:] = 0
                for some in _in_steps(shelf, held.answers.bounds):
                    total += placing.list_places(
                        held.answers.data, held.answers.bounds, some, tenants, shift,
                        offsets, cells, bitmap, holders, scratch, listed, starts, places,
                    )  # fmt: skip
            if not len(places):
                np.cumsum(listed, dtype=np.uint32, out=starts[1:])
            return total

        total = run(np.empty(0, dtype=np.uint64))
        places = np.empty(total + 1, dtype=np.uint64)
        canary.conserve(total, run(places) if total else 0, "listing places")
        own, public = np.zeros(total + 1, dtype=np.uint8), np.zeros(total + 1, dtype=np.uint8)
        self.kept = Kept(shift, offsets, cells, bitmap, starts, places, own, public)

    def explained(self) -> dict[str, Bytes]:
        """Returns which places are explained so far, packed."""
        return {"own": np.packbits(self.kept.own), "public": np.packbits(self.kept.public)}

    def explain(self, done: Mapping[str, npt.NDArray[Any]]) -> None:
        """Takes over what ``explained`` returned in an earlier run."""
        for name, mine in (("own", self.kept.own), ("public", self.kept.public)):
            np.bitwise_or(mine, np.unpackbits(done[name])[: len(mine)], out=mine)
