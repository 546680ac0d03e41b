"""From records and texts to first uses: who had sent a beginning before, and how much of it came from a cache."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forensics.case.config import load_config
from forensics.errors import ForensicsError
from forensics.link.run import link
from forensics.timing.run import timing
from tests.stages.builder import World, declared_workers

WORKERS = declared_workers("prefill-0", "decode-0")
MANUAL = "".join(f"Section {n}: turn the lever {n} times to the left, then wait. " for n in range(200))
LETTER = "".join(f"Dear reader number {n}, the garden is open on day {n}. " for n in range(200))


class Asked:
    """Calls of several tenants, with texts; ``run`` takes them through link and timing."""

    def __init__(self, root: Path) -> None:
        self.world = World(root / "case", WORKERS)
        self.world.start("prefill-0", 100_000, context=200_000)
        self.world.start("decode-0", 100_000, context=200_000)
        self.texts: list[dict[str, Any]] = []

    def call(self, tenant: str, at: float, prompt: str, cached: int | None = 0, **more: Any) -> None:
        """One streamed call; its prompt has a token for every four characters."""
        number = len(self.world.records)
        self.texts.append({
            "file_id": "", "byte_offset": number, "item": 0, "side": "prompt", "part": 0, "message_index": 0,
            "role": "user", "field": "content", "fragment": more.pop("fragment", "whole"), "text": prompt,
        })  # fmt: skip
        record = {
            "phase": "whole", "received_ns": at, "first_token_ns": at + 0.5, "finished_ns": at + 2, "streamed": True,
            "response_id": f"r{number}", "call_id": f"c{number}", "model": "m", "prompt_tokens": len(prompt) // 4,
            "completion_tokens": 20, "cached_tokens": cached, "outcome": "ok", "http_status": 200, "response_chars": 4,
            "prompt_state": "complete", "prompt_chars": len(prompt), "identity": f'{{"tenant": "{tenant}"}}',
        }  # fmt: skip
        self.world.add("gateway", "client", at, **record | more)

    def run(self, *, metadata_only: bool = False) -> duckdb.DuckDBPyConnection:
        con, case = self.world.connect()
        folder = case.evidence / "e0"
        folder.mkdir(parents=True, exist_ok=True)
        rows = [row | {"file_id": self.world.workers["gateway"]} for row in self.texts]
        pq.write_table(pa.Table.from_pylist(rows), folder / "text.parquet")
        link(con, case)
        timing(con, case, metadata_only=metadata_only)
        return con


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


def classes(con: duckdb.DuckDBPyConnection, boundary: str = "tenants") -> list[tuple[str, str]]:
    return con.execute(
        "SELECT tenant, class FROM timing_class WHERE boundary = ? ORDER BY received_ns", [boundary]
    ).fetchall()


def isolation(con: duckdb.DuckDBPyConnection, boundary: str = "tenants") -> tuple[str, str]:
    row = con.execute("SELECT status, reason FROM isolation WHERE boundary = ?", [boundary]).fetchone()
    assert row is not None
    return row


LATER = 4_000.0  # beyond the first hour, so that what was cached before the logs began is forgotten


def test_new_repeated_and_first_after_others(asked: Asked) -> None:
    asked.call("acme", LATER, MANUAL + "one")
    asked.call("acme", LATER + 60, MANUAL + "two")
    asked.call("borealis", LATER + 90, MANUAL + "three")
    asked.call("borealis", LATER + 95, LETTER)
    asked.call("unrelated", 0, "x" * 1_200)
    found = classes(asked.run())
    assert found == [("acme", "cold"), ("acme", "warm"), ("borealis", "first"), ("borealis", "cold")]


def test_beginnings_read_in_parts_say_the_same(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forensics.timing.run.AT_ONCE", 1)
    asked.call("unrelated", 0, "x" * 1_200)
    asked.call("acme", LATER, MANUAL + "one")
    asked.call("borealis", LATER + 90, MANUAL + "three")
    assert classes(asked.run()) == [("acme", "cold"), ("borealis", "first")]


def test_more_cached_than_ever_sent_refutes_isolation(asked: Asked) -> None:
    asked.call("unrelated", 0, "x" * 1_200)
    asked.call("acme", LATER, MANUAL)
    asked.call("borealis", LATER + 60, MANUAL + "what now?", cached=2_000)
    con = asked.run()
    assert isolation(con) == ("refuted", "cached_tokens")
    assert con.execute("SELECT tenant, cached_tokens, sure FROM timing_excess").fetchall() == [
        ("borealis", 2_000, True)
    ]
    assert isolation(asked.run(metadata_only=True)) == ("refuted", "cached_tokens")


def test_own_history_and_own_answers_are_no_excess(asked: Asked) -> None:
    asked.call("unrelated", 0, "x" * 1_200)
    asked.call("acme", LATER, MANUAL, completion_tokens=900)
    asked.call("acme", LATER + 60, MANUAL + "y" * 3_600 + "and then?", cached=len(MANUAL) // 4 + 900)
    con = asked.run()
    assert con.execute("SELECT count(*) FROM timing_excess").fetchone() == (0,)


def test_what_was_cached_before_the_logs_begin_is_not_held_against_anybody(asked: Asked) -> None:
    asked.call("acme", 10, MANUAL)
    asked.call("borealis", 60, MANUAL + "what now?", cached=2_000)
    con = asked.run()
    assert con.execute("SELECT sure FROM timing_excess").fetchall() == [(False,)]
    assert isolation(con) == ("not_examined", "no_first_uses")


def test_an_own_prompt_without_text_leaves_first_uses_open(asked: Asked) -> None:
    asked.call("unrelated", 0, "x" * 1_200)
    asked.call("borealis", LATER - 30, "", prompt_state="absent", prompt_tokens=3_000)
    asked.call("acme", LATER, MANUAL)
    asked.call("borealis", LATER + 60, MANUAL)
    assert ("borealis", "first") not in classes(asked.run())


def test_a_cut_own_prompt_with_the_same_beginning_leaves_first_uses_open(asked: Asked) -> None:
    asked.call("unrelated", 0, "x" * 1_200)
    asked.call("acme", LATER, MANUAL)
    cut: dict[str, Any] = {
        "prompt_state": "truncated",
        "fragment": "head",
        "prompt_chars": 1_000,
        "prompt_tokens": 3_000,
    }
    asked.call("borealis", LATER + 30, MANUAL[:1_000], **cut)
    asked.call("borealis", LATER + 60, MANUAL)
    assert ("borealis", "first") not in classes(asked.run())


def test_users_and_organizations_are_boundaries_too(tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    asked.world.declarations += "".join(
        f'[[tenant]]\nname = "{name}"\norganization = "{of}"\n'
        for name, of in (("acme", "north"), ("borealis", "north"), ("cobalt", "south"))
    )
    asked.call("unrelated", 0, "x" * 1_200)
    for number, (tenant, user) in enumerate((("acme", "u1"), ("acme", "u2"), ("borealis", "u3"), ("cobalt", "u4"))):
        identity = f'{{"tenant": "{tenant}", "user": "{user}"}}'
        asked.call(tenant, LATER + 60 * number, MANUAL, identity=identity)
    con = asked.run()
    firsts = con.execute("SELECT boundary, tenant FROM timing_class WHERE class = 'first' ORDER BY ALL").fetchall()
    assert firsts == [("organizations", "cobalt"), ("tenants", "borealis"), ("users", "acme")]


def test_one_salt_of_two_tenants_is_seen(asked: Asked) -> None:
    for number, tenant in enumerate(("acme", "borealis")):
        asked.call(tenant, 60 * number, MANUAL, identity=f'{{"tenant": "{tenant}", "cache_salt": "same"}}')
    assert asked.run().execute("SELECT salted, salts, shared_salts FROM salt_use").fetchone() == (2, 1, 1)


@pytest.mark.parametrize(
    ("line", "what"),
    [("confidence = 1.0", "confidence"), ('users = ["user"]', "users"), ("cache_memory_s = 0", "memory")],
)
def test_declarations_are_checked(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "case.toml").write_text(f"[timing]\n{line}\n", encoding="utf-8")
    with pytest.raises(ForensicsError, match=what):
        load_config(tmp_path / "case.toml")
