"""Transfers that brought less than was reserved, and gateways that answered from what they had kept."""

import json
from pathlib import Path

import pytest

from tests.stages.builder import World, declared_workers, told, with_pools

WORKERS = declared_workers("prefill-0", "decode-0")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return with_pools(tmp_path / "case", WORKERS)


def status(row: dict[str, object], mechanism: str) -> str:
    return str(json.loads(str(row["examined"]))[mechanism])


def prefill(world: World, name: str) -> dict[str, object]:
    return next(row for row in world.records if row.get("rid") == f"p-{name}")


def test_fewer_tokens_on_prefill_than_decode_reserved(world: World) -> None:
    world.request("a", 10, 600)
    prefill(world, "a")["prompt_tokens"] = 400
    world.request("b", 20, 600)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("affected", "mechanism_established", "transfer_mismatch")
    assert status(verdicts["d-b"], "transfer_mismatch") == "excluded"


def test_one_side_alone_moves_no_verdict(world: World) -> None:
    world.request("a", 10, 600, prefill_record=False)
    row = world.verdicts()["d-a"]
    assert (row["integrity"], status(row, "transfer_mismatch")) == ("not_affected", "not_examined")


def test_a_failed_transfer_that_was_answered_is_possible(world: World) -> None:
    world.request("a", 10, 600)
    world.request("b", 20, 600, outcome="error", status=500, completion=0)
    for name, at in (("a", 10.5), ("b", 20.5)):
        world.add("prefill-0", "transfer", at, rid=f"p-{name}", room=prefill(world, name)["room"], outcome="error")
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("undetermined", "mechanism_possible", "transfer_mismatch")
    assert verdicts["d-b"]["integrity"] == "not_affected"


def test_pages_that_prefill_let_expire(world: World) -> None:
    world.request("a", 10, 600)
    world.request("b", 20, 600)
    said = "Potentially invalid KV blocks for unrecognized request d-a-a2f0e657 were retrieved by a decode worker."
    world.add("prefill-0", "detector", 11, rid="d-a-a2f0e657", error_text=said)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("undetermined", "mechanism_possible", "transfer_mismatch")
    assert verdicts["d-b"]["integrity"] == "not_affected"


def test_fewer_bytes_than_the_worker_takes_for_so_many_tokens(world: World) -> None:
    for number in range(6):
        world.request(f"r{number}", 10 + 5 * number, 600)
        moved = 14.4 if number else 3.1
        prefill(world, f"r{number}")["detail"] = json.dumps({"transfer_total_mb": str(moved)})
    verdicts = world.verdicts()
    assert told(verdicts["d-r0"]) == ("undetermined", "mechanism_possible", "transfer_mismatch")
    assert {verdicts[f"d-r{number}"]["integrity"] for number in range(1, 6)} == {"not_affected"}


def call(world: World, name: str, at: float, tenant: str, **more: object) -> None:
    world.request(name, at, 300, tenant=tenant, prefill_record=False, decode_record=False, **more)  # type: ignore[arg-type]


def replay(**more: object) -> str:
    return json.dumps({"cache_hit": True, "cache_key": "k1", "engine_called": False, **more})


@pytest.mark.parametrize(
    ("tenant", "asked", "expected"),
    [
        ("globex", "other", ("affected", "mechanism_established", "gateway_mixup")),
        ("globex", "same", ("undetermined", "mechanism_possible", "gateway_mixup")),
        ("acme", "other", ("not_affected", "excluded_by_records", None)),
    ],
)
def test_a_cached_answer_of_another_tenant(
    world: World, tenant: str, asked: str, expected: tuple[object, object, object]
) -> None:
    call(world, "a", 10, "acme", prompt_hash="same", detail=json.dumps({"cache_key": "k1"}))
    call(world, "b", 60, tenant, prompt_hash=asked, detail=replay(replayed_response_id="d-a"))
    assert told(world.verdicts()["d-b"]) == expected


def test_a_collision_is_found_by_the_key_alone(world: World) -> None:
    call(world, "a", 10, "acme", prompt_hash="one", detail=json.dumps({"cache_key": "k1"}))
    call(world, "b", 60, "globex", prompt_hash="two", detail=replay())
    assert told(world.verdicts()["d-b"]) == ("affected", "mechanism_established", "gateway_mixup")


def test_a_session_of_two_tenants_is_suspicious_one_of_many_is_a_name(world: World) -> None:
    for number, tenant in enumerate(("acme", "globex", "acme", "globex", "initech", "umbrella")):
        call(world, f"c{number}", 10 + 5 * number, tenant)
        session = "s-1" if number < 2 else "default"
        world.records[-1]["identity"] = json.dumps({"tenant": tenant, "session_id": session})
    verdicts = world.verdicts()
    assert told(verdicts["d-c1"]) == ("undetermined", "mechanism_possible", "gateway_mixup")
    assert {verdicts[f"d-c{number}"]["integrity"] for number in (0, 2, 3, 4, 5)} == {"not_affected"}


def test_one_stream_with_the_answers_of_two_tenants(world: World) -> None:
    for name, at, tenant in (("a", 10, "acme"), ("b", 11, "globex"), ("c", 100, "globex")):
        call(world, name, at, tenant)
        world.add(
            "gateway-sse" if name != "c" else "gateway", "client", at, format="sse_stream", response_id=f"d-{name}"
        )
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == told(verdicts["d-b"]) == ("undetermined", "mechanism_possible", "gateway_mixup")
    assert verdicts["d-c"]["integrity"] == "not_affected"
