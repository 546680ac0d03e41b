"""The texts of a case as a library for the engine: bodies come from Parquet, a bounded batch at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from forensics.case.database import select
from forensics.match.engine import Text
from forensics.resources import Query, query

BATCH_CHARACTERS: Final = 32_000_000
BATCH_RECORDS: Final = 2_000


@dataclass(frozen=True)
class Part:
    """Where one text of the case stands, whose it is and since when it existed (ns UTC; None if no log says)."""

    exchange_id: str
    side: str
    part: int
    message_index: int | None
    field: str | None
    record_id: str
    tenant: str | None
    nameless: bool
    since_ns: int | None
    characters: int

    @property
    def text_id(self) -> str:
        """Returns an id that is the same in every run."""
        return f"{self.exchange_id}|{self.side}|{self.part:06d}"


class CaseLibrary:
    """All texts that stand for an exchange's prompt or response, ordered by record."""

    def __init__(self, con: duckdb.DuckDBPyConnection, site_query: Query | None = None) -> None:
        """``con`` has the view ``text`` and the tables that link wrote."""
        self._con = con
        rows = select(con, site_query or query("match/part")).fetchall()
        self.parts: dict[str, Part] = {part.text_id: part for part in (Part(*row) for row in rows)}

    def __iter__(self) -> Iterator[Text]:
        return self._read(list(self.parts.values()))

    def fetch(self, text_ids: Sequence[str]) -> Iterable[Text]:
        """Returns the texts with these ids, ordered by record."""
        wanted = set(text_ids)
        return self._read([part for text_id, part in self.parts.items() if text_id in wanted])

    def _read(self, parts: Sequence[Part]) -> Iterator[Text]:
        for batch in _batches(parts):
            records = sorted({part.record_id for part in batch})
            places = [record.split(":") for record in records]
            files = sorted({place[0] for place in places})
            offsets = sorted({int(place[1]) for place in places})
            body = query("match/body")
            rows = select(self._con, body, records=records, files=files, offsets=offsets).fetchall()
            bodies = {(record, side, number): text for record, side, number, text in rows}
            for part in batch:
                yield Text(part.text_id, part.tenant, bodies[part.record_id, part.side, part.part])


def _batches(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Splits parts into batches of bounded size; all parts of a record stay together, as one query reads them."""
    batch: list[Part] = []
    characters = 0
    for part in parts:
        new_record = not batch or part.record_id != batch[-1].record_id
        if new_record and (characters >= BATCH_CHARACTERS or len(batch) >= BATCH_RECORDS):
            yield batch
            batch, characters = [], 0
        batch.append(part)
        characters += part.characters
    if batch:
        yield batch
