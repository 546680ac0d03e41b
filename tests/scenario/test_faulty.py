"""Every mechanism's world through the whole road: integrity exact, the right mechanism named, no false confirmed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app
from forensics.scenario.faults import MECHANISMS
from forensics.scenario.faulty import FAULTY
from forensics.scenario.scorecard import score, verdicts
from tests.stories.road import told

SEEDS = (1, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAULTY)
def test_verdicts_are_those_of_the_world(name: str, seed: int, tmp_path: Path) -> None:
    case, affected, truth = told(tmp_path / "as-it-is", FAULTY[name](seed), seed=seed)
    card = score(verdicts(case), truth)
    assert card.faults == []
    assert card.recall >= 0.95, card.missed
    assert affected == sum(truth.totals["affected_by_class"].values())
    assert affected
    known = {*MECHANISMS.values(), "over_pool", "late_write"}
    assert set(truth.totals["affected_by_mechanism"]) <= known
    if name == "all_at_once":
        assert set(truth.totals["affected_by_mechanism"]) == known


@pytest.mark.parametrize("name", FAULTY)
def test_without_the_fault_nobody_is_affected(name: str, tmp_path: Path) -> None:
    case, affected, truth = told(tmp_path / "sound", FAULTY[name](SEEDS[0]), seed=SEEDS[0], fixed=True)
    assert affected == 0
    assert score(verdicts(case), truth).faults == []


def test_the_list_says_what_a_case_has_and_what_came_of_it(tmp_path: Path) -> None:
    case, _, _ = told(tmp_path / "told", FAULTY["checksums"](SEEDS[0]), seed=SEEDS[0])
    listed = CliRunner().invoke(app, ["mechanisms", str(case.root), "--format", "json"])
    rows = {row["mechanism"]: row for row in json.loads(listed.stdout)}
    assert set(rows) == {*MECHANISMS.values(), "over_pool", "late_write", "kv_canary", "prefix_cache_timing"}
    assert rows["kv_checksum"]["has_what_it_needs"]
    assert rows["kv_checksum"]["statuses"]["possible"] == 3
    assert not rows["canary"]["has_what_it_needs"]
    text = CliRunner().invoke(app, ["mechanisms", str(case.root)]).stdout
    assert "LACKS       planted markers: 0 markers declared in case.toml" in text
    assert CliRunner().invoke(app, ["mechanisms"]).stdout.count("establishes") == len(rows)
