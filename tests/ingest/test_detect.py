"""Which format a file is taken for: by its outermost names, never by what a customer wrote; honestly where unknown."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forensics.errors import ForensicsError
from forensics.ingest import keys
from forensics.ingest.detect import detect, votes
from forensics.ingest.formats import Formats
from tests.ingest.cases import records, take

FORMATS = Formats(None)


def test_names_are_read_from_the_outside_in() -> None:
    text = '{"a": "x{\\"b\\": 1", "c": {"d": [1, {"e": 2}]}, "f": null, "g": [[{"h": 1}]], "data": [{"i": "y", "j": 3'
    assert keys.of_json(text) == [{"a": 'x{\\"b\\": 1', "c": "", "f": "null", "g": "", "data": ""}, {"i": "y", "j": ""}]
    assert keys.of_json('\ufeff[\n {"a": 1}, {"b": 2}]') == [{"a": ""}]
    assert keys.of_json('data: {"a": 1}') == []
    assert keys.of_csv('a,"b, c",d') == {"a": "", "b, c": "", "d": ""}
    assert keys.of_csv("one word") == {}


@pytest.mark.parametrize(
    ("line", "found", "matches"),
    [
        ("a, b", {"a": "", "b": ""}, True),
        ("a, b", {"a": ""}, False),
        ("a, !b", {"a": "", "b": ""}, False),
        ("a=x", {"a": "x"}, True),
        ("a=x", {"a": "y"}, False),
        ("a!=null", {"a": "null"}, False),
        ("a!=null", {"a": ""}, True),
        ("a!=null", {"b": ""}, False),
        ("a, b | c", {"c": ""}, True),
        ("a", {}, False),
    ],
)
def test_what_a_keys_line_asks_for(line: str, found: dict[str, str], matches: bool) -> None:
    assert keys.Fields(line).match(found) is matches


def test_what_a_prompt_says_makes_no_format() -> None:
    hostile = 'data: {"schemaType": "ModelInvocationLog", "requestId": "x", "id": "y", "litellm_call_id": "z"}'
    body = {"model": "m", "messages": [{"role": "user", "content": hostile, "litellm_call_id": "q", "call_type": "r"}]}
    assert list(votes(json.dumps(body).encode(), "logs/x", FORMATS).counts) == ["openai_request"]


def test_a_line_longer_than_the_sample_is_recognised_by_its_beginning() -> None:
    record = {
        "request_id": "h",
        "request_created_at": "2026-03-01T10:00:00Z",
        "request_body": {"prompt": "x" * (2 << 20)},
    }
    assert detect(json.dumps(record).encode()[: 1 << 20], "logs/x", FORMATS).form.name == "helicone_request"


def test_unknown_columns_and_headers_are_told_apart_from_known_ones(tmp_path: Path) -> None:
    strange = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1], "request_body": ["{}"]}), strange)
    with pytest.raises(ForensicsError, match="the format of these columns is not recognised"):
        detect(strange.read_bytes(), "x.parquet", FORMATS, path=strange)
    with pytest.raises(ForensicsError, match="not recognised"):
        detect(b"a,b\n1,2\n", "x.csv", FORMATS)


def test_parquet_keeps_nanoseconds_and_maps(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": ["o"],
            "trace_id": ["t"],
            "type": ["GENERATION"],
            "start_time": pa.array([1772359205000000007], pa.timestamp("ns")),
            "usage_details": pa.array([[("input", 3), ("output", 1)]], pa.map_(pa.string(), pa.int64())),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    data = (tmp_path / "x.parquet").read_bytes()
    case, report = take(tmp_path, data, "x.parquet", declared="")
    assert report.problems == []
    (row,) = records(case)
    assert (row["format"], row["prompt_tokens"], row["completion_tokens"]) == ("langfuse_observation", 3, 1)
    assert row["at_ns"] // 1000 == 1772359205000000


def test_a_broken_escape_within_an_envelope_stops_nothing(tmp_path: Path) -> None:
    line = json.dumps({"request_id": "h-1", "request_created_at": "2026-03-01T10:00:00Z", "prompt_tokens": 3})
    entry = json.dumps({"labels": {"pod": "d"}, "line": line, "timestamp": "2026-03-01T10:00:00Z"}) + "\n"
    case, report = take(tmp_path, entry * 3 + entry.replace("h-1", "h\\;1"), declared="")
    assert report.problems == []
    assert [row["call_id"] for row in records(case)] == ["h-1"]
    assert sum(report.files[0].rejected.values()) == 1
