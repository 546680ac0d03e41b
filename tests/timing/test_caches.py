"""A small version of ``benchmarks/timing.py``: sharing is found, and none is alleged where there is none."""

from dataclasses import replace
from pathlib import Path

import duckdb

from forensics.case.folder import Case
from forensics.scenario.caches import Habits, Service, is_salted, load_tables, play
from forensics.timing.run import weigh

TENANTS = 40
BUSY = Service(load=0.6)


def found(root: Path, service: Service, habits: Habits) -> tuple[set[int], dict[str, str]]:
    """Returns the tenants named at the boundary between tenants, and the status of each boundary."""
    case = Case.create(root / "case", "")
    with duckdb.connect() as con:
        load_tables(con, play(service, habits, TENANTS, seed=3), habits)
        said = {boundary: status for boundary, status, *_ in weigh(con, case).boundaries}
        named = con.execute(
            "SELECT tenant FROM timing_test WHERE status = 'shared' AND boundary = 'tenants'"
        ).fetchall()
    return {int(name[1:]) for (name,) in named}, said


def test_a_cache_that_serves_everybody_is_found(tmp_path: Path) -> None:
    named, said = found(tmp_path, replace(BUSY, salted=0.0), Habits())
    assert len(named) >= 0.9 * TENANTS
    assert said == {"users": "not_examined", "tenants": "refuted", "organizations": "not_examined"}


def test_salts_that_work_are_believed(tmp_path: Path) -> None:
    named, said = found(tmp_path, BUSY, Habits(night_workers=1.0))
    assert named == set()
    assert said["tenants"] == "held"


def test_of_tenants_with_and_without_a_salt_only_the_latter_are_named(tmp_path: Path) -> None:
    service = replace(BUSY, salted=0.3)
    named, said = found(tmp_path, service, Habits())
    assert said["tenants"] == "refuted"
    assert named
    assert not [tenant for tenant in named if is_salted(service, Habits(), tenant)]


def test_a_salt_of_organizations_holds_between_them_and_not_within(tmp_path: Path) -> None:
    habits = Habits(tenants_per_organization=6, first=40)
    _, said = found(tmp_path, replace(BUSY, by_organization=True), habits)
    assert said == {"users": "not_examined", "tenants": "refuted", "organizations": "held"}
