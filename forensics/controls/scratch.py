"""A sample of the case, and the scratch case's database with that sample in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.case import texts
from forensics.case.database import connect_memory, rebuild, select
from forensics.case.folder import Case
from forensics.case.scratch import Scratch
from forensics.resources import query

MOST: Final = 120  # exchanges of the case that are taken along
CHARACTERS: Final = 20_000  # of one exchange's texts, at most


@dataclass(frozen=True)
class Sample:
    """Rows of the case's ``file`` and ``record``, and texts of those records; ``exchanges`` are the case's own ids."""

    exchanges: tuple[str, ...]
    file: pa.Table
    record: pa.Table
    text: pa.Table | None

    @property
    def last_ns(self) -> int | None:
        """The latest time that any of its records tells."""
        stamps = [value for name in ("at_ns", "finished_ns") for value in self.record.column(name).to_pylist() if value]
        return max(stamps, default=None)

    @property
    def first_ns(self) -> int | None:
        """The earliest time that any of its records tells."""
        return min((value for value in self.record.column("at_ns").to_pylist() if value), default=None)


def sample(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> Sample:
    """Returns a stretch of the case's exchanges. Reads the tables of link, and writes none."""
    chosen = select(con, query("controls/sample", case.site), most=MOST, characters=CHARACTERS).fetchall()
    exchanges = [row[0] for row in chosen]
    record = con.sql(
        "SELECT * FROM record WHERE record_id IN (SELECT record_id FROM exchange_record WHERE exchange_id IN "
        "(SELECT unnest($ids::VARCHAR[]))) ORDER BY record_id",
        params={"ids": exchanges},
    ).to_arrow_table()
    files = sorted(set(record.column("file_id").to_pylist()))
    file = con.sql(
        "SELECT * FROM file WHERE file_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY path", params={"ids": files}
    ).to_arrow_table()
    return Sample(tuple(exchanges), file, record, None if metadata_only else _texts(case, record))


def _texts(case: Case, record: pa.Table) -> pa.Table:
    values = {
        "records": record.column("record_id").to_pylist(),
        "files": sorted(set(record.column("file_id").to_pylist())),
        "offsets": sorted(set(record.column("byte_offset").to_pylist())),
    }
    con = connect_memory(case)
    try:
        texts.attach(con, case)
        return con.sql(query("controls/sample_text", case.site).sql, params=values).to_arrow_table()
    finally:
        con.close()


@contextmanager
def joined(scratch: Scratch, company: Sample) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields the scratch case's database with the sample in it: what is planted stands beside real records."""
    if company.text is not None and company.text.num_rows:
        folder = scratch.evidence / "sample"
        folder.mkdir(parents=True)
        pq.write_table(company.text, folder / "text.parquet")
    with rebuild(scratch, keep=True) as con:
        for name in ("file", "record"):
            con.register("company", getattr(company, name))
            con.execute(f'INSERT INTO "{name}" BY NAME SELECT * FROM company')  # noqa: S608 - one of two names
            con.unregister("company")
        yield con
