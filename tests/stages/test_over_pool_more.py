"""Over-pool beyond the plain case: ranks with pools of their own, prompts grown by images, ranges, versions, sizing."""

import json
from pathlib import Path
from typing import Any

import pytest

from forensics.case.database import select
from forensics.disclose.tables import prepare
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.resources import query
from forensics.suspect.run import suspect
from tests.stages.builder import NO_MATCHES, World, declared_workers, with_pools

WORKERS = declared_workers("prefill-0", "prefill-1", "decode-0")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return with_pools(tmp_path / "case", WORKERS)


def reported(world: World, name: str) -> list[dict[str, Any]]:
    """Returns the rows of a report's query over the judged world."""
    con, case = world.connect()
    link(con, case)
    suspect(con, case)
    con.execute(NO_MATCHES)
    judge(con, case, metadata_only=True)
    prepare(con, case)
    found = select(con, query(f"reports/{name}"))
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_ranks_with_pools_of_their_own_make_a_range(world: World) -> None:
    world.add(
        "prefill-0",
        "limits",
        1,
        pool_tokens=1_000,
        context_tokens=10_000,
        detail=json.dumps({"rank_pools": [1_000, 800, 1_000]}),
    )
    for tokens in (700, 850, 1_200):
        world.request(f"t{tokens}", tokens / 10, tokens, prefill_record=False)
    verdicts = world.verdicts()
    assert [verdicts[f"d-t{tokens}"]["integrity"] for tokens in (700, 850, 1_200)] == [
        "not_affected",
        "undetermined",
        "affected",
    ]


def test_an_unknown_prefill_worker_gives_certain_and_possible(world: World) -> None:
    world.start("prefill-1", 3_000)
    for tokens in (500, 2_000, 2_500, 4_000):
        world.request(f"t{tokens}", tokens / 10, tokens, prefill_record=False)
    assert reported(world, "over_pool_range") == [{"certain": 1, "possible_beyond": 2, "not_known": 0}]


def test_a_multimodal_reject_without_an_id_is_the_only_exchange_of_its_size(world: World) -> None:
    world.start("prefill-1", 3_000)
    world.add("prefill-0", "reject", 20.1, input_tokens=1_500, allowed_tokens=994)
    world.request("a", 20, 1_500, prefill_record=False)
    world.request("b", 60, 1_500, prefill_record=False)
    verdicts = world.verdicts()
    assert (verdicts["d-a"]["integrity"], verdicts["d-a"]["mechanism"]) == ("affected", "over_pool")
    assert verdicts["d-b"]["integrity"] == "undetermined"


def test_versions_are_told_and_move_no_verdict(world: World) -> None:
    world.add(
        "prefill-0", "limits", 1, pool_tokens=1_000, context_tokens=10_000, engine="sglang", engine_version="0.5.19"
    )
    world.add("decode-0", "start", 1, engine="sglang", engine_version="0.5.22.post1")
    told = {row["worker"]: row["over_pool"] for row in reported(world, "engine_version")}
    assert told == {
        "decode-0": "over-pool fixed, with its follow-ups",
        "prefill-0": "vulnerable to over-pool unless patched",
    }


def test_held_capacity_sizes_the_fix(world: World) -> None:
    world.add("decode-0", "start", 1, page_size=64)
    world.request("gone", 10, 640, outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    world.request("last", 107.95, 640, seconds=2.05)
    rows = {row["hold_seconds"]: row for row in reported(world, "held_capacity")}
    assert set(rows) == {30, 60, 120}
    assert (rows[60]["aborts"], rows[60]["pages_per_request"]) == (1, 10)
    assert rows[60]["held_tokens"] == 640 * 60 // 100
    assert rows[60]["pool_share_milli"] == 1000 * rows[60]["held_tokens"] // 20_000
