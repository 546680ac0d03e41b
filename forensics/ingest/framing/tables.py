"""CSV, Parquet and plain text lines."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.errors import ForensicsError
from forensics.ingest.framing.clean import decode, dump, strip_ansi
from forensics.ingest.framing.records import Context, Frame, Reject, lines
from forensics.ingest.framing.rows import table_rows


def frame_text(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields each line as it is, without terminal colours."""
    context.by_line = True
    for line in lines(chunks, context):
        yield Frame(line.number, line.offset, 0, context.shape, strip_ansi(decode(line.data, context)))


def frame_csv(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields each row as a JSON object by the names of the first row; all values are strings, empty ones null."""
    names: list[str] | None = None
    for stands, row in table_rows(lines(chunks, context, blanks=True), lambda data: decode(data, context)):
        if row is None:
            yield context.incomplete(stands[-1], "malformed_csv")
        elif not row:
            continue
        elif names is None:
            names = row
        elif len(row) != len(names):
            yield context.incomplete(stands[-1], "wrong_number_of_fields")
        else:
            record = {name: value or None for name, value in zip(names, row, strict=True)}
            yield Frame(stands[0].number, stands[0].offset, 0, context.shape, dump(record, context))


def frame_parquet(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields each row as a JSON object. ``line`` counts rows from 1 and ``offset`` from 0: Parquet has no lines."""
    try:
        with _seekable(chunks, context) as data, pq.ParquetFile(data) as table:
            number = 0
            for batch in table.iter_batches(batch_size=4096):
                for row in _textual(batch).to_pylist(maps_as_pydicts="lossy"):
                    record = {key: _plain(value) for key, value in row.items()}
                    yield Frame(number + 1, number, 0, context.shape, dump(record, context))
                    number += 1
    except (OSError, ValueError) as error:  # pyarrow's errors are kinds of these
        raise ForensicsError(
            f"cannot be read as Parquet ({str(error).splitlines()[0]})", where=context.label, fix="Export it again"
        ) from error


def _textual(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns the batch with stamps as text, whose nanoseconds Python's own type would lose."""
    columns = [
        pc.cast(column, pa.string()) if pa.types.is_timestamp(column.type) else column for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


@contextmanager
def _seekable(chunks: Iterable[bytes], context: Context) -> Iterator[IO[bytes]]:
    """Gives the decoded file to read at any place: itself, or a copy on disk if it is wrapped. All of it is hashed."""
    with tempfile.TemporaryFile() if context.path is None else context.path.open("rb") as data:
        for chunk in chunks:
            if context.path is None:
                data.write(chunk)
        data.seek(0)
        yield data


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value - value != 0:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str | int | float | bool | None) else str(value)
