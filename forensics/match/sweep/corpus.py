"""What the sweep reads: texts in Parquet row groups, each with a number, and what is known of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.match.kernel import Bytes, Ints
from forensics.match.sweep.folding import Block, fold_block

BLOCK_BYTES: Final = 4_000_000  # of texts folded and searched in one go: an interrupt waits for no more

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Meta:
    """What is known of text n: its tenant, exchange and characters; since when it exists (ns UTC).

    ``answer`` marks responses to be searched, ``prompt`` those sent by the tenant. ``began`` and ``until`` say when a
    response began and ended. Unknown times: 0 for ``since``, the greatest integer for the others. ``tenants`` counts
    them.
    """

    tenant: Ints
    exchange: Ints
    characters: Ints
    since: Ints
    began: Ints
    until: Ints
    prompt: Mask
    answer: Mask
    tenants: int

    def __len__(self) -> int:
        return len(self.tenant)


@dataclass(frozen=True)
class Unit:
    """One row group of one file and the numbers of the texts in its rows, -1 where a row is none of them."""

    path: Path
    row_group: int
    numbers: Ints


class Corpus(Protocol):
    """Texts to be swept."""

    @property
    def meta(self) -> Meta: ...

    @property
    def units(self) -> Sequence[Unit]: ...


def folded(unit: Unit, wanted: Mask | None = None) -> Iterator[tuple[Ints, Block]]:
    """Yields (numbers, folded texts) of a unit, a bounded number of bytes at a time, in the order of its rows.

    ``wanted[n]`` says whether text n is asked for.
    """
    chosen = unit.numbers >= 0
    if wanted is not None:
        chosen &= wanted[unit.numbers]
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return
    raw, offsets = read(unit)
    begins, ends = offsets[rows], offsets[rows + 1]
    total = np.cumsum(ends - begins)
    first = 0
    while first < len(rows):
        done = int(total[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(total, done + BLOCK_BYTES, side="right")))
        yield unit.numbers[rows[first:last]], fold_block(raw, begins[first:last], ends[first:last])
        first = last


def read(unit: Unit) -> tuple[Bytes, Ints]:
    """Returns the texts of a unit, as UTF-8, and where each begins (one value more than rows)."""
    with pq.ParquetFile(unit.path) as file:
        column = file.read_row_group(unit.row_group, columns=["text"], use_threads=False).column(0)
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    _, places, raw = array.buffers()
    width = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(places, dtype=width, count=len(array) + 1, offset=array.offset * np.dtype(width).itemsize)
    data = np.frombuffer(raw, dtype=np.uint8) if raw is not None and raw.size else np.zeros(1, dtype=np.uint8)
    return data, offsets.astype(np.int64)


def fetch(corpus: Corpus, numbers: Ints) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of the texts with these numbers, as they were, in the order of the corpus's units."""
    for unit in corpus.units:
        rows = np.flatnonzero(np.isin(unit.numbers, numbers))
        if len(rows):
            raw, offsets = read(unit)
            for row in rows.tolist():
                text = raw[offsets[row] : offsets[row + 1]].tobytes().decode("utf-8", "replace")
                yield int(unit.numbers[row]), text
