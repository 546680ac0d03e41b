"""Every small world through the whole road, as it is and on fixed engines, judged against what really happened."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from forensics.scenario.scorecard import by_key, score, verdicts
from forensics.scenario.truth import StoryTruth
from forensics.scenario.worlds import WORLDS, write_world
from tests.stories.road import told

SEEDS = (1, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WORLDS)
def test_verdicts_are_those_of_the_world(name: str, seed: int, tmp_path: Path) -> None:
    script = WORLDS[name](seed)
    case, affected, truth = told(tmp_path / "as-it-is", script, seed=seed)
    card = score(verdicts(case), truth)
    assert card.faults == []
    assert card.recall >= 0.95, card.missed
    assert affected == sum(truth.totals["affected_by_class"].values())
    assert bool(affected) == (name != "equal_pools")
    if seed == SEEDS[0]:
        fixed, none, sound = told(tmp_path / "fixed", script, seed=seed, fixed=True)
        assert none == 0
        assert score(verdicts(fixed), sound).faults == []
        assert _changed(by_key(verdicts(case), truth), by_key(verdicts(fixed), sound)) <= _touched(truth)


def test_one_source_has_several_readers_and_one_response_several_sources(tmp_path: Path) -> None:
    shared = write_world(tmp_path / "shared", WORLDS["shared_source"](1), seed=1)
    readers = Counter(source for item in shared.exchanges for source in item.source_request_ids)
    assert max(readers.values()) >= 4
    several = write_world(tmp_path / "several", WORLDS["several_sources"](1), seed=1)
    assert max(len(item.source_request_ids) for item in several.exchanges) >= 2


def test_pages_of_nobody_and_of_oneself_are_read(tmp_path: Path) -> None:
    truth = write_world(tmp_path, WORLDS["own_and_nobody"](1), seed=1)
    tenant_of = {item.request_id: item.tenant for item in truth.exchanges}
    read = [
        {tenant_of.get(owner, "") for owner in item.pages} - {"", item.tenant}
        for item in truth.exchanges
        if item.integrity == "affected"
    ]
    assert read == [set(), set()]


def test_leaked_words_travel_on(tmp_path: Path) -> None:
    truth = write_world(tmp_path, WORLDS["travels_on"](1), seed=1)
    last = truth.exchanges[-1]
    assert {word["how"] for word in last.words} == {"propagated"}
    assert last.source_request_id not in last.pages


def test_late_writes_hit_some_and_spare_others(tmp_path: Path) -> None:
    truth = write_world(tmp_path, WORLDS["late_writes"](1), seed=1)
    assert truth.totals["affected_by_mechanism"]["late_write"] == 2
    assert any(item.eligible and item.mechanism is None for item in truth.exchanges)


def _changed(before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """Returns the exchanges whose verdict is another one on fixed engines, or that are in one world only."""
    told_before = {key: (row["integrity"], row["disclosure"]) for key, row in before.items()}
    told_after = {key: (row["integrity"], row["disclosure"]) for key, row in after.items()}
    return {key for key in told_before | told_after if told_before.get(key) != told_after.get(key)}


def _touched(truth: StoryTruth) -> set[str]:
    """Returns the exchanges that the bug may touch: over-pool, late-written, and attempts after one of those."""
    return {item.key for item in truth.exchanges if item.over_pool or item.mechanism or item.key in _retries(truth)}


def _retries(truth: StoryTruth) -> set[str]:
    calls: dict[str, list[str]] = {}
    for item in truth.exchanges:
        calls.setdefault(f"{item.tenant}/{item.prompt_tokens}", []).append(item.key)
    return {key for keys in calls.values() if len(keys) > 1 for key in keys}
