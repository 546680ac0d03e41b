"""A run is published whole or not at all, and two runs differ in their id and time only."""

import hashlib
import json
from pathlib import Path

import pytest

from forensics.disclose import run as run_module
from forensics.disclose.run import report
from forensics.errors import ForensicsError

from .conftest import NOW, Run
from .world import incident


def test_two_runs_differ_in_id_and_time_only(run: Run) -> None:
    again = report(run.case, now="2026-09-10T09:30:00Z")
    for path in sorted(each for each in run.folder.rglob("*") if each.is_file()):
        first, second = (
            path.read_text(encoding="utf-8"),
            (again / path.relative_to(run.folder)).read_text(encoding="utf-8"),
        )
        second = second.replace(again.name, run.folder.name).replace("2026-09-10T09:30:00Z", NOW)
        if path.name == "run.json":
            first, second = (json.dumps(json.loads(text) | {"files": None}) for text in (first, second))
        assert first == second, path.name


def test_run_json_holds_the_hash_of_every_file(run: Run) -> None:
    facts = run.json("run.json")
    files = {each.relative_to(run.folder).as_posix() for each in run.folder.rglob("*") if each.is_file()} - {"run.json"}
    assert set(facts["files"]) == files
    for name, each in facts["files"].items():
        assert each["sha256"] == hashlib.sha256((run.folder / name).read_bytes()).hexdigest()
    assert facts["manifest_hash"] == run.json("summary.json")["manifest_hash"]
    assert facts["letters"] == len(run.letters())


def test_the_manifest_hash_does_not_hang_on_paths(tmp_path: Path, run: Run) -> None:
    world = incident()
    world.rows["file"][0]["path"] = "elsewhere/under/another.name"
    case = world.build(tmp_path / "case")
    assert (
        Run(case, report(case, now=NOW)).json("summary.json")["manifest_hash"]
        == run.json("summary.json")["manifest_hash"]
    )


def test_a_run_is_never_written_over(run: Run) -> None:
    with pytest.raises(ForensicsError, match="exists already"):
        report(run.case, now=NOW)


def test_a_failed_run_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = incident().build(tmp_path / "case")

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_module, "_write_text", full)
    with pytest.raises(ForensicsError, match="No space left"):
        report(case)
    assert not list(case.runs.iterdir())


def test_a_killed_runs_draft_is_swept_up(tmp_path: Path) -> None:
    case = incident().build(tmp_path / "case")
    (case.runs / ".draft-old").mkdir(parents=True)
    report(case)
    assert [path.name for path in case.runs.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("wrong", ["yesterday", "2026-09-10T08:00:00"])
def test_a_wrong_time_is_refused(run: Run, wrong: str) -> None:
    with pytest.raises(ForensicsError, match="time"):
        report(run.case, now=wrong)


def test_the_incident_report_says_what_it_must(run: Run) -> None:
    for name in ("incident.md", "incident.html"):
        said = run.text(name)
        for needed in (
            "6,812",
            "10,485",
            "logs/gateway.jsonl",
            "decode-0",
            "placement",
            "Prefix-cache timing",
            "not JSON",
        ):
            assert needed in said, (name, needed)
    assert "<script" not in run.text("incident.html")
    assert not {"http://", "https://", "url("} & set(run.text("incident.html").split())
    assert run.json("incident.json")["summary"]["affected"] == run.json("summary.json")["affected"]


def test_the_report_is_written_into_the_custody_log(run: Run) -> None:
    events = [json.loads(line) for line in run.case.custody.read_text(encoding="utf-8").splitlines()]
    assert any(each["action"] == "report" and each["run"] == run.folder.name for each in events)
