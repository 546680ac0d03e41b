"""The commands report, verdicts and explain."""

import csv
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from forensics.cli import explain, report, verdicts
from forensics.errors import ForensicsError

from .conftest import Run
from .world import World, incident, marker


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    for command in (report, verdicts, explain):
        command.register(made)
    return made


def invoke(app: typer.Typer, *words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(result.exception, ForensicsError):
        assert code == 2
        return str(result.exception)
    assert result.exit_code == code, result.output
    return result.stdout


def test_report_exits_with_1_where_something_is_affected(app: typer.Typer, tmp_path: Path) -> None:
    case = incident().build(tmp_path / "case")
    assert invoke(app, "report", case.root, code=1).startswith("7 affected responses")
    assert json.loads(invoke(app, "report", case.root, "--json", code=1))["affected"] == 7


def test_report_exits_with_0_where_nothing_is(app: typer.Typer, tmp_path: Path) -> None:
    world = World()
    world.file()
    world.exchange("acme")
    assert "0 affected responses" in invoke(app, "report", world.build(tmp_path / "case").root)


def test_verdicts_in_every_format_and_filtered(app: typer.Typer, run: Run) -> None:
    assert invoke(app, "verdicts", run.case.root, "--format", "jsonl") == run.text("verdicts.jsonl")
    assert invoke(app, "verdicts", run.case.root, "--format", "csv") == run.text("verdicts.csv")
    table = invoke(app, "verdicts", run.case.root, "--integrity", "affected", "--tenant", "cobalt")
    assert "2 exchanges" in table
    found = invoke(
        app, "verdicts", run.case.root, "--format", "csv", "--disclosure", "none_found", "--worker", "decode-0"
    )
    assert len(list(csv.DictReader(found.splitlines()))) == 3
    assert "no format" in invoke(app, "verdicts", run.case.root, "--format", "xml", code=2)


def test_explain_tells_the_chain_and_masks_the_text(app: typer.Typer, run: Run) -> None:
    said = invoke(app, "explain", run.case.root, "chatcmpl-0003abcdef0003")
    for needed in (
        "integrity   affected", "logs/gateway.jsonl:4 (byte 300, item 0)", "joined by call id",
        "decode worker decode-0", "limit 6806, pool 6812, context 10485", "over_pool: established",
        "over_pool 1: chatcmpl-0000abcdef0000 of acme",
        "90.0 bits", "[40 characters]",
    ):  # fmt: skip
        assert needed in said
    assert marker("acme")[:20] not in said


def test_explain_shows_text_for_a_reason_that_is_recorded(app: typer.Typer, run: Run) -> None:
    said = invoke(app, "explain", run.case.root, "decode-rid-000003", "--show-text", "asked by the DPO")
    assert marker("acme")[:10] in said
    event = json.loads(run.case.custody.read_text(encoding="utf-8").splitlines()[-1])
    assert (event["action"], event["reason"]) == ("show-text", "asked by the DPO")
    assert "reason" in invoke(app, "explain", run.case.root, "decode-rid-000003", "--show-text", " ", code=2)


def test_explain_of_an_unknown_id_says_where_ids_are_listed(app: typer.Typer, run: Run) -> None:
    said = invoke(app, "explain", run.case.root, "\x1b[31mnobody", code=2)
    assert "no exchange carries the id" in said
    assert "\x1b" not in said
