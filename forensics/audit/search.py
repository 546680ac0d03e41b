"""Kept texts as matching sees them: fingerprints first, and the characters of those that matter where they are kept."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from forensics.audit.fingerprints import GRAM, Key, every
from forensics.audit.holding import lengthened
from forensics.audit.shelf import Hits, Shelf, view
from forensics.case.database import select
from forensics.match.beside import Known, dense, joined
from forensics.match.chain import groups
from forensics.match.kernel import Hashes, Ints
from forensics.match.library import Part
from forensics.match.reading import Reader, Response
from forensics.match.seeds import Segments, segments
from forensics.match.spans import Places, Text
from forensics.resources import query


@dataclass(frozen=True)
class _Asked:
    """All grams of all responses, by value: ``values`` are distinct and ascending, rows of one lie together."""

    values: Hashes
    first: Ints
    count: Ints
    response: Ints
    at: Ints

    @classmethod
    def of(cls, responses: Sequence[Response], key: Key) -> "_Asked":
        found = [every(each.folded, key) for each in responses]
        values = np.concatenate([np.empty(0, dtype=np.uint64), *(each for each, _ in found)])
        owners = np.repeat(np.arange(len(found)), [len(each) for each, _ in found])
        places = np.concatenate([np.empty(0, dtype=np.int64), *(at for _, at in found)])
        order = np.lexsort((places, owners, values))
        distinct, first = np.unique(values[order], return_index=True)
        count = np.diff(first, append=len(values))
        return cls(distinct, first, count, owners[order], places[order])

    def rows(self, hits: Hits) -> tuple[Ints, Ints]:
        """Returns (index of a hit, row) for every place in a response of every hit; at most eight of one value."""
        count = np.minimum(self.count[hits.asked], 8)
        hit = np.repeat(np.arange(len(hits.asked)), count)
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        return hit, np.repeat(self.first[hits.asked], count) + step


class KeptTexts:
    """The texts of kept runs, beside those of this run's case."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, shelves: Sequence[Shelf], key: Key, paths: Mapping[str, Path]
    ) -> None:
        """``con`` has the views of kept exchanges. ``paths`` says where texts lie by file id, where they are kept."""
        self._con, self._key, self._paths = con, key, paths
        self._shelves = {int(each.folder.parent.name): each for each in shelves}
        self.parts: dict[str, Part] = {}
        if shelves:
            view(con, "kept_print_file", [each.folder / "texts.parquet" for each in shelves])
            # Runs of before words were counted lack the column.
            con.execute(
                "CREATE OR REPLACE TEMP VIEW kept_print AS "
                "SELECT NULL::BIGINT AS words WHERE false UNION ALL BY NAME FROM kept_print_file"
            )

    def known(self, responses: Sequence[Response], reader: Reader, at_hand: Collection[str]) -> Iterator[Known]:
        """Yields the kept texts that share a fingerprint with a response, by run and number."""
        asked = _Asked.of(responses, self._key)
        found: dict[tuple[int, int], list[Ints]] = defaultdict(list)
        for run, shelf in sorted(self._shelves.items()):
            for hits in shelf.look_up(asked.values):
                for number, columns in _by_text(asked, hits):
                    found[run, number].append(columns)
        for place, part, size, words in self._owned(sorted(found)):
            self.parts[part.text_id] = part
            if part.text_id not in at_hand:
                response, at, source_at, start = np.concatenate(found[place], axis=1)
                runs = segments(response, at, source_at, GRAM)
                runs = whole(responses, runs, self._shelves[place[0]], place, self._key)
                text, short = Text(part.text_id, part.tenant, ""), runs.pick(runs.length < reader.seed_bytes)
                yield Known(text, dense(reader, responses, (size, words), runs), _places(source_at, start), short)

    def _owned(self, places: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], Part, int, int]]:
        """Yields (place, part, folded bytes, words) of those texts that still stand for an exchange, in order."""
        if not places:
            return
        columns = [pa.array(column, pa.int64()) for column in zip(*places, strict=True)]
        self._con.register("hit", pa.table(columns, names=["run", "number"]))
        rows = select(self._con, query("audit/kept_part")).fetchall()
        self._con.unregister("hit")
        for run, number, size, words, *rest in rows:
            yield (run, number), Part(*rest), size, words

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns those of these texts that are kept as such, ordered by id."""
        wanted = [self.parts[each] for each in text_ids]
        files = {each.record_id.partition(":")[0] for each in wanted} & set(self._paths)
        if not files:
            return []
        paths = sorted(str(self._paths[each]) for each in files)
        records = sorted({each.record_id for each in wanted})
        rows = select(self._con, query("audit/kept_body"), paths=paths, records=records).fetchall()
        bodies = {(record, side, part): text for record, side, part, text in rows}
        return [
            Text(each.text_id, each.tenant, bodies[each.record_id, each.side, each.part])
            for each in wanted
            if (each.record_id, each.side, each.part) in bodies
        ]


def whole(responses: Sequence[Response], runs: Segments, shelf: Shelf, place: tuple[int, int], key: Key) -> Segments:
    """Returns what a kept text (run, number) shares with the responses, as far as its filter tells beyond ``runs``."""
    words = shelf.filter(place[1])
    if words is None:
        return runs
    mine = key.of_text(*place)
    found = [lengthened(some, number, responses[number].folded, words, mine) for number, some in groups(runs)]
    return joined(*found) if found else runs


def _by_text(asked: _Asked, hits: Hits) -> Iterator[tuple[int, Ints]]:
    """Yields (text, array of rows response, first byte in it, first byte and code point in the text)."""
    hit, row = asked.rows(hits)
    order = np.argsort(hits.text[hit], kind="stable")
    hit, row = hit[order], row[order]
    numbers, first = np.unique(hits.text[hit], return_index=True)
    for number, low, high in zip(numbers.tolist(), first, np.append(first[1:], len(hit)), strict=True):
        mine = hit[low:high]
        which = row[low:high]
        yield number, np.stack([asked.response[which], asked.at[which], hits.at[mine], hits.start[mine]])


def _places(source_at: Ints, start: Ints) -> Places:
    """Returns the code points of a run of a kept text: exact where it begins, to a fingerprint where it ends."""
    known, index = np.unique(source_at, return_index=True)
    points = start[index]

    def places(first: int, length: int) -> tuple[int, int]:
        low = int(np.searchsorted(known, first, side="right")) - 1
        high = int(np.searchsorted(known, first + length - GRAM, side="right")) - 1
        return int(points[max(low, 0)]), int(points[max(high, 0)]) + GRAM

    return places
