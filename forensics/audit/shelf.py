"""Fingerprints on disk: sorted arrays that are looked into without being read.

One folder per run. ``texts.parquet`` says whose text is which number; beside it, for each piece of bounded size, four
arrays of one length, ordered by value: ``value`` (uint64), ``text`` (the number, uint32), ``at`` (first byte in the
folded text, uint32), ``start`` (first code point in the original, uint32). Looking up costs the logarithm of a piece.
``places.bin`` holds the filters of all texts (``holding``), ``place_at.npy`` where each begins.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.audit.fingerprints import Key, fingerprints
from forensics.audit.holding import Words, filter_of
from forensics.match.kernel import Hashes, Ints
from forensics.match.library import Part
from forensics.match.normalise import beginnings, fold
from forensics.match.spans import Text

PIECE: Final = 1 << 23
"""Fingerprints held in memory before they are sorted and written: 160 MB."""
MOST: Final = 512
"""Places of one value in one piece that are looked at: what more texts hold than that is nobody's."""
_FILTERS, _FILTER_AT = "places.bin", "place_at.npy"
_ARRAYS: Final = {"value": np.uint64, "text": np.uint32, "at": np.uint32, "start": np.uint32}
_SCHEMA: Final = pa.schema(
    {"run": pa.int32(), "number": pa.int64(), "record_id": pa.string(), "side": pa.string(), "part": pa.int32()}
    | {"message_index": pa.int32(), "field": pa.string(), "characters": pa.int64(), "size": pa.int64()}
    | {"words": pa.int64()}
)


class Hits(NamedTuple):
    """Looked-up values that a run's texts hold: index among those asked for, and text, first byte, code point."""

    asked: Ints
    text: Ints
    at: Ints
    start: Ints


class Writer:
    """Takes the texts of one run and writes their fingerprints."""

    def __init__(self, folder: Path, run: int, key: Key, window: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder, self._run, self._key, self._window = folder, run, key, window
        self._rows: list[dict[str, object]] = []
        self._waiting: list[tuple[Hashes, Ints, Ints, Ints]] = []
        self._count, self._pieces = 0, 0
        self._filter_at = [0]
        self._filters = (folder / _FILTERS).open("wb")

    def take(self, part: Part, text: Text) -> None:
        """Adds one text."""
        folded = fold(text.text)
        values, at = fingerprints(folded, self._key, self._window)
        number = len(self._rows)
        self._rows.append(
            {"run": self._run, "number": number, "record_id": part.record_id, "side": part.side, "part": part.part}
            | {"message_index": part.message_index, "field": part.field}
            | {"characters": part.characters, "size": len(folded), "words": int(beginnings(folded).sum())}
        )
        self._waiting.append((values, np.full(len(at), number), at, folded.start[at].astype(np.int64)))
        self._count += len(at)
        words = filter_of(folded, self._key.of_text(self._run, number))
        self._filters.write(words.tobytes())
        self._filter_at.append(self._filter_at[-1] + len(words))
        if self._count >= PIECE:
            self._write()

    def finish(self) -> None:
        """Writes what is left."""
        self._write()
        self._filters.close()
        np.save(self._folder / _FILTER_AT, np.array(self._filter_at, dtype=np.int64))
        pq.write_table(pa.Table.from_pylist(self._rows, _SCHEMA), self._folder / "texts.parquet", compression="zstd")

    def _write(self) -> None:
        if not self._count:
            return
        columns = [np.concatenate(each) for each in zip(*self._waiting, strict=True)]
        order = np.lexsort((columns[2], columns[1], columns[0]))
        for (name, kind), column in zip(_ARRAYS.items(), columns, strict=True):
            np.save(self._folder / f"{self._pieces:03}.{name}.npy", column[order].astype(kind))
        self._waiting, self._count, self._pieces = [], 0, self._pieces + 1


@dataclass(frozen=True)
class Shelf:
    """The fingerprints of one run."""

    folder: Path

    def look_up(self, values: Hashes) -> Iterator[Hits]:
        """Yields, piece by piece, where the run's texts hold the ``values``, which are ascending."""
        for first in sorted(self.folder.glob("*.value.npy")):
            name = first.name.partition(".")[0]
            piece = {each: np.load(self.folder / f"{name}.{each}.npy", mmap_mode="r") for each in _ARRAYS}
            yield _found(piece, values)

    @cached_property
    def _filter_at(self) -> Ints | None:
        path = self.folder / _FILTER_AT
        return np.load(path, mmap_mode="r") if path.exists() else None

    def filter(self, number: int) -> Words | None:
        """Returns the filter of a text; None where the run that kept it made none."""
        if self._filter_at is None:
            return None
        first, last = self._filter_at[number : number + 2].tolist()
        return np.fromfile(self.folder / _FILTERS, dtype=np.uint64, count=last - first, offset=8 * first)


def _found(piece: dict[str, npt.NDArray[np.unsignedinteger]], values: Hashes) -> Hits:
    low = np.searchsorted(piece["value"], values, side="left")
    high = np.searchsorted(piece["value"], values, side="right")
    count = np.minimum(high - low, MOST)
    asked = np.repeat(np.arange(len(values)), count)
    step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    place = np.repeat(low, count) + step
    return Hits(asked, *(piece[name][place].astype(np.int64) for name in ("text", "at", "start")))


def shelves(folders: Iterable[Path]) -> list[Shelf]:
    """Returns the shelves of kept runs, in the order given, of those that have one."""
    return [Shelf(each / "prints") for each in folders if (each / "prints" / "texts.parquet").exists()]


def view(con: duckdb.DuckDBPyConnection, name: str, paths: Sequence[Path]) -> None:
    """Makes a temporary view of Parquet files of one kind."""
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    con.execute(
        f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM read_parquet([{listed}], union_by_name = true)"  # noqa: S608
    )
