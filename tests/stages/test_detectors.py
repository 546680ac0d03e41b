"""Detectors' lines count wherever they appear and are joined to exchanges; their silence says little."""

import json
from pathlib import Path

import pytest

from tests.stages.builder import World, declared_workers, told

WORKERS = declared_workers("prefill-0", "decode-0", "decode-1")
CHECKSUM = "KV checksum mismatch req=d-a bootstrap_room={room} expected=0x1 got=0x2"
COLLISION = (
    "Context corruption detected: Request d-a (bootstrap_room={room}) received metadata from bootstrap_room={other}."
)
CANARY = "kv_canary violation: launch_tag=HEAD_K_FULL fail_reason=chain_hash slot_idx=17 position=42 stored_token=1"


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 1_000)
    made.start("decode-0", 20_000)
    made.start("decode-1", 20_000)
    return made


def room(world: World, name: str) -> str:
    return next(str(row["room"]) for row in world.records if row.get("rid") == f"d-{name}")


def line(world: World, text: str, at: float, **more: object) -> None:
    world.add("decode-0", "detector", at, error_text=text, **more)


def flags(world: World, *workers: str, **detail: object) -> None:
    for worker in workers:
        world.add(
            worker,
            "start",
            0,
            format="sglang_server_info",
            page_size=64,
            detail=json.dumps({"kv_cache_dtype": "auto"} | detail),
        )


def examined(row: dict[str, object], mechanism: str) -> str:
    return str(json.loads(str(row["examined"]))[mechanism])


def test_silence_of_a_detector_that_may_be_off_moves_no_verdict(world: World) -> None:
    world.request("a", 10, 300)
    row = world.verdicts()["d-a"]
    assert told(row) == ("not_affected", "excluded_by_records", None)
    assert {examined(row, name) for name in ("kv_checksum", "kv_canary", "metadata_collision")} == {"not_examined"}
    assert "checksum" not in str(row["scope"])


def test_a_failed_checksum_whose_request_was_answered_is_possible(world: World) -> None:
    world.request("a", 10, 300)
    world.request("b", 20, 300)
    line(world, CHECKSUM.format(room=room(world, "a")), 11, rid="d-a", room=room(world, "a"))
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("undetermined", "mechanism_possible", "kv_checksum")
    assert verdicts["d-b"]["integrity"] == "not_affected"


def test_silence_counts_where_both_engines_show_the_flag(world: World) -> None:
    flags(world, "prefill-0", "decode-0", kv_checksum=True)
    flags(world, "decode-1", kv_checksum=False)
    world.request("a", 10, 300)
    world.request("b", 20, 300, decode="decode-1")
    verdicts = world.verdicts()
    assert examined(verdicts["d-a"], "kv_checksum") == "excluded"
    assert "kv-checksum" in str(verdicts["d-a"]["scope"])
    assert examined(verdicts["d-b"], "kv_checksum") == "not_examined"


def test_a_collision_names_both_rooms(world: World) -> None:
    world.request("a", 10, 300)
    world.request("b", 9, 300, tenant="other")
    mine, other = room(world, "a"), room(world, "b")
    line(
        world,
        COLLISION.format(room=mine, other=other),
        11,
        rid="d-a",
        room=mine,
        detail=json.dumps({"other_room": other}),
    )
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("affected", "mechanism_established", "metadata_collision")
    assert told(verdicts["d-b"]) == ("undetermined", "mechanism_possible", "metadata_collision")


def test_a_canary_names_who_was_there(world: World) -> None:
    world.request("a", 10, 300, seconds=10)
    world.request("b", 40, 300, seconds=10)
    world.request("c", 42, 300, seconds=10, tenant="other")
    world.request("small", 43, 10, completion=5, seconds=8)
    line(world, CANARY, 15)
    line(world, CANARY, 46)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("affected", "mechanism_established", "page_lifetime")
    assert told(verdicts["d-b"]) == told(verdicts["d-c"]) == ("undetermined", "mechanism_possible", "page_lifetime")
    assert verdicts["d-small"]["integrity"] == "not_affected"


def test_a_canary_alone_is_named_where_a_transfer_may_be_to_blame(world: World) -> None:
    world.request("a", 10, 300, seconds=10, prefill_record=False)
    line(world, CANARY, 15)
    assert told(world.verdicts()["d-a"]) == ("affected", "mechanism_established", "kv_canary")


def test_a_cause_is_named_before_what_detects_it(world: World) -> None:
    world.request("a", 10, 5_000, stub=True)
    line(world, CANARY, 11)
    assert told(world.verdicts()["d-a"]) == ("affected", "mechanism_established", "over_pool")
