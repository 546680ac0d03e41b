"""Signs of use: found where a tenant looks for the limit and makes use of it, none in quiet worlds."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forensics.judge.run import judge
from forensics.link.run import link
from forensics.signs.run import SignReport, signs
from forensics.suspect.run import suspect
from tests.stages.builder import NO_MATCHES, World, declared_workers

WORKERS = declared_workers("prefill-0", "decode-0")
LIMIT = 994  # of a pool of 1,000


class Asked:
    """A world whose gateway names keys and keeps prompts."""

    def __init__(self, root: Path, declarations: str = "") -> None:
        self.world = World(root / "case", WORKERS + declarations)
        self.world.start("prefill-0", 1_000)
        self.world.start("decode-0", 20_000)
        self.prompts: dict[str, str] = {}

    def call(self, name: str, at: float, tokens: int, tenant: str = "eve", prompt: str = "") -> None:
        self.world.request(name, at, tokens, tenant=tenant, stub=tokens >= LIMIT)
        record = next(row for row in self.world.records if row.get("response_id") == f"d-{name}")
        record["identity"] = json.dumps({"tenant": tenant, "key_alias": f"{tenant}-key"})
        if prompt:
            record |= {"prompt_hash": f"hash of {prompt}", "prompt_chars": len(prompt)}
            self.prompts[f"d-{name}"] = prompt

    def quiet(self, number: int = 40) -> None:
        """Ordinary calls of three tenants, far below the limit."""
        for n in range(number):
            self.call(f"q{n}", 1_000 + 7 * n, 100 + (n * 37) % 400, tenant=("acme", "borealis", "cobalt")[n % 3])

    def run(self, *, metadata_only: bool = False) -> tuple[duckdb.DuckDBPyConnection, SignReport]:
        con, case = self.world.connect()
        rows: list[dict[str, Any]] = [
            {"file_id": self.world.workers["gateway"], "byte_offset": n, "item": 0, "side": "prompt", "part": 0,
             "message_index": 0, "role": "user", "field": "content", "fragment": "whole",
             "text": self.prompts[str(record["response_id"])]}
            for n, record in enumerate(self.world.records) if record.get("response_id") in self.prompts
        ]  # fmt: skip
        if rows:
            (case.evidence / "e0").mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows), case.evidence / "e0" / "text.parquet")
        link(con, case)
        suspect(con, case)
        con.execute(NO_MATCHES)
        judge(con, case, metadata_only=True)
        return con, signs(con, case, metadata_only=metadata_only)


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


def found(con: duckdb.DuckDBPyConnection, sign: str) -> list[tuple[str, str, int]]:
    return con.execute("SELECT tenant, key, requests FROM sign WHERE sign = ? ORDER BY ALL", [sign]).fetchall()


def test_a_tenant_that_looks_for_the_limit_and_uses_it(asked: Asked) -> None:
    asked.quiet()
    for n, tokens in enumerate((1_200, 860, 1_080, 940, 1_010, 985)):
        asked.call(f"probe{n}", 2_000 + 30 * n, tokens)
    filler = "the same line again, as long as it takes to be too long. " * 400
    for n in range(4):
        asked.call(f"harvest{n}", 3_000 + 30 * n, 1_100, prompt=filler)
    con, _ = asked.run()
    assert found(con, "over_pool") == [("eve", "eve-key", 7)]
    assert found(con, "closing_in")[0][:2] == ("eve", "eve-key")
    assert found(con, "repeats") == [("eve", "eve-key", 4)]
    assert found(con, "padding") == [("eve", "eve-key", 4)]
    assert found(con, "concentration") == [("eve", "eve-key", 7)]
    detail = con.execute("SELECT detail FROM sign WHERE sign = 'closing_in'").fetchone()
    assert detail is not None
    assert "1200, 860, 1080, 940, 1010, 985" in detail[0]


def test_a_quiet_world_is_said_to_have_been_looked_over(asked: Asked) -> None:
    asked.quiet()
    con, report = asked.run()
    assert con.execute("SELECT count(*) FROM sign").fetchone() == (0,)
    assert {sign for sign, *_ in report.searches} == {
        "after_report", "closing_in", "concentration", "over_pool", "padding", "repeats",
    }  # fmt: skip
    row = con.execute(
        "SELECT status, exchanges, usable, files, first_ns < last_ns FROM sign_search WHERE sign = 'over_pool'"
    ).fetchone()
    assert row == ("looked", 40, 40, 3, True)


def test_long_documents_of_an_ordinary_tenant_are_no_search(asked: Asked) -> None:
    asked.quiet()
    for n, tokens in enumerate((1_700, 2_400, 1_100, 2_000)):
        asked.call(
            f"long{n}",
            2_000 + 60 * n,
            tokens,
            "acme",
            "".join(f"Clause {n}.{k}: the lessee pays. " for k in range(300)),
        )
    con, _ = asked.run()
    assert found(con, "over_pool") == [("acme", "acme-key", 4)]
    assert not [row for sign in ("closing_in", "repeats", "padding") for row in found(con, sign)]


def test_what_cannot_be_looked_for_is_said(asked: Asked) -> None:
    asked.quiet(6)
    _, report = asked.run(metadata_only=True)
    why = {sign: missing for sign, status, missing, _ in report.searches if status == "not_looked"}
    assert why == {
        "after_report": "no public_report under [signs] in case.toml",
        "padding": "texts were not read (--metadata-only)",
    }


def test_after_the_public_report_and_researchers_marked(tmp_path: Path) -> None:
    declared = "[signs]\npublic_report = 2026-08-29T11:30:00Z\n" + '[[tenant]]\nname = "erin"\nclass = "researcher"\n'
    asked = Asked(tmp_path, declared)  # 3,000 s after the builder's start
    asked.quiet()
    asked.call("early", 2_000, 1_200, "acme")
    asked.call("late", 5_000, 1_200, "acme")
    for n in range(3):
        asked.call(f"e{n}", 4_000 + 60 * n, 1_300 + n, "erin")
    con, _ = asked.run()
    assert found(con, "after_report") == [("erin", "erin-key", 3)]
    marked = con.execute("SELECT of_researchers FROM sign_search WHERE sign = 'after_report'").fetchone()
    assert marked == (1,)
