"""Many lines framed at once are the same records as one by one, wherever the chunks end, with the same hashes."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensics.ingest import digest
from forensics.ingest.framing import FRAMERS, IN_BLOCKS
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.records import Context, Frame, Reject

PLAIN = [b'{"id": "%d", "messages": [{"role": "user", "content": "x"}]}' % number for number in range(3)]
ODD = [
    b"", b" ", b"{}", b"[1]", b'"x"', b"starting up", b'INFO {"id": "prefixed", "a": 1}', b'{"id": "cut", "a": "b',
    b'{"id": "crlf", "a": 1}\r', b'{"id": "nul", "a": 1}\x00\x00\x00', b'{"id": "lone \\ud83d", "a": 1}',
    b'{"id": "pair \\ud83d\\ude00", "a": 1}', b'{"id": "number", "a": NaN}', b'{"id": "number", "a": -Infinity}',
    b'{"id": "answer", "a": 1}root@host:/# tail -f x.log', b'{"id": "torn", "a": {}, "b', b'{"id": "blank"} ',
    b'{"id": "bytes \xff\xfe", "a": 1}', '{"id": "größe 😀", "a": 1}'.encode(),
]  # fmt: skip


def told(framing: str, data: bytes, size: int, *, blocks: bool) -> tuple[list[Any], Context, int]:
    """Returns the records one by one, what framing knew in the end, and how many were given at once."""
    context = Context("logs/x", "litellm_payload", blocks=blocks)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    found: list[Frame | Reject] = []
    at_once = 0
    for each in FRAMERS[framing](chunks, context):
        if isinstance(each, Block):
            found += each.frames()
            at_once += each.table.num_rows
            assert each.table["length"].to_pylist() == [len(text) for text in each.table["raw"].to_pylist()]
            last = found[-1]
            assert isinstance(last, Frame)
            assert context.after == (last.line + 1, last.offset + len(last.raw.encode()) + 1)
        else:
            found.append(each)
    return found, context, at_once


@pytest.mark.parametrize("framing", sorted(IN_BLOCKS))
@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([*PLAIN, *PLAIN, *ODD]), max_size=30), st.integers(20, 400), st.booleans())
def test_blocks_are_the_same_records(framing: str, lines: list[bytes], size: int, ended: bool) -> None:
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    found, context, _ = told(framing, data, size, blocks=True)
    wanted, known, at_once = told(framing, data, size, blocks=False)
    assert at_once == 0
    assert found == wanted
    assert (context.counts, context.cut, context.oversized) == (known.counts, known.cut, known.oversized)


@pytest.mark.parametrize("framing", sorted(IN_BLOCKS))
def test_plain_lines_are_given_at_once(framing: str) -> None:
    found, _, at_once = told(framing, b"\n".join(PLAIN * 100) + b"\n", 4096, blocks=True)
    assert len(found) == 300
    assert at_once >= 290


def test_a_line_longer_than_many_chunks_is_one_record() -> None:
    data = b"\n".join([PLAIN[0], PLAIN[1], b'{"id": "%s"}' % (b"x" * 5000), PLAIN[2]]) + b"\n"
    found, _, _ = told("json", data, 100, blocks=True)
    assert [each.line for each in found] == [1, 2, 3, 4]
    assert len(found[2].raw) == 5010


def spelled(parts: list[dict[str, Any]] | None) -> str | None:
    """Returns the hash of a prompt by the words of ``prompt_hash_of.sql``."""
    spoken = [part for part in parts or [] if part["field"] in ("content", "tool_result")]
    text = ""
    for place, part in enumerate(spoken):
        if not place or spoken[place - 1]["message_index"] != part["message_index"]:
            text += f"\x1e{part['message_index']}\x1f{part['role'] or ''}\x1f"
        text += part["text"]
    return hashlib.sha256(text.encode()).hexdigest() if spoken else None


PART = st.fixed_dictionaries(
    {
        "message_index": st.integers(0, 3),
        "role": st.sampled_from(["user", "tool", None]),
        "field": st.sampled_from(["content", "tool_result", "reasoning", "text"]),
        "fragment": st.just("whole"),
        "text": st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    }
)


@pytest.fixture(scope="module")
def hashed() -> Iterator[Callable[[list[Any]], list[Any]]]:
    """Hashes lists of parts as ingest does."""
    con = duckdb.connect()
    digest.register(con)
    digest.register(con.cursor())
    part = pa.struct(
        {name: pa.string() for name in ("role", "field", "fragment", "text")} | {"message_index": pa.int64()}
    )

    def ask(lists: list[Any]) -> list[Any]:
        con.register("given", pa.table({"place": range(len(lists)), "parts": pa.array(lists, pa.list_(part))}))
        rows = con.execute("SELECT sha256_of_messages(parts) FROM given ORDER BY place").fetchall()
        return [row[0] for row in rows]

    yield ask
    con.close()


@settings(max_examples=25, deadline=None)
@given(lists=st.lists(st.none() | st.lists(PART, max_size=5), min_size=1, max_size=8))
def test_equal_messages_have_the_hash_that_is_described(hashed: Any, lists: list[Any]) -> None:
    assert hashed(lists) == [spelled(each) for each in lists]


def test_records_of_a_block_are_json() -> None:
    found, _, _ = told("json lines", b"\n".join(PLAIN * 3) + b"\n", 10_000, blocks=True)
    assert [json.loads(each.raw)["id"] for each in found] == ["0", "1", "2"] * 3
