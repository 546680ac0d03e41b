"""What a file would yield, before anything is ingested: it goes through ingest into a scratch case."""

import json
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from forensics.case import texts
from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.case.schema import RECORD
from forensics.ingest import envelopes
from forensics.ingest.account import shape, shapes_of
from forensics.ingest.framing.records import Context, lines
from forensics.ingest.framing.spread import spread
from forensics.ingest.gather import STDIN, Pipe
from forensics.ingest.rejects import Template, accounts
from forensics.ingest.run import FileReport, ingest
from forensics.ingest.streams import Decoded

LOOKED_AT = 64 << 20
"""Raw bytes of a large file that are tried."""

_PLACE = {"record_id", "file_id", "line", "byte_offset", "item", "format", "identity", "detail"}
"""Columns that every record has, or that are shown apart."""

_SEEN = 1 << 20


@dataclass
class Seen:
    """What a file looks like where no format knows it: what it is wrapped in, and its sampled lines by shape."""

    wrapping: tuple[str, ...] = ()
    lines: int = 0
    shapes: list[tuple[int, str]] = field(default_factory=list)
    keys: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Trial:
    """What was tried: the reports of ingest, and what the records hold. Times of local stamps are shown as if UTC."""

    files: list[FileReport] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    whole: bool = True
    kinds: list[tuple[str, str, str, int]] = field(default_factory=list)
    columns: list[tuple[str, int]] = field(default_factory=list)
    sides: list[tuple[str, str, int, int]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    seen: Seen | None = None


def trial(path: Path, *, wanted: str | None = None, site: Path | None = None, shown: int = 3) -> Trial:
    """Returns what the file at ``path`` yields, as format ``wanted`` (or as detected), with ``shown`` records.

    ``site`` is a folder of queries of one's own. Raises as ``ingest`` does.
    """
    with tempfile.TemporaryDirectory(prefix="forensics-try-") as scratch:
        case = Case.create(Path(scratch) / "case", _declarations(path))
        if site is not None:
            shutil.copytree(site, case.root / "queries")
        size = path.stat().st_size if path.is_file() else 0
        found = Trial(whole=size <= LOOKED_AT)
        if found.whole:
            report = ingest(case, [path], format=wanted)
        else:
            with path.open("rb") as handle:
                report = ingest(case, [STDIN], format=wanted, pipe=Pipe(_Head(handle), path.name))
        found.files = report.files
        found.problems = [
            str(problem) for problem in report.problems if found.whole or "ends early" not in problem.what
        ]
        if found.files:
            _fill(case, found, shown)
        elif path.is_file():
            found.seen = _look(path)
        return found


def _declarations(path: Path) -> str:
    """UTC for local stamps, and for dates without a year the one in which the file was last written."""
    year = datetime.fromtimestamp(path.stat().st_mtime, UTC).year if path.exists() else 1970
    return f'[[source]]\nfiles = "*"\nzone = "UTC"\nyear = {year}\n'


class _Head:
    """The first ``LOOKED_AT`` bytes of a file."""

    def __init__(self, handle: IO[bytes]) -> None:
        self._handle, self._left = handle, LOOKED_AT

    def read(self, size: int = -1) -> bytes:
        """Returns up to ``size`` bytes."""
        data = self._handle.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(data)
        return data


def _fill(case: Case, found: Trial, shown: int) -> None:
    con = connect(case)
    try:
        texts.attach(con, case)
        found.kinds = con.execute(
            "SELECT format, kind, coalesce(phase, ''), count(*) FROM record GROUP BY ALL ORDER BY 4 DESC, 1, 2, 3"
        ).fetchall()
        names = [name for name in RECORD if name not in _PLACE]
        counts = con.execute(f"SELECT {', '.join(f'count({name})' for name in names)} FROM record").fetchone()  # noqa: S608
        found.columns = [(name, count) for name, count in zip(names, counts or (), strict=True) if count]
        found.sides = con.execute(
            "SELECT side, field, count(*), sum(length(text))::BIGINT FROM text GROUP BY ALL ORDER BY 1 DESC, 2"
        ).fetchall()
        result = con.execute(
            "SELECT * FROM record WHERE kind <> 'note' ORDER BY file_id, byte_offset, item LIMIT $n", {"n": shown}
        )
        columns = [column[0] for column in result.description]
        rows = [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
    finally:
        con.close()
    found.records = [{name: value for name, value in row.items() if value is not None} for row in rows]
    found.templates = accounts(case).templates


def _look(path: Path) -> Seen:
    """Returns what the beginning of a file that is no log we know looks like."""
    stream = Decoded(path, path.name)
    head = b"".join(islice(stream, 1))[:_SEEN]
    names, found = envelopes.find(head, lambda _: 0)
    wrapping = (*([] if stream.compression == "none" else stream.compression.split("+")), *names)
    sample = [line.decode("utf-8", "replace") for line in found if line.strip()]
    counted = Counter(shape(text) for text in shapes_of(sample))
    keys: Counter[str] = Counter()
    context = Context("", "", opens=envelopes.opener(names))
    for line in islice(spread(lines([head], context), context), len(sample)):
        keys.update(_keys(line.data.decode("utf-8", "replace")))
    return Seen(
        wrapping, len(sample), [(n, text) for text, n in _most(counted)], [(n, key) for key, n in _most(keys, 24)]
    )


def _keys(text: str) -> list[str]:
    try:
        value = json.loads(text[text.find("{") :] if "\n" in text else text)
    except (ValueError, RecursionError):
        return []
    return [f"{key} ({type(each).__name__})" for key, each in value.items()] if isinstance(value, dict) else []


def _most(counted: Counter[str], count: int = 8) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:count]
