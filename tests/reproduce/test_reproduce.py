"""A report follows from its evidence again, and what stands in the way is said."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forensics.case.folder import Case
from forensics.cli.app import app
from forensics.errors import ForensicsError
from forensics.reproduce.comparison import compare, last_run, tampered
from forensics.scenario.worlds import WORLDS, write_world

RUNNER = CliRunner()


def said(*words: object) -> tuple[int, str]:
    """Runs a command and returns its exit code and what it printed."""
    done = RUNNER.invoke(app, [str(word) for word in words])
    if isinstance(done.exception, ForensicsError):
        return 2, f"{done.output}\n{done.exception}"
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``logs`` and a ``case`` that was ingested from them, analysed and reported."""
    root = tmp_path_factory.mktemp("reported")
    write_world(root, WORLDS["late_writes"](1), seed=1)
    Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
    assert said("ingest", root / "case", root / "logs")[0] == 0
    assert said("analyze", root / "case", "--metadata-only")[0] == 1
    assert said("report", root / "case")[0] == 1
    return root


def test_a_report_follows_from_its_evidence(reported: Path) -> None:
    (reported / "logs" / "later.log").write_text("not of the case\n", encoding="utf-8")
    code, text = said("reproduce", reported / "case")
    (reported / "logs" / "later.log").unlink()
    assert code == 0, text
    assert "Reproduced: every number" in text
    assert not (reported / "case" / "work" / "reproduce").exists()


def test_other_numbers_are_told(reported: Path, tmp_path: Path) -> None:
    root = tmp_path / "case"
    shutil.copytree(reported / "case", root)
    text = (root / "case.toml").read_text(encoding="utf-8")
    (root / "case.toml").write_text(text.replace('class = "customer"', 'class = "internal"'), encoding="utf-8")
    code, text = said("reproduce", root)
    assert code == 1, text
    assert "case.toml is not the one of the report" in text
    assert "affected: the report says" in text


def test_evidence_that_is_gone_or_changed_is_told_by_hash(reported: Path, tmp_path: Path) -> None:
    shutil.copytree(reported / "case", tmp_path / "case")
    shutil.copytree(reported / "logs", tmp_path / "logs")
    (tmp_path / "logs" / "router" / "smg.log").unlink()
    gateway = tmp_path / "logs" / "litellm" / "standard_logging.jsonl"
    gateway.write_text("".join(gateway.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    code, text = said("reproduce", tmp_path / "case", tmp_path / "logs")
    assert code == 2
    assert "logs/router/smg.log is gone; its SHA-256 was " in text
    assert "logs/litellm/standard_logging.jsonl has changed; its SHA-256 was " in text


def test_a_report_that_was_changed_is_told(reported: Path, tmp_path: Path) -> None:
    shutil.copytree(reported / "case", tmp_path / "case")
    run = last_run(Case.open(tmp_path / "case"))
    summary = run / "summary.json"
    summary.write_text(summary.read_text(encoding="utf-8").replace('"affected": 5', '"affected": 4'), encoding="utf-8")
    (run / "headline.txt").write_text("nothing happened\n", encoding="utf-8")
    assert tampered(run)[0].startswith("headline.txt of the report was changed")
    before = last_run(Case.open(reported / "case"))
    assert compare(before, before).differences == ()


def test_a_case_without_a_report_says_so(tmp_path: Path) -> None:
    Case.create(tmp_path / "case", 'title = "Empty"\n')
    code, text = said("reproduce", tmp_path / "case")
    assert code == 2
    assert "there is no report to reproduce" in text
