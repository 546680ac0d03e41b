"""The reader of Python's ``repr``: round trips, truncation, and that nothing makes it hang or break otherwise."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensics.ingest.framing.pyrepr import ReprError, read

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_reads_what_repr_writes(value: Any) -> None:
    assert read(repr(value)) == (value, len(repr(value)))


@given(st.text(), st.text())
def test_halves_of_a_string_keep_their_own_quotes(head: str, tail: str) -> None:
    text = f"f(text={head!r} ... {tail!r}, n=1)"
    assert read(text)[0] == {"text": {"head": head, "tail": tail}, "n": 1}


@given(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0, 9), min_size=1))
def test_halves_of_a_list(head: list[int], tail: list[int]) -> None:
    assert read(f"{head} ... {tail}")[0] == [*head, "...", *tail]


def test_objects_tuples_and_opaque_values() -> None:
    assert read("A(x=B(y=(1, 2)), z=<object at 0x7f>, e=Kind.ONE, s=set(), t=b'ab')")[0] == {
        "x": {"y": [1, 2]}, "z": "<object at 0x7f>", "e": "Kind.ONE", "s": [], "t": "ab",
    }  # fmt: skip


@given(plain, st.integers(0, 200), st.text(max_size=3))
def test_damage_is_a_value_or_an_error(value: Any, place: int, damage: str) -> None:
    text = repr(value)
    for broken in (text[:place], text[:place] + damage + text[place:]):
        try:
            result, end = read(broken)
        except (ReprError, RecursionError, ValueError):
            continue
        assert end <= len(broken)
        json.dumps(result)


def test_long_runs_end_soon() -> None:
    assert read("'" + "\\\\" * 200_000 + "'")[0] == "\\" * 200_000
    with pytest.raises(ReprError):
        read("'" + "\\'" * 200_000)
    with pytest.raises(ReprError):
        read("[" * 100_000)
