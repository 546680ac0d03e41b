"""From framed records to the columns of ``record`` and ``text``: runs a format's query, then the shared ones."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from forensics import resources
from forensics.errors import ForensicsError
from forensics.ingest import digest
from forensics.ingest.formats import Format, Formats
from forensics.ingest.framing.blocks import SCHEMA, Block
from forensics.ingest.framing.records import EXCERPT, Frame, Reject

_MACROS = (
    "text_of",
    "lone",
    "id_of",
    "duration_ns",
    "epoch_ns_of",
    "stamp_ns",
    "azure_ns",
    "message_fields",
    "piece_fields",
    "piece_part",
    "message_parts",
    "part_halves",
    "parts_of",
    "may_be_cut",
    "plain_turns",
    "are_plain",
    "plain_parts",
    "prompt_hash_of",
    "json_of",
    "integer_of",
    "numbered_messages",
    "event_messages",
    "event_text",
    "usage_prompt",
    "usage_cached",
    "usage_completion",
    "item_message",
    "asked_messages",
    "asked_text",
    "answer_messages",
    "answer_text",
    "answer_finish",
    "sse_data",
    "sse_events",
    "sse_whole",
    "stream_pieces",
    "stream_tools",
    "stream_message",
    "stream_messages",
    "stream_said",
    "stream_told",
)
"""In an order in which each finds those that it uses."""

_SHARED = ("canonical", "side", "text", "record")
_UNKEPT = ["reject_reason", "length", "excerpt"]
"""Columns of the shared query of records that tell of rejects only."""

_FILE_BITS = 44
"""Bits of an offset within one file (16 TiB); above them stands the file's number within a projection."""

_NEEDED = {"byte_offset", "item"}

_BY_A_VALUE = (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException)

MOST_BAD = 100
"""Records of one batch that may stop the query; if there are more, the query is to blame."""


@dataclass(frozen=True)
class Projected:
    """What one batch of one format gave: kept records, their texts, and what was rejected."""

    records: pa.Table
    texts: pa.Table
    rejects: list[Reject]

    def of(self, number: int) -> "Projected":
        """Returns the part of one file among those that were projected together."""
        first, end = _shifted(number, 0), _shifted(number + 1, 0)
        rejects = [each._replace(offset=each.offset - first) for each in self.rejects if first <= each.offset < end]
        return Projected(_of_file(self.records, number), _of_file(self.texts, number), rejects)


class Projector:
    """Projects batches on one connection of its own. Not shared between threads."""

    def __init__(self, con: duckdb.DuckDBPyConnection, formats: Formats) -> None:
        self.con, self.formats = con, formats
        digest.register(con)
        folder = resources.folder("queries") / "formats"
        for name in _MACROS:
            macro = (folder / "macros" / f"{name}.sql").read_text(encoding="utf-8")
            con.execute(macro.replace("CREATE OR REPLACE MACRO", "CREATE OR REPLACE TEMP MACRO"))
        self._shared = {name: (folder / "shared" / f"{name}.sql").read_text(encoding="utf-8") for name in _SHARED}
        con.execute(f"CREATE OR REPLACE TEMP TABLE canonical AS\n{self._shared['canonical']}")
        self._canonical = {name for name, *_ in con.execute("DESCRIBE canonical").fetchall()}

    def project(self, files: Sequence[Sequence[Frame | Block]]) -> list[list[Projected]]:
        """Returns, for the frames of each file, what they say: one result per format among them, by name.

        All files share one run of each format's query. Raises if a query fails.
        """
        shapes: dict[str, list[_Numbered]] = defaultdict(list)
        for number, frames in enumerate(files):
            for frame in frames:
                shapes[frame.shape].append((number, frame))
        results: list[list[Projected]] = [[] for _ in files]
        for shape in sorted(shapes):
            form = self.formats.get(shape)
            told = self._shape(form, shapes[shape])
            counts = Counter[int]()
            for number, each in shapes[shape]:
                counts[number] += _records(each)
            for number, count in sorted(counts.items()):
                one = told.of(number)
                if one.records.num_rows + len(one.rejects) != count:
                    raise _unaccounted(form, one, count)
                results[number].append(one)
        return results

    def _shape(self, form: Format, frames: list["_Numbered"]) -> Projected:
        """Runs the format's query. Records whose values stop it are found by halving, and rejected."""
        parts: list[Projected] = []
        bad: list[Reject] = []
        waiting = [frames]
        while waiting:
            some = waiting.pop()
            try:
                parts.append(self._attempt(form, some))
            except _BadRecordError:
                if len(some) > 1:
                    waiting += [some[len(some) // 2 :], some[: len(some) // 2]]
                    continue
                ((number, frame),) = some
                if isinstance(frame, Block):
                    waiting.append([(number, each) for each in frame.frames()])
                    continue
                offset = _shifted(number, frame.offset)
                bad.append(Reject(frame.line, offset, "unreadable_value", len(frame.raw), frame.raw[:EXCERPT]))
                if len(bad) > MOST_BAD:
                    raise
        if not parts:
            parts = [self._attempt(form, [])]
        return Projected(
            pa.concat_tables([part.records for part in parts]),
            pa.concat_tables([part.texts for part in parts]),
            [each for part in parts for each in part.rejects] + bad,
        )

    def _attempt(self, form: Format, frames: list["_Numbered"]) -> Projected:
        self.con.register("framed", _table(frames))
        try:
            if form.is_json:
                rejects = self._objects(frames, form.query.path)
            else:
                rejects = []
                self._run("CREATE OR REPLACE TEMP VIEW raw AS SELECT * FROM framed", form.query.path)
            self._run(f"CREATE OR REPLACE TEMP TABLE projected AS\n{form.query.sql}", form.query.path)
            self._check(form)
            self._run(f"CREATE OR REPLACE TEMP TABLE side AS\n{self._shared['side']}", form.query.path)
            told = self._arrow(self._shared["record"], form.query.path)
            texts = self._arrow(self._shared["text"], form.query.path)
        finally:
            self.con.unregister("framed")
        kept, rejected = _parted(told)
        kept = kept.append_column("format", pa.array([form.name] * kept.num_rows, pa.string()))
        return Projected(kept, texts, rejects + rejected)

    def _objects(self, frames: list["_Numbered"], path: Path) -> list[Reject]:
        """Makes ``raw`` of those frames that are JSON objects, and returns the others."""
        self._run("CREATE OR REPLACE TEMP TABLE typed AS SELECT *, try(json_type(raw)) AS type FROM framed", path)
        self._run("CREATE OR REPLACE TEMP VIEW raw AS SELECT * EXCLUDE (type) FROM typed WHERE type = 'OBJECT'", path)
        found = self.con.execute(
            "SELECT line, byte_offset, item, length, type IS NOT NULL, substr(raw, 1, 240) FROM typed "
            "WHERE type IS DISTINCT FROM 'OBJECT' ORDER BY byte_offset, item"
        ).fetchall()
        last = {
            (_shifted(number, frame.offset), frame.item)
            for number, frame in (frames if found else [])
            if isinstance(frame, Frame) and frame.last
        }
        return [
            Reject(
                line,
                offset,
                "not_an_object" if valid else "cut_short" if (offset, item) in last else "malformed_json",
                length,
                text,
            )
            for line, offset, item, length, valid, text in found
        ]

    def _arrow(self, sql: str, path: Path) -> pa.Table:
        try:
            return self.con.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise _failed(error, path) from error

    def _check(self, form: Format) -> None:
        """Raises if a query of the user's own gives columns that do not exist, or not those that place a record."""
        given = {name for name, *_ in self.con.execute("DESCRIBE projected").fetchall()}
        if missing := _NEEDED - given:
            raise ForensicsError(
                f"the query gives no {' and no '.join(sorted(missing))}",
                where=str(form.query.path),
                fix="Select both from raw, unchanged",
            )
        if unknown := given - self._canonical:
            raise ForensicsError(
                f"the query gives the unknown column {min(unknown)!r}",
                where=str(form.query.path),
                fix=f"Known are {', '.join(sorted(self._canonical))}",
            )

    def _run(self, sql: str, path: Path) -> None:
        try:
            self.con.execute(sql)
        except duckdb.Error as error:
            raise _failed(error, path) from error


class _BadRecordError(ForensicsError):
    """A query stopped at a value of the evidence, as a year beyond what nanoseconds hold, not by its own fault."""


def _failed(error: duckdb.Error, path: Path) -> ForensicsError:
    if isinstance(error, duckdb.OutOfMemoryException):
        return ForensicsError(
            f"not enough memory for one batch ({_line(error)})",
            where=str(path),
            fix="Raise memory under [resources] in case.toml",
        )
    kind = _BadRecordError if isinstance(error, _BY_A_VALUE) else ForensicsError
    return kind(f"the query failed: {_line(error)}", where=str(path), fix="Correct the query")


def _parted(told: pa.Table) -> tuple[pa.Table, list[Reject]]:
    """Returns the records that are kept, and what the query rejected."""
    kept = told
    rejects: list[Reject] = []
    if told["reject_reason"].null_count < told.num_rows:
        bad = told.filter(pc.is_valid(told["reject_reason"]))
        rejects = [Reject(*row.values()) for row in bad.select(["line", "byte_offset", *_UNKEPT]).to_pylist()]
        kept = told.filter(pc.is_null(told["reject_reason"]))
    return kept.drop_columns(_UNKEPT), rejects


_Numbered = tuple[int, Frame | Block]
"""A record, or many, with the number of its file within a projection."""


def _records(found: Frame | Block) -> int:
    return found.table.num_rows if isinstance(found, Block) else 1


def _table(found: list[_Numbered]) -> pa.Table:
    frames = [(number, each) for number, each in found if isinstance(each, Frame)]
    columns = (
        [frame.line for _, frame in frames],
        [_shifted(number, frame.offset) for number, frame in frames],
        [frame.item for _, frame in frames],
        [frame.raw for _, frame in frames],
        [len(frame.raw) for _, frame in frames],
    )
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    single = pa.Table.from_arrays(arrays, schema=SCHEMA)
    blocks = [_moved(each.table, number) for number, each in found if isinstance(each, Block)]
    return pa.concat_tables([single, *blocks])


def _moved(table: pa.Table, number: int) -> pa.Table:
    """Returns the rows of one file with offsets that are unique among the files of one projection."""
    if not number:
        return table
    offsets = pc.add(table["byte_offset"], pa.scalar(_shifted(number, 0), pa.int64()))
    return table.set_column(SCHEMA.get_field_index("byte_offset"), "byte_offset", offsets)


def _shifted(number: int, offset: int) -> int:
    """Returns an offset that is unique among the files of one projection."""
    return (number << _FILE_BITS) | offset


def _of_file(table: pa.Table, number: int) -> pa.Table:
    """Returns one file's rows of a projection, at their own offsets."""
    offsets = table["byte_offset"]
    start = _shifted(number, 0)
    if number == 0 and table.num_rows and pc.max(offsets).as_py() < _shifted(1, 0):
        return table
    rows = pc.and_(pc.greater_equal(offsets, start), pc.less(offsets, _shifted(number + 1, 0)))
    part = table.filter(rows)
    own = pc.subtract(part["byte_offset"], pa.scalar(start, pa.int64()))
    return part.set_column(part.schema.get_field_index("byte_offset"), "byte_offset", own)


def _unaccounted(form: Format, one: Projected, count: int) -> ForensicsError:
    return ForensicsError(
        f"the query gave {one.records.num_rows:,} records and {len(one.rejects):,} rejects for {count:,} raw records",
        where=str(form.query.path),
        fix="It must give at most one row per byte_offset and item of raw, and no others",
    )


def _line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
