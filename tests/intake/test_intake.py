"""A report from outside is taken up: suspected, searched, shown, and inert."""

import json
import re

import pytest
from typer.testing import CliRunner

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.cli.app import app
from forensics.disclose.run import read_summary, report
from forensics.ingest.run import ingest
from forensics.scenario.truth import StoryTruth
from forensics.scenario.worlds import WORLDS, write_world

RUNNER = CliRunner()
HOSTILE = (
    "<img src=x onerror=alert(1)> \x1b[31m =cmd|' /C calc'!A0 '); DROP TABLE verdict; -- {{ 7*7 }} [x](javascript:1)"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, StoryTruth]:
    """A case over a small world, with a report of an affected response, of a clean one, and of something unknown."""
    root = tmp_path_factory.mktemp("intake")
    truth = write_world(root, WORLDS["late_writes"](1), seed=1)
    case = Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
    assert not ingest(case, [truth.logs]).problems
    leak = next(item for item in truth.exchanges if item.words and item.words[0]["how"] == "verbatim")
    clean = next(item for item in truth.exchanges if item.integrity == "not_affected" and item.outcome == "answered")
    said = {
        "reporter": HOSTILE,
        "reference": "BB-17",
        "sighting": [
            {"excerpt": leak.words[0]["output_text"], "note": HOSTILE},
            {"id": clean.request_id, "at": "2026-10-06T08:10:00Z"},
            {"id": "'); DROP TABLE sighting; --", "at": "1999-01-01T00:00:00Z"},
        ],
    }
    path = root / "report.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    done = RUNNER.invoke(app, ["intake", str(case.root), str(path)])
    assert done.exit_code == 0, done.output
    assert "3 sightings" in done.output
    assert not re.search(r"[\x00-\x08\x1b]", done.output)
    assert "known already" in RUNNER.invoke(app, ["intake", str(case.root), str(path)]).output
    analyze_case(case, with_controls=False)
    return case, truth


def test_an_excerpt_finds_its_recipient_and_its_owner(world: tuple[Case, StoryTruth]) -> None:
    case, truth = world
    leak = next(item for item in truth.exchanges if item.words and item.words[0]["how"] == "verbatim")
    with connect(case) as con:
        found = con.execute(
            "SELECT m.side, x.request_id, x.tenant FROM sighting_match AS m"
            " INNER JOIN exchange AS x USING (exchange_id) WHERE m.sighting LIKE '%:1'"
        ).fetchall()
    assert ("response", leak.request_id, leak.tenant) in found
    assert any(side == "prompt" and tenant == leak.source_tenant for side, _, tenant in found)


def test_what_is_named_is_suspected_and_cleared(world: tuple[Case, StoryTruth]) -> None:
    case, truth = world
    with connect(case) as con:
        rows = con.execute(
            "SELECT x.request_id, s.status, v.integrity, v.integrity_reason FROM suspicion AS s"
            " INNER JOIN exchange AS x USING (exchange_id) INNER JOIN verdict AS v USING (exchange_id)"
            " WHERE s.mechanism = 'reported'"
        ).fetchall()
    clean = next(item for item in truth.exchanges if item.integrity == "not_affected" and item.outcome == "answered")
    assert (clean.request_id, "possible", "not_affected", "suspected_cleared") in rows
    assert all(status == "possible" for _, status, _, _ in rows)


def test_counts_do_not_follow_from_reports_alone(world: tuple[Case, StoryTruth]) -> None:
    case, truth = world
    run = report(case)
    summary = read_summary(run)
    assert summary["affected"] == truth.totals["affected"]
    assert summary["reported"] == 3
    page = (run / "incident.html").read_text(encoding="utf-8")
    assert "Reported from outside" in page
    assert "<img src=x" not in page
    for path in run.rglob("*"):
        if path.is_file():
            assert not re.search(r"[\x00-\x08\x1b]", path.read_text(encoding="utf-8")), path
    letters = "".join(path.read_text(encoding="utf-8") for path in run.glob("letters/**/*.txt"))
    assert "BB-17" not in letters


def test_explain_shows_the_report_without_its_words(world: tuple[Case, StoryTruth]) -> None:
    case, truth = world
    leak = next(item for item in truth.exchanges if item.words and item.words[0]["how"] == "verbatim")
    done = RUNNER.invoke(app, ["explain", str(case.root), leak.request_id])
    assert "REPORTED FROM OUTSIDE" in done.output
    assert "stands in the response" in done.output
    assert leak.words[0]["output_text"] not in done.output
    assert not re.search(r"[\x00-\x08\x1b]", done.output)
