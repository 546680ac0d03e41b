"""What an engine's own line would have told is unknown where its log is not held, and nobody reads clean by that."""

import json
from pathlib import Path

import pytest

from forensics.link.run import link
from forensics.suspect.run import suspect
from tests.stages.builder import World, declared_workers, told

WORKERS = declared_workers("prefill-0", "decode-0", "decode-1")
MISSING = ("undetermined", "engine_log_missing", None)
CLEAN = ("not_affected", "excluded_by_records", None)
BY_LINES = ("kv_checksum", "kv_canary", "metadata_collision", "page_lifetime", "transfer_mismatch")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 1_000)
    made.start("decode-0", 20_000)
    return made


def status(row: dict[str, object], *names: str) -> set[str]:
    return {json.loads(str(row["examined"]))[name] for name in names}


def request_log_only(world: World, worker: str) -> None:
    """Keeps of what ``worker`` told only what its request log holds."""
    for row in world.records:
        if row["worker"] == worker:
            row["format"] = "sglang_request_log"


def shown(world: World, worker: str, **detail: object) -> None:
    world.add(worker, "start", 0, format="sglang_server_info", page_size=64, detail=json.dumps(detail))


def test_a_whole_log_without_a_line_moves_no_verdict(world: World) -> None:
    world.request("a", 10, 300)
    assert told(world.verdicts()["d-a"]) == CLEAN


def test_requests_known_from_another_log_do_not_tell_what_the_engine_printed(world: World) -> None:
    world.request("a", 10, 300)
    request_log_only(world, "decode-0")
    row = world.verdicts()["d-a"]
    assert told(row) == MISSING
    assert status(row, *BY_LINES) == {"unrecorded"}
    assert status(row, "over_pool", "late_write") == {"excluded"}


def test_a_gateway_alone_cannot_say_that_an_engine_printed_nothing(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.request("a", 10, 300, prefill_record=False, decode_record=False)
    assert status(made.verdicts()["d-a"], "kv_canary", "page_lifetime") == {"unrecorded"}


def test_an_answer_that_no_engine_knows_may_have_stood_where_lines_are_lost(world: World) -> None:
    world.request("a", 10, 300)
    world.request("lost", 20, 300, prefill_record=False, decode_record=False)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == CLEAN
    assert told(verdicts["d-lost"]) == MISSING


def test_a_silent_log_tells_nothing_while_it_is_silent(world: World) -> None:
    for number in range(3):
        world.request(f"a{number}", 10 + 50 * number, 300)
        world.request(f"c{number}", 2_000 + number, 300)
    world.request("b", 1_000, 300)
    for row in world.records:
        if row["worker"] == "decode-0" and row.get("rid") == "d-b":
            row["format"] = "sglang_request_log"
    verdicts = world.verdicts()
    assert status(verdicts["d-b"], *BY_LINES) == {"unrecorded"}
    assert not status(verdicts["d-a0"], *BY_LINES) & {"unrecorded"}


def test_a_detector_that_is_shown_off_wrote_nothing(world: World) -> None:
    world.request("a", 10, 300)
    request_log_only(world, "decode-0")
    for worker in ("prefill-0", "decode-0"):
        shown(world, worker, kv_checksum=False, kv_canary=None)
    row = world.verdicts()["d-a"]
    assert status(row, "kv_checksum", "kv_canary", "page_lifetime") == {"not_examined"}
    assert status(row, "metadata_collision", "transfer_mismatch") == {"unrecorded"}


def test_a_backend_declared_without_detectors_misses_none(tmp_path: Path) -> None:
    off = '[[backend]]\nmodel = "m"\ndisaggregated = false\ndetectors = false\n'
    made = World(tmp_path / "case", WORKERS + off)
    made.request("a", 10, 300, prefill_record=False, decode_record=False)
    assert told(made.verdicts()["d-a"]) == CLEAN


def test_an_answer_of_the_gateways_own_cache_ran_nowhere(world: World) -> None:
    kept = {"cache_key": "0123"}
    world.request("a", 10, 300, detail=json.dumps(kept))
    replayed = json.dumps(kept | {"cache_hit": True})
    world.request("again", 20, 300, prefill_record=False, decode_record=False, detail=replayed)
    assert told(world.verdicts()["d-again"]) == CLEAN


def test_a_replay_of_an_answer_that_no_record_shows_may_be_anybodys(world: World) -> None:
    world.request("a", 10, 300)
    replayed = json.dumps({"cache_key": "0123", "cache_hit": True})
    world.request("again", 20, 300, prefill_record=False, decode_record=False, detail=replayed)
    assert told(world.verdicts()["d-again"]) == ("undetermined", "client_record_missing", "gateway_mixup")


def test_nobody_is_a_suspect_for_want_of_a_log(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS + '[[model]]\nname = "m"\ncontext_tokens = 10000\npool_tokens = 5000\n')
    for name in ("a", "b"):
        made.request(name, 10, 300, tenant=name, prefill_record=False, decode_record=False)
    con, case = made.connect()
    link(con, case)
    suspect(con, case)
    assert con.execute("SELECT count(*) FROM candidate").fetchone() == (0,)
    assert told(made.verdicts()["d-a"]) == MISSING
