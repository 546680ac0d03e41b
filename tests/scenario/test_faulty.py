"""Every mechanism's world through the whole road: integrity exact, the right mechanism named, no false confirmed."""

from pathlib import Path

import pytest

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
    assert set(truth.totals["affected_by_mechanism"]) <= set(MECHANISMS.values())


@pytest.mark.parametrize("name", FAULTY)
def test_without_the_fault_nobody_is_affected(name: str, tmp_path: Path) -> None:
    case, affected, truth = told(tmp_path / "sound", FAULTY[name](SEEDS[0]), seed=SEEDS[0], fixed=True)
    assert affected == 0
    assert score(verdicts(case), truth).faults == []
