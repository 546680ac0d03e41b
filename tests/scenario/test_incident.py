"""The published incident at a hundredth of its lengths: what it holds, and what the analysis makes of its logs."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from forensics.disclose.run import read_summary, report
from forensics.scenario.incident import deployment as site
from forensics.scenario.incident.figures import AFFECTED, MODEL, SMALL
from forensics.scenario.incident.write import write_incident
from forensics.scenario.scorecard import score, verdicts
from forensics.scenario.truth import StoryTruth
from tests.stories.road import analysed


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StoryTruth]:
    folder = tmp_path_factory.mktemp("incident")
    return folder, write_incident(folder, small=True)


def test_the_published_number_comes_about_from_other_tenants_pages(incident: tuple[Path, StoryTruth]) -> None:
    _, truth = incident
    tenant_of = {item.request_id: item.tenant for item in truth.exchanges}
    counted = [item for item in truth.exchanges if item.integrity == "affected" and item.tenant_class == "customer"]
    assert len(counted) == AFFECTED
    for item in counted:
        assert (item.model, item.mechanism, item.over_pool) == (MODEL, "over_pool", "answered")
        assert {tenant_of[owner] for owner in item.pages if owner} - {item.tenant}
    assert truth.totals["affected_by_class"] == {"customer": AFFECTED, "internal": 3, "researcher": 2}


def test_what_else_there_is_to_be_told_apart(incident: tuple[Path, StoryTruth]) -> None:
    _, truth = incident
    outcomes = Counter(item.outcome for item in truth.exchanges)
    assert min(outcomes[name] for name in ("left", "timeout", "transfer_failed", "too_long", "refused")) > 0
    over_pool = truth.totals["over_pool"]
    assert min(over_pool.values()) > 0
    assert over_pool["total"] == sum(count for name, count in over_pool.items() if name != "total")
    boundary = Counter(item.prompt_tokens for item in truth.exchanges if item.over_pool == "answered")
    assert all(boundary[size] >= 2 for size in SMALL.boundary if size >= SMALL.limit)
    below = [item for item in truth.exchanges if item.prompt_tokens == SMALL.limit - 1 and not item.over_pool]
    assert len(below) >= 2
    fits = [item for item in truth.exchanges if SMALL.limit <= item.prompt_tokens < SMALL.raised_pool - 6]
    assert any(item.over_pool is None for item in fits) or any(item.prefill_worker == "prefill-c" for item in fits)
    assert {item.model for item in truth.exchanges} == {MODEL, site.OTHER_PD, site.OTHER_WHOLE}


def test_logs_have_their_damage_and_no_truth(incident: tuple[Path, StoryTruth]) -> None:
    folder, truth = incident
    lines = (truth.logs / "sglang" / "decode-a" / "req" / "pd-decode-a_0.log").read_text(encoding="utf-8")
    mine = [item for item in truth.exchanges if item.decode_worker == "decode-a" and item.outcome == "answered"]
    lost = [item.request_id for item in mine if item.request_id not in lines]
    server = (truth.logs / "sglang" / "decode-a" / "server.log").read_text(encoding="utf-8")
    assert 0 < len(lost) < 60
    assert all(rid in server for rid in lost)
    assert not list(truth.logs.rglob("*truth*"))
    posted = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (truth.logs / "litellm").iterdir())
    assert posted == len(truth.exchanges)
    assert json.loads((folder / "truth.json").read_text(encoding="utf-8"))["totals"] == truth.totals


def test_the_same_seed_writes_the_same_bytes(incident: tuple[Path, StoryTruth], tmp_path: Path) -> None:
    write_incident(tmp_path, small=True)
    assert _digest(tmp_path) == _digest(incident[0])


def test_the_count_comes_out_of_the_analysis(incident: tuple[Path, StoryTruth]) -> None:
    folder, truth = incident
    case, affected = analysed(folder, truth.logs)
    card = score(verdicts(case), truth)
    assert card.faults == []
    assert card.recall >= 0.95, card.missed
    assert affected == AFFECTED + 5
    summary = read_summary(report(case))
    assert summary["affected"] == AFFECTED
    assert summary["headline"].startswith(f"{AFFECTED} affected responses")
    assert {key: summary[key] for key in ("affected_by_class", "over_pool")} == {
        key: truth.totals[key] for key in ("affected_by_class", "over_pool")
    }
    assert summary["boundary"]["in_band"] == 14


def _digest(folder: Path) -> dict[str, str]:
    files = [folder / "truth.json", folder / "case.toml", *(folder / "logs").rglob("*")]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()
    }
