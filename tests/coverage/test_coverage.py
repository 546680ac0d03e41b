"""What each log should hold, where it has holes, and what follows from them."""

from pathlib import Path
from typing import Any

import pytest

from forensics.link.run import link
from tests.stages.builder import SECOND, START, World, declared_workers, with_pools

WORKERS = declared_workers("prefill-0", "prefill-1", "decode-0", "decode-1")
HOUR = 3600


@pytest.fixture
def world(tmp_path: Path) -> World:
    return with_pools(tmp_path / "case", WORKERS)


def table(world: World, sql: str) -> list[tuple[Any, ...]]:
    con, case = world.connect()
    link(con, case)
    return con.execute(sql).fetchall()


def arrive(world: World, name: str, at: float, **more: Any) -> None:
    """A request whose arrival the decode worker's request log shows too."""
    world.request(name, at, 300, **more)
    room = str(int.from_bytes(name.encode(), "big") % 2**62 + 1)
    world.add(
        "decode-0", "engine", at + 0.02, phase="received", rid=f"d-{name}", room=room, role="decode", format="requests"
    )


def test_each_log_is_held_against_the_others(world: World) -> None:
    for number in range(6):
        world.request(f"r{number}", 10 + number, 300, client=number != 3, prefill_record=number != 4)
    found = table(world, "SELECT who, source, expected, present FROM coverage WHERE expected > present ORDER BY who")
    assert found == [("gateway", "client", 6, 5), ("prefill of m", "engine", 5, 4)]


def test_a_hole_reaches_from_the_last_request_before_to_the_first_after(world: World) -> None:
    for number in range(8):
        world.request(f"r{number}", 10 * (number + 1), 300, client=number not in (3, 4))
    found = table(world, "SELECT from_ns, to_ns, missing, reason FROM gap WHERE who = 'gateway'")
    # the engines' clocks are not corrected: their stamps differ from the gateway's by less than a second
    assert [(round((a - START) / SECOND), round((b - START) / SECOND), *rest) for a, b, *rest in found] == [
        (30, 60, 2, "client_record_missing")
    ]


def test_lines_lost_here_and_there_make_the_whole_hour_doubtful(world: World) -> None:
    for number in range(20):
        world.request(f"r{number}", 10 * (number + 1), 300, client=number not in (3, 11))
    found = table(world, "SELECT to_ns - from_ns FROM gap WHERE who = 'gateway' AND how LIKE '%here and there%'")
    assert (HOUR * SECOND,) in found


def test_a_sample_and_an_early_end_of_retention_are_told_apart(tmp_path: Path) -> None:
    made = World(tmp_path / "sample", WORKERS)
    for number in range(60):
        made.request(f"s{number}", 240 * number, 300, client=number % 3 == 0)
    assert table(made, "SELECT DISTINCT reason FROM gap WHERE who = 'gateway' AND how = 'other logs'") == [
        ("sampled_out",)
    ]
    made = World(tmp_path / "kept", WORKERS)
    for number in range(60):
        made.request(f"k{number}", 240 * number, 300, client=number >= 30)
    assert table(made, "SELECT DISTINCT reason FROM gap WHERE who = 'gateway' AND how = 'other logs'") == [
        ("retention_expired",)
    ]


def test_counters_tell_of_requests_that_no_record_is_left_of(world: World) -> None:
    world.request("a", 10, 300)
    for number in range(3):
        world.add(
            "decode-0",
            "access",
            11 + number,
            http_status=200,
            detail='{"method": "POST", "path": "/v1/chat/completions"}',
        )
    for number in range(4):
        world.add("prefill-0", "batch", 11 + number, detail='{"new_seq": 1, "new_token": 300}')
    world.add("prefill-0", "batch", 20, detail='{"new_seq": 1, "new_token": 8192}')  # may be a chunk
    world.add("gateway", "router", 10, phase="received", router_request_id="x1")
    world.add("gateway", "router", 11, phase="received", router_request_id="x2")
    found = table(
        world, "SELECT who, counted_by, expected, present FROM coverage WHERE source = 'requests' ORDER BY ALL"
    )
    assert found == [
        ("decode-0", "access lines", 3, 1),
        ("decode-0", "answered requests", 1, 1),
        ("gateway", "router requests", 2, 1),
        ("prefill-0", "prefill batches", 4, 1),
    ]


def test_silence_is_measured_by_a_workers_own_health_checks(world: World) -> None:
    for number in range(12):
        if number not in (6, 7):
            world.add("decode-0", "warmup", 20 * number, phase="finished", rid=f"HEALTH_CHECK_{number}")
    world.request("a", 5, 300)
    world.request("z", 219, 300)
    found = table(world, "SELECT (to_ns - from_ns) // 1000000000, regular FROM silence WHERE who = 'decode-0'")
    assert found == [(60, True)]


def test_an_abort_can_hide_only_where_both_logs_have_a_hole(tmp_path: Path) -> None:
    def reasons(name: str, *, client: bool, arrival: bool) -> set[object]:
        made = World(tmp_path / name, WORKERS)
        made.start("prefill-0", 1_000)
        made.start("decode-0", 20_000)
        for number in range(8):
            arrive(made, f"r{number}", 10 + 10 * number)
        made.request("lost", 45, 300, client=client, decode_record=True)
        if arrival:
            arrive(made, "lost2", 46)
        row = made.verdicts()["d-r4"]
        return {row["integrity"], row["integrity_reason"]}

    assert reasons("both", client=False, arrival=False) == {"undetermined", "engine_log_missing"}
    assert reasons("gateway", client=True, arrival=True) == {"not_affected", "excluded_by_records"}


def test_a_late_write_of_an_unknown_request_is_cleared_by_no_text(world: World) -> None:
    world.add("decode-0", "release", 45, room="77")
    world.request("next", 60, 300)
    row = world.verdicts(metadata_only=False)["d-next"]
    assert (row["integrity"], row["mechanism"]) == ("undetermined", "late_write")


def test_below_the_known_limits_excludes_nothing_where_a_prefill_worker_has_no_log(tmp_path: Path) -> None:
    def told(name: str, *, host: str, worker: bool) -> object:
        made = World(tmp_path / name, WORKERS)
        made.start("prefill-0", 8_000, worker_address="10.0.0.1:30000")
        if worker:
            made.start("prefill-1", 8_000, worker_address="10.0.0.2:30000")
        made.request("a", 10, 5_000, prefill_record=False)
        made.add("decode-0", "engine", 10, phase="received", rid="d-a", role="decode", bootstrap_host=host)
        row = made.verdicts()["d-a"]
        return row["integrity"], row["integrity_reason"]

    assert told("missing", host="10.0.0.2", worker=False) == ("undetermined", "other_side_missing")
    assert told("known", host="10.0.0.2", worker=True) == ("not_affected", "excluded_by_records")


def test_a_limit_from_before_a_silence_or_of_an_undated_snapshot_excludes_nothing(tmp_path: Path) -> None:
    silent = World(tmp_path / "silent", WORKERS)
    silent.start("prefill-0", 8_000)
    silent.add("prefill-0", "note", 2_000)
    silent.request("a", 2_010, 5_000, prefill_record=False)
    assert silent.verdicts()["d-a"]["integrity"] == "undetermined"
    undated = World(tmp_path / "undated", WORKERS)
    undated.add("prefill-0", "limits", 0, pool_tokens=8_000, context_tokens=9_000, disaggregation="prefill")
    undated.records[-1]["at_ns"] = None
    undated.request("a", 10, 5_000, prefill_record=False)
    assert undated.verdicts()["d-a"]["integrity"] == "undetermined"


def test_halves_that_disagree_on_their_tokens_do_not_exclude(world: World) -> None:
    world.request("a", 10, 5_000)
    for row in world.records:
        if row.get("rid") == "p-a":
            row["prompt_tokens"] = 400
    assert world.verdicts()["d-a"]["integrity"] == "affected"
