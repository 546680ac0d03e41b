"""The tables of one content on their way to disk, in parts, so that a run that was killed goes on within a large file.

A part is sealed by a state that is written after it; what stands beyond the last state is thrown away. Parts become one
file per table at the end, with the same rows in the same groups whether or not anything came between.
"""

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forensics.case.folder import publish_text

DISTINCT = frozenset({"text", "raw_md5", "identity", "detail", "error_text"})
"""Columns whose values are nearly all different: a dictionary of them would be built to be thrown away."""

_STATE = "state.json"


class Parts:
    """Writes tables below ``folder``, which is made. Raises ``OSError`` where that cannot be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sealed = 0
        self._writers: dict[str, pq.ParquetWriter] = {}
        self.state = self._resumed()
        self.folder.mkdir(parents=True, mode=0o700, exist_ok=True)

    def write(self, name: str, table: pa.Table) -> None:
        """Adds rows to the table ``name``, as one group."""
        writer = self._writers.get(name)
        if writer is None:
            writer = self._writers[name] = _writer(self._part(self.sealed, name), table.schema)
        if table.num_rows:
            writer.write_table(table)

    def seal(self, state: dict[str, Any]) -> None:
        """Makes what was written so far last, and ``state`` (JSON) what a later run begins with."""
        self._close()
        self.sealed += 1
        publish_text(self.folder / _STATE, json.dumps({"sealed": self.sealed, **state}))

    def publish(self, target: Path) -> None:
        """Puts each table into one file in the new folder ``target``."""
        self._close()
        (self.folder / _STATE).unlink(missing_ok=True)  # from here on parts move: whoever is killed now begins again
        names = {path.name.partition(".")[2] for path in self.folder.glob("*.parquet")}
        for name in sorted(names):
            parts = [path for n in range(self.sealed + 1) if (path := self.folder / f"{n:06d}.{name}").exists()]
            if len(parts) == 1:
                parts[0].rename(target / name)
            else:
                _joined(parts, target / name)

    def close(self, *, keep: bool) -> None:
        """Lets go of the files; what is not sealed, or not to be kept, is removed."""
        with suppress(OSError):  # the disk is full: what could not be written is about to be removed
            self._close()
        if not (keep and self.sealed):
            shutil.rmtree(self.folder, ignore_errors=True)

    def _close(self) -> None:
        writers, self._writers = self._writers, {}
        for writer in writers.values():
            writer.close()

    def _part(self, number: int, name: str) -> Path:
        return self.folder / f"{number:06d}.{name}.parquet"

    def _resumed(self) -> dict[str, Any] | None:
        """Returns the state that an earlier run sealed, and removes whatever it wrote after that."""
        try:
            state: dict[str, Any] = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
            self.sealed = int(state.pop("sealed"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            shutil.rmtree(self.folder, ignore_errors=True)
            return None
        for path in self.folder.glob("*.parquet"):
            if int(path.name[:6]) >= self.sealed:
                path.unlink()
        return state


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    repeated = [name for name in schema.names if name not in DISTINCT]
    return pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=repeated, write_statistics=repeated)


def _joined(parts: list[Path], target: Path) -> None:
    """Writes the row groups of all parts into one file."""
    writer: pq.ParquetWriter | None = None
    try:
        for path in parts:
            with pq.ParquetFile(path) as part:
                writer = writer or _writer(target, part.schema_arrow)
                for number in range(part.num_row_groups):
                    writer.write_table(part.read_row_group(number))
    finally:
        if writer is not None:
            writer.close()
