"""What establishes, excludes and leaves open each mechanism, on records alone."""

from pathlib import Path

import pytest

from forensics.link.run import link
from forensics.suspect.run import suspect
from tests.stages.builder import World, declared_workers, told, with_pools

WORKERS = declared_workers("prefill-0", "prefill-1", "decode-0", "decode-1")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return with_pools(tmp_path / "case", WORKERS)


def test_one_token_on_prefill_and_more_on_decode_is_affected(world: World) -> None:
    world.request("a", 10, 5_000, stub=True)
    world.request("b", 20, 300)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("affected", "mechanism_established", "over_pool")
    assert verdicts["d-a"]["over_pool"] == "answered"
    assert told(verdicts["d-b"]) == ("not_affected", "excluded_by_records", None)


def test_published_and_actual_predicate_differ_at_the_boundary(world: World) -> None:
    for tokens in (993, 994, 995, 1_000, 1_001):
        world.request(f"t{tokens}", tokens / 10, tokens, prefill_record=False)
    verdicts = world.verdicts()
    affected = {name for name, row in verdicts.items() if row["integrity"] == "affected"}
    assert affected == {"d-t994", "d-t995", "d-t1000", "d-t1001"}


def test_error_line_outranks_the_start_line(world: World) -> None:
    world.add("prefill-0", "reject", 5, rid="p-x", input_tokens=900, allowed_tokens=800)
    world.request("a", 10, 850, prefill_record=False)
    assert told(world.verdicts()["d-a"]) == ("affected", "mechanism_established", "over_pool")


def test_limits_belong_to_one_start(world: World) -> None:
    world.start("prefill-0", 8_000, at=100)
    world.request("early", 10, 5_000, prefill_record=False)
    world.request("late", 110, 5_000, prefill_record=False)
    verdicts = world.verdicts()
    assert verdicts["d-early"]["integrity"] == "affected"
    assert verdicts["d-late"]["integrity"] == "not_affected"


def test_between_the_limits_of_two_prefill_workers_is_undetermined(world: World) -> None:
    world.start("prefill-1", 3_000)
    world.request("a", 10, 2_000, prefill_record=False)
    assert told(world.verdicts()["d-a"]) == ("undetermined", "limits_unknown", "over_pool")


def test_no_limits_and_no_other_side_is_undetermined(tmp_path: Path) -> None:
    world = World(tmp_path / "case", WORKERS)
    world.request("a", 10, 5_000, prefill_record=False)
    assert told(world.verdicts()["d-a"]) == ("undetermined", "other_side_missing", "over_pool")


def test_declared_limits_only_make_it_possible(tmp_path: Path) -> None:
    declared = '[[model]]\nname = "m"\ncontext_tokens = 10000\npool_tokens = 1000\n'
    world = World(tmp_path / "case", WORKERS + declared)
    world.add("prefill-0", "start", 0, model="m", disaggregation="prefill")
    world.request("a", 10, 5_000, prefill_record=False)
    world.request("b", 20, 500, prefill_record=False)
    verdicts = world.verdicts()
    assert told(verdicts["d-a"]) == ("undetermined", "mechanism_possible", "over_pool")
    assert verdicts["d-a"]["grounds"] == "declared limits"
    assert verdicts["d-b"]["integrity"] == "not_affected"


def test_refused_on_both_sides_brings_nothing(world: World) -> None:
    world.request("a", 10, 5_000, stub=True, outcome="error", status=400, completion=0)
    row = world.verdicts()["d-a"]
    assert told(row) == ("not_affected", "no_response", None)
    assert row["over_pool"] == "refused"


def test_ended_before_a_byte(world: World) -> None:
    world.request("a", 10, 5_000, stub=True, outcome="error", status=408, completion=0)
    assert world.verdicts()["d-a"]["over_pool"] == "no_output"


def test_a_backend_that_is_not_disaggregated_is_excluded(tmp_path: Path) -> None:
    world = World(tmp_path / "case", WORKERS + '[[backend]]\nmodel = "m"\ndisaggregated = false\ndetectors = false\n')
    world.request("a", 10, 5_000, prefill_record=False, decode_record=False)
    assert told(world.verdicts()["d-a"]) == ("not_affected", "excluded_by_records", None)


def late_write(world: World, *, prefill_ends: float | None, reserved: float, decode: str = "decode-0") -> str:
    world.request("src", 10, 300, outcome="error", status=408, completion=0, seconds=5, prefill_ends=prefill_ends)
    world.request("next", reserved, 300, tenant="other", decode=decode)
    row = world.verdicts()["d-next"]
    return f"{row['integrity']} {row['integrity_reason']}"


@pytest.mark.parametrize(
    ("prefill_ends", "reserved", "decode", "expected"),
    [
        (None, 20, "decode-0", "undetermined mechanism_possible"),  # no end shown: within the horizon
        (None, 200, "decode-0", "not_affected excluded_by_records"),  # beyond the horizon
        (None, 20, "decode-1", "not_affected excluded_by_records"),  # another worker
        (2.0, 20, "decode-0", "not_affected excluded_by_records"),  # prefill had ended before the abort
        (30.0, 20, "decode-0", "undetermined mechanism_possible"),  # the transfer was still open
        (6.0, 20, "decode-0", "not_affected excluded_by_records"),  # it had ended before the pages were reserved
        (8.0, 20, "decode-0", "undetermined clock_uncertain"),  # so it seems, by two clocks known to a second each
    ],
)
def test_late_write_needs_an_open_transfer_on_the_same_worker(
    world: World, prefill_ends: float | None, reserved: float, decode: str, expected: str
) -> None:
    assert late_write(world, prefill_ends=prefill_ends, reserved=reserved, decode=decode) == expected


def test_a_broken_stream_had_its_first_token_so_its_transfer_was_over(world: World) -> None:
    world.request("src", 10, 300, outcome="aborted", completion=9, seconds=5, prefill_ends=None, first_token_ns=11)
    world.request("next", 16, 300, tenant="other")
    assert world.verdicts()["d-next"]["integrity"] == "not_affected"


def test_deferred_release_moves_the_window(world: World) -> None:
    world.request("src", 10, 300, outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    room = next(row["room"] for row in world.records if row.get("rid") == "d-src")
    world.add("decode-0", "release", 45, room=room)
    world.request("held", 20, 300, tenant="other")
    world.request("next", 60, 300, tenant="other")
    verdicts = world.verdicts()
    assert verdicts["d-held"]["integrity"] == "not_affected"
    assert told(verdicts["d-next"]) == ("undetermined", "mechanism_possible", "late_write")


def test_a_source_on_another_worker_or_before_the_start_is_no_candidate(world: World) -> None:
    world.request("before_start", 5, 300, tenant="t1")
    world.start("decode-0", 20_000, at=100)
    world.request("other_worker", 110, 300, tenant="t2", decode="decode-1")
    world.request("here", 120, 300, tenant="t3")
    world.request("later", 140, 300, tenant="t4")
    world.request("a", 130, 5_000, stub=True)
    con, case = world.connect()
    link(con, case)
    suspect(con, case)
    found = con.execute(
        "SELECT s.request_id FROM candidate AS c JOIN exchange AS x USING (exchange_id)"
        " JOIN exchange AS s ON s.exchange_id = c.source_exchange_id WHERE x.request_id = 'd-a' ORDER BY c.rank"
    ).fetchall()
    assert found == [("d-here",)]


def test_missing_decode_log_does_not_hide_what_the_gateway_and_limits_say(world: World) -> None:
    world.request("a", 10, 5_000, decode_record=False, stub=True, prefill_record=False)
    assert told(world.verdicts()["d-a"]) == ("affected", "mechanism_established", "over_pool")


def test_forged_room_is_ambiguous_never_guessed(world: World) -> None:
    world.request("a", 10, 5_000, stub=True)
    room = next(row["room"] for row in world.records if row.get("rid") == "d-a")
    world.add(
        "prefill-0",
        "engine",
        11,
        phase="whole",
        received_ns=11,
        rid="p-forged",
        room=room,
        role="prefill",
        prompt_tokens=5_000,
        completion_tokens=1,
    )
    con, case = world.connect()
    link(con, case)
    assert con.execute("SELECT count(*) FROM ambiguity WHERE what = 'room'").fetchone() != (0,)
