"""A clock that is off changes nothing where pairs of records tell by how much; what is closer is not decided."""

import json
from pathlib import Path

import pytest

from forensics.link.run import link
from tests.stages.builder import SECOND, World, declared_workers

WORKERS = declared_workers("prefill-0", "decode-0")


def shifted(world: World, worker: str, seconds: float) -> World:
    """Puts the clock of ``worker`` forward by ``seconds``: all stamps of its log, those in its records too."""
    for row in world.records:
        if row["worker"] == worker:
            for name in ("at_ns", "received_ns", "first_token_ns", "finished_ns"):
                if row.get(name) is not None:
                    row[name] = int(str(row[name])) + int(seconds * SECOND)
    return world


def story(root: Path) -> World:
    """Ten exchanges that fix the clocks, one that is aborted, one right after, and one well after the window."""
    made = World(root, WORKERS)
    made.start("prefill-0", 1_000)
    made.start("decode-0", 20_000)
    for number in range(10):
        made.request(f"r{number}", 5 * number, 300, tenant=f"t{number}")
    made.request("over", 55, 5_000, stub=True)
    made.request("gone", 60, 300, outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    made.request("next", 70, 300, tenant="other")
    made.request("later", 300, 300, tenant="other")
    return made


@pytest.mark.parametrize("skew", [-40.0, 3.0])
def test_a_skew_is_measured_and_changes_no_verdict(skew: float, tmp_path: Path) -> None:
    as_it_is = story(tmp_path / "as-it-is").verdicts()
    world = shifted(story(tmp_path / "shifted"), "decode-0", skew)
    con, case = world.connect()
    link(con, case)
    low, high, margin = con.execute(
        "SELECT low_ns, high_ns, margin_ns FROM clock JOIN clock_margin USING (worker) WHERE worker = 'decode-0'"
    ).fetchall()[0]
    assert low <= skew * SECOND <= high
    assert margin < SECOND // 10
    told = world.verdicts()
    assert {name: row["integrity"] for name, row in told.items()} == {
        name: row["integrity"] for name, row in as_it_is.items()
    }


@pytest.mark.parametrize(
    ("reserved", "reason"),
    [
        (64.9, "clock_uncertain"),  # 30 ms before the abort: within what the clocks leave open
        (64.0, None),
        (70.0, "mechanism_possible"),
    ],
)
def test_what_is_closer_than_the_clocks_tell_is_not_decided(
    reserved: float, reason: str | None, tmp_path: Path
) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 1_000)
    for number in range(5):
        made.request(f"r{number}", 5 * number, 300)
    made.request("gone", 60, 300, outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    made.request("next", reserved, 300, tenant="other")
    row = made.verdicts()["d-next"]
    assert row["integrity_reason"] == (reason or "excluded_by_records")
    if reason == "clock_uncertain":
        assert row["integrity"] == "undetermined"
        cleared = made.verdicts(metadata_only=False)["d-next"]
        assert cleared["integrity_reason"] == "suspected_cleared"


def test_right_at_a_start_either_limit_may_apply(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 8_000)
    for number in range(5):
        made.request(f"r{number}", 5 * number, 300)
    made.start("prefill-0", 1_000, at=100)
    made.request("close", 99.8, 5_000, prefill_record=False, decode_record=False)
    made.request("before", 90, 5_000, prefill_record=False, decode_record=False)
    told = made.verdicts()
    assert (told["d-close"]["integrity"], told["d-close"]["integrity_reason"]) == ("undetermined", "clock_uncertain")
    assert json.loads(str(told["d-before"]["examined"]))["over_pool"] == "excluded"


def test_a_clock_that_nothing_bounds_is_uncertain_by_what_is_declared(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS + "[thresholds]\nclock_s = 7.5\n")
    made.start("decode-0", 20_000)
    con, case = made.connect()
    link(con, case)
    assert con.execute("SELECT worker, margin_ns FROM clock_margin").fetchall() == [("decode-0", 7_500_000_000)]
