"""Documents over several lines: each one line, and not a byte of what stands between them is lost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensics.ingest.framing import spread as spreading
from forensics.ingest.framing.records import Context, lines
from forensics.ingest.framing.spread import spread

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=3)
PIECES = st.sampled_from([b"{", b"}", b"[", b"]", b'"', b"\\", b"\n", b"\n", b"a", b"1", b",", b": ", b"x {", b"\r\n"])


def taken(text: bytes) -> list[tuple[int, int, bytes]]:
    """Where each line begins that ``spread`` gives of ``text``, how long it is, and what it holds."""
    context = Context("x", "x")
    found = [(line.offset, line.length, line.data) for line in spread(lines([text], context), context)]
    assert context.oversized == []
    return found


@given(
    st.lists(DOCUMENTS, max_size=4),
    st.sampled_from(["", "\n", ",\n", "\n$ cat it | jq\n", "\n```\n\nand\n\n```json\n"]),
)
def test_each_document_is_one_line(documents: list[dict[str, object]], between: str) -> None:
    text = between.join(json.dumps(each, indent=2) for each in documents)
    found = [data for _, _, data in taken(text.encode()) if data.startswith(b"{")]
    assert [json.dumps(json.loads(data)) for data in found] == [json.dumps(each) for each in documents]


@given(st.lists(PIECES, max_size=40))
def test_no_byte_is_lost_or_told_twice(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    at = 0
    for offset, length, _ in taken(text):
        assert offset >= at
        assert not text[at:offset].strip(b" \t\r\n,;")
        at = offset + length
    assert at <= len(text)
    assert not text[at:].strip(b" \t\r\n,;")


@pytest.mark.parametrize(("bound", "most"), [("MAX_LINE", 30), ("_MOST_LINES", 4)])
def test_a_document_beyond_a_bound_is_a_reject_and_what_follows_is_read(
    bound: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreading, bound, most)
    context = Context("x", "x")
    long, short = json.dumps({"a": ["x" * 8] * 4}, indent=1), json.dumps({"b": 1}, indent=1)
    found = list(spread(lines([f"$ a\n{long}\n{short}\n".encode()], context), context))
    assert [line.data for line in found] == [b"$ a", short.encode()]
    assert [(each.line, each.offset, each.reason, each.length) for each in context.oversized] == [
        (2, 4, "document_too_long", len(long) + 1)
    ]


@given(st.lists(PIECES | st.just(b'{"a": 1,\n"b": [\n2]}\n'), max_size=30))
def test_a_run_can_go_on_wherever_the_context_says_so(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    context = Context("x", "x", by_line=True)
    found, marks = [], list[tuple[int, int]]()
    for line in spread(lines([text], context), context):
        found.append(line.data)
        if context.by_line and context.after is not None:
            marks.append((len(found), context.after[1]))
    for count, after in marks:
        again = Context("x", "x")
        assert [line.data for line in spread(lines([text[after:]], again), again)] == found[count:]
