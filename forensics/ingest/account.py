"""The account of one content: every reject with its reason, what rejects and notes look like, and examples.

A note is a line that a format knows to be its own and takes nothing from. Notes and rejects are both told by shape, so
that a new kind of line that matters cannot hide among those that do not.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forensics.ingest.framing.records import Reject
from forensics.ingest.parts import Parts

EXAMPLES = 10
"""Examples that are kept for each reason."""

MOST_SHAPES = 4096
"""Shapes that are told apart in one content; lines beyond them are counted together."""

NOTE = "note"
"""Stands for a reason where a line was kept and nothing was taken from it."""

OTHERS = "(other shapes)"

_SHOWN = 160
_IDS = r"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){2,}[0-9a-fA-F-]*"
_NUMBERS = r"\d+(?:[.,:]\d+)*"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*(?:"(\s*:)?|$)|' + r"'(?:[^'\\]|\\.)*'")
"""A quoted value, perhaps cut, or a key of JSON, which is kept."""
_RUN = re.compile(r"([^\w\s])\1{3,}")
_COLOURS = re.compile(r"\x1b\[[0-9;<>n]*[A-Za-z]")
_MESSAGE = re.compile(r'"message":"((?:[^"\\]|\\.)*)')

_REJECT = pa.schema(
    [
        ("file_id", pa.string()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("reason", pa.string()),
        ("length", pa.int64()),
    ]
)
_SHAPE = pa.schema(
    [
        ("reason", pa.string()),
        ("shape", pa.string()),
        ("records", pa.int64()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
    ]
)
_EXAMPLE = pa.schema(
    [
        ("reason", pa.string()),
        ("line", pa.int64()),
        ("byte_offset", pa.int64()),
        ("length", pa.int64()),
        ("text", pa.string()),
    ]
)


def shapes(texts: pa.Array) -> pa.Array:
    """Returns the texts without their ids and numbers; ``shape`` does the rest for each of the few that differ then."""
    short = pc.utf8_slice_codeunits(texts, 0, _SHOWN)
    return pc.replace_substring_regex(pc.replace_substring_regex(short, _IDS, "<id>"), _NUMBERS, "<n>")


def shapes_of(texts: list[str]) -> list[str]:
    """Returns what ``shapes`` returns, for texts that are no column."""
    found: list[str] = shapes(pa.array(texts, pa.string())).to_pylist()
    return found


def shape(text: str) -> str:
    """Returns what lines of one kind have in common: a text without quoted values, colours and long rules."""
    text = _QUOTED.sub(lambda found: found[0] if found[1] else "<text>", _COLOURS.sub("", text))
    return " ".join(_RUN.sub(r"\1\1\1", text).split())


class Account:
    """Collects what one content holds besides records; the list of rejects goes to disk as it grows."""

    def __init__(self, parts: Parts, file_id: str) -> None:
        self.parts, self.file_id = parts, file_id
        self.rejected: Counter[str] = Counter()
        self._shapes: dict[tuple[str, str], list[int]] = {}
        self._examples: dict[str, list[Reject]] = {}

    @property
    def state(self) -> dict[str, Any]:
        """What ``resume`` needs to go on from here, as JSON."""
        return {
            "rejected": dict(self.rejected),
            "shapes": [[*key, found] for key, found in self._shapes.items()],
            "examples": {reason: [list(each) for each in found] for reason, found in self._examples.items()},
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Goes on from a ``state`` of an earlier run."""
        self.rejected = Counter(state["rejected"])
        self._shapes = {(reason, shape): found for reason, shape, found in state["shapes"]}
        self._examples = {reason: [Reject(*each) for each in found] for reason, found in state["examples"].items()}

    def reject(self, found: Iterable[Reject]) -> None:
        """Takes the rejects of one batch. Raises ``OSError`` if they cannot be written."""
        rejects = sorted(found)
        if not rejects:
            return
        for each in rejects:
            self.rejected[each.reason] += 1
            examples = self._examples.setdefault(each.reason, [])
            if len(examples) < EXAMPLES:
                examples.append(each)
        columns = {name: [getattr(each, name) for each in rejects] for name in ("reason", "text", "line", "offset")}
        self._add(pa.table(columns))
        self._write(rejects)

    def note(self, records: pa.Table) -> None:
        """Takes the records of one batch: those of kind ``note`` are told by shape."""
        notes = records.filter(pc.equal(records["kind"], NOTE))
        if notes.num_rows:
            columns = [pa.array([NOTE] * notes.num_rows), notes["detail"], notes["line"], notes["byte_offset"]]
            self._add(pa.table(columns, names=["reason", "text", "line", "offset"]))

    def finish(self, folder: Path) -> None:
        """Completes the rejects, and writes ``shape.parquet`` and ``example.parquet``. Raises ``OSError``."""
        self._write([])
        shapes = [(*key, *value) for key, value in sorted(self._shapes.items())]
        _save(folder / "shape.parquet", _SHAPE, shapes)
        examples = [
            (reason, each.line, each.offset, each.length, each.text)
            for reason in sorted(self._examples)
            for each in self._examples[reason]
        ]
        _save(folder / "example.parquet", _EXAMPLE, examples)

    def _add(self, lines: pa.Table) -> None:
        lines = lines.set_column(1, "text", shapes(lines["text"].combine_chunks()))
        counted = lines.group_by(["reason", "text"]).aggregate([("line", "count"), ("line", "min"), ("offset", "min")])
        for row in sorted(counted.to_pylist(), key=lambda row: row["offset_min"]):
            text = row["text"] or ""
            message = _MESSAGE.search(text) if row["reason"] == NOTE else None
            key = (row["reason"], shape(message[1].replace('\\"', '"') if message else text))
            if key not in self._shapes and len(self._shapes) >= MOST_SHAPES:
                key = (row["reason"], OTHERS)
            found = self._shapes.setdefault(key, [0, row["line_min"], row["offset_min"]])
            found[0] += row["line_count"]

    def _write(self, rejects: list[Reject]) -> None:
        columns = [[self.file_id] * len(rejects), *([each[n] for each in rejects] for n in range(4))]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _REJECT, strict=True)]
        self.parts.write("reject", pa.Table.from_arrays(arrays, schema=_REJECT))


def _save(path: Path, schema: pa.Schema, rows: Sequence[tuple[object, ...]]) -> None:
    columns = [[row[n] for row in rows] for n in range(len(schema))]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path, compression="zstd")
