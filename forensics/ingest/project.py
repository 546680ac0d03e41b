"""From framed records to the columns of ``record`` and ``text``: runs a format's query, then the shared ones."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from forensics import resources
from forensics.errors import ForensicsError
from forensics.ingest.formats import Format, Formats
from forensics.ingest.framing.records import Frame, Reject

_RAW = pa.schema(
    [
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("item", pa.int32()),
        ("raw", pa.large_string()),
        ("length", pa.int64()),
    ]
)
_MACROS = (
    "text_of",
    "lone",
    "id_of",
    "duration_ns",
    "epoch_ns_of",
    "stamp_ns",
    "piece_part",
    "message_parts",
    "part_halves",
    "parts_of",
    "prompt_hash_of",
)
"""In an order in which each finds those that it uses."""

_SHARED = ("canonical", "told", "text", "record")
_NEEDED = {"byte_offset", "item"}


@dataclass(frozen=True)
class Projected:
    """What one batch of one format gave: kept records, their texts, and what was rejected."""

    records: pa.Table
    texts: pa.Table
    rejects: list[Reject]


class Projector:
    """Projects batches on one connection of its own. Not shared between threads."""

    def __init__(self, con: duckdb.DuckDBPyConnection, formats: Formats) -> None:
        self.con, self.formats = con, formats
        folder = resources.folder("queries") / "formats"
        for name in _MACROS:
            macro = (folder / "macros" / f"{name}.sql").read_text(encoding="utf-8")
            con.execute(macro.replace("CREATE OR REPLACE MACRO", "CREATE OR REPLACE TEMP MACRO"))
        self._shared = {name: (folder / "shared" / f"{name}.sql").read_text(encoding="utf-8") for name in _SHARED}
        con.execute(f"CREATE OR REPLACE TEMP TABLE canonical AS\n{self._shared['canonical']}")
        self._canonical = {name for name, *_ in con.execute("DESCRIBE canonical").fetchall()}

    def project(self, frames: list[Frame]) -> list[Projected]:
        """Returns what ``frames`` say, one result per format among them, by name. Raises if a query fails."""
        shapes: dict[str, list[Frame]] = defaultdict(list)
        for frame in frames:
            shapes[frame.shape].append(frame)
        return [self._shape(self.formats.get(shape), shapes[shape]) for shape in sorted(shapes)]

    def _shape(self, form: Format, frames: list[Frame]) -> Projected:
        rejects: list[Reject] = []
        raw = _table(frames)
        self.con.register("framed", raw)
        try:
            if form.is_json:
                rejects = self._invalid(frames)
                self._run(
                    "CREATE OR REPLACE TEMP TABLE raw AS SELECT * FROM framed "
                    "WHERE CASE WHEN json_valid(raw) THEN json_type(raw) = 'OBJECT' ELSE false END",
                    form.query.path,
                )
            else:
                self._run("CREATE OR REPLACE TEMP TABLE raw AS SELECT * FROM framed", form.query.path)
            self._run(f"CREATE OR REPLACE TEMP TABLE projected AS\n{form.query.sql}", form.query.path)
            self._check(form)
            self._run(f"CREATE OR REPLACE TEMP TABLE told AS\n{self._shared['told']}", form.query.path)
            self._run(f"CREATE OR REPLACE TEMP TABLE recorded AS\n{self._shared['record']}", form.query.path)
            rejects += self._rejected()
            kept = self._arrow("SELECT * EXCLUDE (reject_reason, length) FROM recorded WHERE reject_reason IS NULL")
            texts = self._arrow(self._shared["text"])
        finally:
            self.con.unregister("framed")
        if kept.num_rows + len(rejects) != len(frames):
            raise ForensicsError(
                f"the query gave {kept.num_rows:,} records and {len(rejects):,} rejects for {len(frames):,} raw records",
                where=str(form.query.path),
                fix="It must give at most one row per byte_offset and item of raw, and no others",
            )
        kept = kept.append_column("format", pa.array([form.name] * kept.num_rows, pa.string()))
        return Projected(kept, texts, rejects)

    def _invalid(self, frames: list[Frame]) -> list[Reject]:
        """Returns what is no JSON object."""
        found = self.con.execute(
            "SELECT line, byte_offset, item, length, json_valid(raw) FROM framed "
            "WHERE CASE WHEN json_valid(raw) THEN json_type(raw) <> 'OBJECT' ELSE true END ORDER BY byte_offset, item"
        ).fetchall()
        last = {(frame.offset, frame.item) for frame in frames[-1:] if frame.last}
        return [
            Reject(
                line,
                offset,
                "not_an_object" if valid else "cut_short" if (offset, item) in last else "malformed_json",
                length,
            )
            for line, offset, item, length, valid in found
        ]

    def _rejected(self) -> list[Reject]:
        found = self.con.execute(
            "SELECT line, byte_offset, reject_reason, length FROM recorded WHERE reject_reason IS NOT NULL ORDER BY ALL"
        ).fetchall()
        return [Reject(*row) for row in found]

    def _arrow(self, sql: str) -> pa.Table:
        return self.con.sql(sql).to_arrow_table()

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
        except duckdb.OutOfMemoryException as error:
            raise ForensicsError(
                f"not enough memory for one batch ({_line(error)})",
                where=str(path),
                fix="Raise memory under [resources] in case.toml",
            ) from error
        except duckdb.Error as error:
            raise ForensicsError(f"the query failed: {_line(error)}", where=str(path), fix="Correct the query") from error


def _table(frames: list[Frame]) -> pa.Table:
    lines, offsets, items, raws = [], [], [], []
    for frame in frames:
        lines.append(frame.line)
        offsets.append(frame.offset)
        items.append(frame.item)
        raws.append(frame.raw)
    lengths = [len(raw) for raw in raws]
    return pa.Table.from_arrays(
        [pa.array(values, field.type) for values, field in zip((lines, offsets, items, raws, lengths), _RAW, strict=True)],
        schema=_RAW,
    )


def _line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
