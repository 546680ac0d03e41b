"""Damaged lines of every format: each is a record or a counted reject, never an error of the stage."""

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from forensics.ingest.detect import detect
from forensics.ingest.formats import Formats
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.records import Context, Frame, Reject
from forensics.ingest.project import Projector
from tests.cases.story import HERE
from tests.ingest.cases import rows, take

FORMATS = Formats(None)


class Sample(NamedTuple):
    """One file of a story: what it is taken for, and its text."""

    form: str
    framing: str
    label: str
    text: str


def _samples() -> Iterator[Sample]:
    """Yields one file of every format and framing that the stories hold."""
    seen = set()
    for path in sorted(HERE.glob("*/logs/**/*")):
        if not path.is_file() or path.name.endswith(".parquet.yml"):
            continue
        label = path.relative_to(HERE).as_posix()
        found = detect(path.read_bytes(), label, FORMATS)
        if (found.form.name, found.framing) not in seen:
            seen.add((found.form.name, found.framing))
            yield Sample(found.form.name, found.framing, label, path.read_text(encoding="utf-8"))


FILES = list(_samples())
SAMPLES = {each.form: each.text for each in reversed(FILES)}
"""By format, the text of the first file that is one."""

_SIGNS = [
    "",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\x00",
    "\n",
    "\r\n",
    "...",
    " ... ",
    "--",
    ";",
    "[]",
    "{}",
    "%s",
]
_WORDS = [
    "null",
    "NaN",
    "true",
    "-1",
    "1e400",
    "9" * 20,
    "0x",
    "$year",
    "\\ud800",
    "\ud800",
    "é",
    "\U0001f600",
    "\x1b[0m",
]
SPLINTERS = st.sampled_from([*_SIGNS, *_WORDS])
BLOW = st.tuples(st.integers(0, 100_000), st.integers(0, 40), SPLINTERS)


@lru_cache
def projector() -> Projector:
    return Projector(duckdb.connect(), FORMATS)


def damaged(sample: str, blows: list[tuple[int, int, str]]) -> str:
    for place, length, splinter in blows:
        at = place % (len(sample) + 1)
        sample = sample[:at] + splinter + sample[at + length :]
    return sample


def framed(sample: Sample, text: str) -> Iterator[Frame | Reject]:
    framer = FORMATS.get(sample.form).framer(sample.framing)
    for found in framer([text.encode("utf-8", "surrogatepass")], Context(sample.label, sample.form, 2026)):
        assert not isinstance(found, Block)
        yield found


@pytest.mark.parametrize("sample", FILES, ids=lambda each: each.label)
@settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(st.lists(st.lists(BLOW, min_size=1, max_size=4), min_size=30, max_size=40))
def test_damage_is_a_record_or_a_reject(sample: Sample, wounds: list[list[tuple[int, int, str]]]) -> None:
    files = []
    for blows in wounds:
        found = list(framed(sample, damaged(sample.text, blows)))
        files.append([each for each in found if isinstance(each, Frame)])
    for frames, results in zip(files, projector().project(files), strict=True):
        assert sum(each.records.num_rows + len(each.rejects) for each in results) == len(frames)


def test_one_value_that_stops_a_query_costs_one_record(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text(
        "SELECT byte_offset, item, 'note' AS kind, cast(raw ->> 'n' AS BIGINT) AS prompt_tokens FROM raw\n"
    )
    lines = [json.dumps({"n": n if n % 40 else "many"}) for n in range(200)]
    case, report = take(tmp_path, "\n".join(lines), form=str(query), declared="")
    assert report.problems == []
    assert report.files[0].rejected == {"unreadable_value": 5}
    assert [row["line"] for row in rows(case, "SELECT line FROM reject ORDER BY line")] == [1, 41, 81, 121, 161]


def test_a_query_that_stops_at_every_record_is_to_blame(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text("SELECT byte_offset, item, 'note' AS kind, cast(raw ->> 'n' AS DATE)::VARCHAR AS rid FROM raw\n")
    _, report = take(tmp_path, '{"n": "no date"}\n' * 300, form=str(query), declared="")
    (problem,) = report.problems
    assert "the query failed" in str(problem)
    assert "logs/x.log" in str(problem)


def test_years_beyond_nanoseconds_are_no_time(tmp_path: Path) -> None:
    line = SAMPLES["router_smg_json"]
    case, report = take(tmp_path, line + line.replace("2026-", "9026-"))
    assert report.files[0].rejected == {}
    found = [row["at_ns"] is None for row in rows(case, "SELECT at_ns FROM record ORDER BY line")]
    assert found == sorted(found)
    assert sum(found) * 2 == len(found)
