"""Rows of CSV with the lines that they stand on: a quoted value may span lines."""

import csv
from collections.abc import Callable, Iterator

from forensics.ingest.framing.records import Line

csv.field_size_limit(1 << 28)


def table_rows(lines: Iterator[Line], decoded: Callable[[bytes], str]) -> Iterator[tuple[list[Line], list[str] | None]]:
    """Yields each row's lines and values, the header's too; None where they are no CSV, empty for a blank line.

    The list of lines is good until the next row is asked for.
    """
    stands: list[Line] = []

    def source() -> Iterator[str]:
        for line in lines:
            stands.append(line)
            yield decoded(line.data) + "\n"

    reader = csv.reader(source())
    while True:
        stands.clear()
        try:
            row = next(reader, None)
        except csv.Error:
            yield stands, None
            continue
        if row is None:
            return
        yield stands, row
