"""SGLang's request dumps are read as plain data; a hostile pickle runs nothing and ends in one line."""

import collections
import contextlib
import datetime as dt
import enum
import os
import pickle
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.ingest.wrappers.plainpickle import PickleError, Plain, load
from tests.ingest.cases import records, take, told


class Kind(enum.Enum):
    GENERATE = "generate"


@dataclass
class GenerateReqInput:
    """Stands for SGLang's class of that name, with some of its fields."""

    rid: str
    text: str | None = None
    input_ids: list[int] | None = None
    bootstrap_room: int | None = None
    stream: bool = True
    kind: Kind = Kind.GENERATE
    seen: set[int] = field(default_factory=lambda: {1})
    when: dt.datetime = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def dump(protocol: int = 4, **more: Any) -> bytes:
    obj = GenerateReqInput("r1", "whose text is this?", bootstrap_room=2**62 + 1)
    meta = {"id": "r1", "prompt_tokens": 7, "completion_tokens": 3, "finish_reason": {"type": "stop"}, "dp_rank": 2}
    out = {"text": "an answer \ud83d", "meta_info": meta}
    waiting = GenerateReqInput("r2", "not answered yet")
    requests = [(obj, out, 1772359205.5, 1772359206.25), (waiting, {}, 1772359207.5, None)]
    return pickle.dumps({"server_args": collections.OrderedDict(port=1), "requests": requests, **more}, protocol)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_request_dump_is_read_without_a_zone(tmp_path: Path, protocol: int) -> None:
    case, report = take(tmp_path, dump(protocol), "2026-03-01_10-00-00.pkl", declared="")
    assert report.problems == []
    assert report.files[0].compression == "pickle"
    first, second = records(case)
    assert (first["rid"], first["room"], first["prompt_tokens"], first["dp_rank"]) == ("r1", str(2**62 + 1), 7, 2)
    assert (first["received_ns"], first["finished_ns"]) == (1772359205500000000, 1772359206250000000)
    assert (second["rid"], second["phase"], second["at_ns"]) == ("r2", "received", 1772359207500000000)
    assert [row[-1] for row in told(case)] == ["whose text is this?", "an answer �", "not answered yet"]


class Evil:
    """Runs a command when a real unpickler reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


def test_nothing_that_a_pickle_names_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    data = dump(evil=Evil(mark), requests=[(Evil(mark), {"text": Evil(mark)}, Evil(mark), None)])
    _, report = take(tmp_path, data, "x.pkl", declared="")
    assert not mark.exists()
    assert report.exit_code in {0, 2}
    old = b"cposix\nsystem\n(S'touch " + os.fsencode(mark) + b"'\ntR."
    assert Plain(100).of(load(b"\x80\x02" + old)) == f"touch {mark}"
    assert not mark.exists()


def shared(levels: int) -> bytes:
    """A list that holds the list before it ten times, and so on."""
    value: list[Any] = ["x" * 100]
    for _ in range(levels):
        value = [value] * 10
    return pickle.dumps({"requests": value}, 4)


def itself() -> bytes:
    value: list[Any] = []
    value.append(value)
    return pickle.dumps({"requests": [(value, {"text": value}, 1.0, 2.0)]}, 4)


HOSTILE = {
    "nothing": b"\x80\x04",
    "another": pickle.dumps([1, 2, 3], 4),
    "memo": b"\x80\x02]r\xff\xff\xff\x7f.",
    "length": b"\x80\x04\x95" + b"\xff" * 8,
    "text": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 40) + b"x",
    "shared": shared(12),
    "string": pickle.dumps({"requests": [["x" * 100_000] * 5_000]}, 4),
    "deep": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    "number": pickle.dumps({"requests": [(1 << 200_000, {"text": "x"}, float("nan"), float("inf"))]}, 4),
    "persistent": b"\x80\x02}X\x08\x00\x00\x00requestsP1\ns.",
    "extension": b"\x80\x02}X\x08\x00\x00\x00requests\x82\x01s.",
    "marks": b"\x80\x02(((" + b"0" * 50 + b".",
    "setitem": b"\x80\x02]X\x01\x00\x00\x00aK\x01s.",
    "itself": itself(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_end_in_one_line(tmp_path: Path, name: str) -> None:
    _, report = take(tmp_path, HOSTILE[name], "x.pkl", declared="")
    for problem in report.problems:
        assert len(str(problem).splitlines()) == 1
        assert problem.where == "logs/x.pkl"
    if name in {"another", "memo", "shared", "string", "persistent", "extension"}:
        assert "plain data" in str(report.problems[0])
        assert "sandbox" in str(report.problems[0])


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 5000), st.binary(max_size=6), st.integers(0, 9))
def test_damaged_pickles(place: int, splinter: bytes, length: int) -> None:
    data = dump()
    at = place % len(data)
    with contextlib.suppress(PickleError):
        Plain(100_000).of(load(data[:at] + splinter + data[at + length :]))


LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=20)


@given(VALUES, st.integers(2, 5))
def test_plain_data_comes_back_as_it_was(value: object, protocol: int) -> None:
    assert Plain(100_000).of(load(pickle.dumps(value, protocol))) == value
