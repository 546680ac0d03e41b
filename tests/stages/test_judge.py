"""Both axes of the verdict, given what the mechanisms say and what was found in the texts."""

from pathlib import Path

import pytest

from tests.stages.builder import Found, World, declared_workers, with_pools

WORKERS = declared_workers("prefill-0", "decode-0", "decode-1")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One over-pool answer after two neighbours, and one answer in the window of an aborted request."""
    made = with_pools(tmp_path / "case", WORKERS)
    made.request("old", 5, 300, tenant="t1")
    made.request("new", 10, 300, tenant="t2")
    made.request("over", 20, 5_000, stub=True, tenant="t3")
    made.request("gone", 30, 300, tenant="t4", outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    made.request("next", 40, 300, tenant="t5")
    return made


def told(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(
        row[name] for name in ("integrity", "integrity_reason", "disclosure", "mechanism", "source_request_id")
    )


def test_a_heavy_span_of_a_neighbour_confirms(world: World) -> None:
    row = world.verdicts(metadata_only=False, found=[Found("d-over", "d-old", 50)])["d-over"]
    assert told(row) == ("affected", "mechanism_established", "confirmed", "over_pool", "d-old")
    assert row["source_tenant"] == "t1"


@pytest.mark.parametrize(
    "found",
    [
        Found("d-over", "d-old", 20),  # between the thresholds
        Found("d-over", "d-old", 50, kind="facts"),  # a paraphrase
        Found("d-over", "d-old", 50, holders=2),  # another tenant holds it too
    ],
)
def test_what_is_weaker_is_probable_at_most(world: World, found: Found) -> None:
    assert world.verdicts(metadata_only=False, found=[found])["d-over"]["disclosure"] == "probable"


@pytest.mark.parametrize(
    "found",
    [
        Found("d-over", "d-old", 5),  # below the threshold
        Found("d-over", "d-next", 50),  # lived there later
    ],
)
def test_what_is_explained_light_or_out_of_place_is_none_found(world: World, found: Found) -> None:
    row = world.verdicts(metadata_only=False, found=[found])["d-over"]
    assert told(row) == ("affected", "mechanism_established", "none_found", "over_pool", None)


def test_what_explanations_leave_of_a_span_must_be_enough_alone(world: World) -> None:
    scraps = [
        Found("d-over", "d-old", 10, explained_by="own_context"),
        Found("d-over", "d-old", 10, explained_by="public"),
    ]
    assert world.verdicts(metadata_only=False, found=scraps)["d-over"]["disclosure"] == "none_found"
    names = [Found("d-over", "d-old", 40, explained_by="common")]
    assert world.verdicts(metadata_only=False, found=names)["d-over"]["disclosure"] == "confirmed"


def test_the_source_that_explains_most_is_named_and_a_tie_names_none(world: World) -> None:
    more = [Found("d-over", "d-old", 40), Found("d-over", "d-new", 41)]
    assert world.verdicts(metadata_only=False, found=more)["d-over"]["source_request_id"] == "d-new"
    tie = [Found("d-over", "d-old", 40), Found("d-over", "d-new", 40)]
    row = world.verdicts(metadata_only=False, found=tie)["d-over"]
    assert (row["source_request_id"], row["source_tenant"]) == (None, None)
    assert row["disclosure"] == "confirmed"


def test_a_late_write_needs_text_and_a_complete_scan_clears_it(world: World) -> None:
    hit = world.verdicts(metadata_only=False, found=[Found("d-next", "d-gone", 50)])["d-next"]
    assert told(hit) == ("affected", "foreign_text", "confirmed", "late_write", "d-gone")
    clean = world.verdicts(metadata_only=False)["d-next"]
    assert told(clean) == ("not_affected", "suspected_cleared", None, None, None)


def test_own_text_from_a_neighbour_is_no_disclosure(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 1_000)
    made.request("mine", 5, 300, tenant="t1")
    made.request("over", 20, 5_000, stub=True, tenant="t1")
    row = made.verdicts(metadata_only=False, found=[Found("d-over", "d-mine", 90)])["d-over"]
    assert told(row) == ("affected", "mechanism_established", "none_found", "over_pool", None)


def test_tenants_that_may_be_one_stay_probable_and_prove_no_late_write(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.start("prefill-0", 1_000)
    made.request("gone", 30, 300, tenant="", outcome="error", status=408, completion=0, seconds=5, prefill_ends=None)
    made.request("next", 40, 300, tenant="t5")
    row = made.verdicts(metadata_only=False, found=[Found("d-next", "d-gone", 50)])["d-next"]
    assert told(row)[:3] == ("undetermined", "tenant_unknown", "probable")


def test_text_proves_nothing_where_records_merely_leave_a_mechanism_open(tmp_path: Path) -> None:
    made = World(tmp_path / "case", WORKERS)
    made.request("old", 5, 300, tenant="t1", prefill_record=False, decode_record=False)
    made.request("new", 20, 300, tenant="t2", prefill_record=False, decode_record=False)
    row = made.verdicts(metadata_only=False, found=[Found("d-new", "d-old", 90)])["d-new"]
    assert row["integrity"] == "undetermined"
    assert row["disclosure"] == "probable"  # no log shows where they lived
