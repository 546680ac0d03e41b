"""Lines, offsets, repairs and bounds, before any query."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensics.ingest.framing import records as framing
from forensics.ingest.framing.clean import clean_json, dump
from forensics.ingest.framing.documents import stem
from forensics.ingest.framing.records import Context, lines


def context() -> Context:
    return Context("logs/x", "sglang_request_log")


@given(st.binary(max_size=200), st.integers(1, 40))
def test_lines_lie_where_they_say(data: bytes, size: int) -> None:
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    found = list(lines(chunks, context(), blanks=True))
    assert [line.number for line in found] == [data[: line.offset].count(b"\n") + 1 for line in found]
    assert b"\0" in data or len({line.number for line in found}) == len(found)
    for line in found:
        whole = data[line.offset : line.offset + line.length].replace(b"\0", b"")
        assert line.data in (whole, whole.removesuffix(b"\r"), whole.removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf"))
        assert line.ended == (b"\n" in data[line.offset + line.length :])


@given(st.lists(st.sampled_from([b"\0", b"\0\0", b"a", b"bc", b"\n", b"\r\n"]), max_size=20))
def test_nuls_are_holes_or_dropped_and_nothing_else_is_lost(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    found = list(lines([data], context()))
    assert b"".join(line.data for line in found) == data.translate(None, b"\0\r\n")
    for line in found:
        assert data[line.offset : line.offset + line.length].strip(b"\r").replace(b"\0", b"") == line.data


def test_a_line_beyond_the_bound_is_a_reject(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_LINE", 10)
    about = context()
    found = list(lines([b"short\n", b"x" * 8, b"y" * 8, b"\nlast"], about))
    assert [line.data for line in found] == [b"short", b"last"]
    assert [(reject.line, reject.offset, reject.reason, reject.length) for reject in about.oversized] == [
        (2, 6, "line_too_long", 16)
    ]


def test_lone_surrogates_are_replaced_and_counted() -> None:
    about = context()
    text = r'{"a":"\ud83d","b":"\ud83d\ude00","c":"\\ud83d","d":"\ude00\ud83d\ude00"}'
    assert json.loads(clean_json(text, about)) == {"a": "�", "b": "😀", "c": "\\ud83d", "d": "�😀"}
    assert about.counts == {"replaced_surrogates": 2}
    assert dump(["\ud83d", "😀"], about) == '["�","😀"]'


@given(st.text(st.characters(codec=None), max_size=30))
def test_cleaned_json_has_no_surrogates(value: str) -> None:
    cleaned = clean_json(json.dumps([value]), context())
    assert "�".join(json.loads(cleaned)) == "�".join(json.loads(cleaned.encode("utf-8")))


def test_non_finite_numbers_become_null() -> None:
    about = context()
    assert json.loads(clean_json('{"a": NaN, "b": [-Infinity, 1], "c": "NaN"}', about)) == {
        "a": None, "b": [None, 1], "c": "NaN",
    }  # fmt: skip
    assert about.counts == {"replaced_non_finite": 1}


def test_siblings_share_a_stem() -> None:
    assert {stem(f"d/07-x{end}") for end in (".sse", ".headers", ".request.json", ".sse.gz")} == {"d/07-x"}
