"""The sweep itself: hold responses, count tenants, look up every text, weigh what was nominated."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from forensics.match.kernel import Ints
from forensics.match.sweep import alike, canary
from forensics.match.sweep.calibration import apart_from_chance
from forensics.match.sweep.corpus import Corpus, Mask, Meta, Unit, folded
from forensics.match.sweep.folding import Block
from forensics.match.sweep.index import SHELF, Held, Index, SeedTable, hold
from forensics.match.sweep.pricing import ALIKE, LETTER, NOVEL_LETTER
from forensics.match.sweep.questions import not_of_equal_questions
from forensics.match.sweep.scan import FEWEST, FIELDS, Texts, scan
from forensics.match.sweep.state import State
from forensics.match.sweep.verify import Passage, Verifier
from forensics.match.sweep.workers import Workers

SLACK: Final = 12_000  # milli-bits that aligning may add to what looking up saw
ALIGNER: Final = 300_000_000  # bytes of a process that aligns
LEAST_BESIDE: Final = 1_500_000_000  # bytes of memory without which no process is made
SEGMENT: Final = 32  # units whose results are kept together
_FIRST_ROWS: Final = 4096

Progress = Callable[[str, int, int], None]


@dataclass
class Figures:
    """What a sweep read and found: numbers of things, and seconds by step."""

    responses: int = 0
    texts: int = 0
    copies: int = 0
    batches: int = 0
    characters: int = 0
    nominated: int = 0
    least_milli: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


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


def capacity(memory: int, threads: int) -> int:
    """Returns how many characters of responses may be held at once, given the bytes of memory.

    A character takes five bytes (its own, and a third of a seed at eight, with room for sorting); the interpreter, its
    libraries and the texts under way take 800 MB, and each process that aligns ``ALIGNER``.
    """
    beside = aligners(memory, threads)
    return max(memory - 800_000_000 - (beside * ALIGNER if beside > 1 else 0), 0) // 5


def aligners(memory: int, threads: int) -> int:
    """Returns how many processes align: one for each thread, or this one alone where ``memory`` is short."""
    return threads if memory >= LEAST_BESIDE + threads * ALIGNER else 1


def threshold(meta: Meta, margin_milli: int) -> int:
    """Returns what a passage must weigh: log2 of the texts that a response is searched for, plus a margin; milli-bits.

    What it takes to say where in the response and where in a text of average length is taken from the weight.
    """
    return round(1000 * math.log2(max(len(meta), 1))) + margin_milli


def fewest(meta: Meta, least_milli: int) -> Ints:
    """Returns the letters of the shortest passages worth weighing: out of an answer, out of a prompt.

    Log2 of the response's length comes on top; ``least_milli`` is what a passage must weigh.
    """
    place = 1000 * math.log2(max(int(meta.characters.sum()), 2) / max(len(meta), 1)) - SLACK
    kinds = (alike.needed(least_milli), LETTER * ALIKE // 1000), (least_milli, NOVEL_LETTER)
    return np.array([max(FEWEST, int((needed + place) / letter)) for needed, letter in kinds], dtype=np.int64)


class Sweep:
    """One sweep over one corpus."""

    def __init__(
        self, corpus: Corpus, state: State, *, threads: int, memory: int, least_milli: int, progress: Progress
    ) -> None:
        """``memory`` in bytes; passages of at least ``least_milli`` are returned; ``progress(step, done, of)``."""
        self._corpus, self._state, self._workers = corpus, state, Workers(threads)
        self._memory, self._least, self._progress, self._threads = memory, least_milli, progress, threads
        meta = corpus.meta
        self.figures = Figures(int(meta.answer.sum()), len(meta), least_milli=least_milli)
        self.figures.characters = int(meta.characters.sum())
        self._skip: Mask | None = None
        self._digests = np.zeros(len(meta), dtype=np.int64)
        self._fewest = fewest(meta, least_milli)
        self.chance: list[Passage] = []

    def passages(self) -> list[Passage]:
        """Returns what the responses share with other tenants' earlier texts, ordered by response, place and source.

        What they share with later ones, by chance, is in ``chance`` then.
        """
        found: list[Passage] = []
        for number, batch in enumerate(batches(self._corpus.meta, capacity(self._memory, self._threads))):
            self.figures.batches += 1
            index = self._indexed(number, batch)
            rows = self._looked_up(number, index)
            self.figures.nominated += len(rows)
            with _Clock(self.figures, "weigh"):
                verifier = Verifier(self._corpus, index, self.figures.characters, self._least)
                found += verifier.passages(
                    rows, aligners(self._memory, self._threads), partial(self._progress, "weigh")
                )
        found = not_of_equal_questions(found, self._corpus, self._digests)
        found.sort(key=lambda p: (p.answer, p.span.response_start, p.span.response_end, p.source))
        leaks, self.chance = apart_from_chance(found, self._corpus.meta)
        return leaks

    def _indexed(self, number: int, batch: Sequence[Ints]) -> Index:
        """Returns the index of a batch: held, seeds tabled, tenants counted over all texts."""
        with _Clock(self.figures, "hold"):
            held = hold(self._corpus, batch, self._workers)
        kept = self._state.load(f"counted-{number}")
        if kept is None:
            with _Clock(self.figures, "table"):
                seeds = SeedTable(held, self._workers)
            with _Clock(self.figures, "count"):
                digests = self._count(held, seeds)
            kept = seeds.keep() | {"skip": _copies(self._corpus.meta, digests), "digests": digests}
            self._state.save(f"counted-{number}", kept)
        self._skip, self._digests = kept.pop("skip"), kept.pop("digests")
        self.figures.copies = int(self._skip.sum())
        with _Clock(self.figures, "list"):
            return Index(held, **kept)

    def _count(self, held: Held, seeds: SeedTable) -> Ints:
        meta, units = self._corpus.meta, self._corpus.units
        digests = np.zeros(len(meta), dtype=np.int64)
        nobody, other = np.array([meta.tenants]), np.array([meta.tenants + 1])
        canary.conserve(len(canary.ANSWER), int(held.answers.bounds[-1] - held.answers.bounds[-2]), "holding")
        seeds.count(held.canary, nobody)

        def work(unit: Unit) -> int:
            texts = 0
            for numbers, block in folded(unit):
                self._workers.check()
                digests[numbers] = seeds.count(block, meta.tenant[numbers])[0]
                texts += len(numbers)
            canary.check_counted(seeds.count(canary.TEXT, other)[2], str(unit.path))
            return texts

        texts = 0
        for done, read in enumerate(self._workers.each(work, units), 1):
            texts += read
            self._progress("count", done, len(units))
        canary.conserve(len(meta), texts, "reading texts")
        return digests

    def _looked_up(self, number: int, index: Index) -> Ints:
        """Returns what all texts nominate; goes on after the segments that an earlier run has finished."""
        rows = [np.empty((0, FIELDS), dtype=np.int64)]
        units = range(len(self._corpus.units))
        with _Clock(self.figures, "scan"):
            for segment in range(0, len(units), SEGMENT):
                name = f"scanned-{number}-{segment}"
                done = self._state.load(name)
                if done is None:
                    done = {"rows": self._segment(index, units[segment : segment + SEGMENT])} | index.explained()
                    self._state.save(name, done)
                else:
                    index.explain(done)
                rows.append(done["rows"])
                self._progress("scan", min(segment + SEGMENT, len(units)), len(units))
        return np.concatenate(rows)

    def _segment(self, index: Index, units: Sequence[int]) -> Ints:
        meta = self._corpus.meta
        skip = self._skip if self._skip is not None else np.zeros(len(meta), dtype=np.bool_)
        planted = Texts(
            np.array([len(meta)]), np.array([meta.tenants + 1]), np.array([-2]), np.array([0]),
            np.ones(1, dtype=np.uint8), np.zeros(1, dtype=np.uint8),
        )  # fmt: skip

        def work(number: int) -> Ints:
            rows = [np.empty((0, FIELDS), dtype=np.int64)]
            unit = self._corpus.units[number]
            for numbers, block in folded(unit):
                self._workers.check()
                texts = Texts(
                    numbers, meta.tenant[numbers], meta.exchange[numbers], meta.since[numbers],
                    meta.prompt[numbers].astype(np.uint8), skip[numbers].astype(np.uint8),
                )  # fmt: skip
                rows.append(self._scanned(index, block, texts))
                self._workers.check()
            last = len(index.held.numbers)
            canary.check_found(self._scanned(index, canary.TEXT, planted), last, str(unit.path))
            return np.concatenate(rows)

        return np.concatenate([np.empty((0, FIELDS), dtype=np.int64), *self._workers.each(work, units)])

    def _scanned(self, index: Index, block: Block, texts: Texts) -> Ints:
        room = _FIRST_ROWS
        while True:
            found = np.empty((room, FIELDS), dtype=np.int64)
            needed, _ = scan(
                block.data, block.bounds, texts, index.kept, index.held.answers, self._fewest, found,
                self._workers.stopped,
            )  # fmt: skip
            if needed <= room:
                return found[:needed]
            room = needed


def _copies(meta: Meta, digests: Ints) -> Mask:
    """Marks texts that say the same as an earlier one of their tenant: one of them is source enough."""
    order = np.lexsort((np.arange(len(meta)), meta.since, digests, meta.tenant))
    copy = np.zeros(len(meta), dtype=np.bool_)
    same = (np.diff(meta.tenant[order]) == 0) & (np.diff(digests[order]) == 0)
    copy[order[1:][same]] = True
    return copy


class _Clock:
    """Adds the seconds of a block to a step."""

    def __init__(self, figures: Figures, step: str) -> None:
        self._figures, self._step = figures, step

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_error: object) -> None:
        seconds = self._figures.seconds
        seconds[self._step] = seconds.get(self._step, 0.0) + time.monotonic() - self._began
