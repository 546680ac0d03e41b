"""``forensics formats``: the list, a starting file that works as it is, and what a file would yield."""

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forensics.cli.app import app
from forensics.ingest import trial
from forensics.ingest.formats import Formats
from tests.ingest.cases import new_case, records, take
from tests.ingest.test_envelopes import ENGINE, cri
from tests.ingest.test_run import LINE


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["formats", *map(str, arguments)])


def test_the_list_names_all() -> None:
    printed = run().output
    for name in Formats(None).by_name:
        assert f"{name} " in printed


def test_a_starting_file_works_as_it_is(tmp_path: Path) -> None:
    made = run("new", "myapp", "--into", tmp_path)
    assert made.exit_code == 0, made.output
    lines = [{"id": "r1", "time": "2026-03-01T10:00:00Z", "model": "m", "user": "u"}, {"time": 1}]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    case, report = take(tmp_path, content, form=str(tmp_path / "myapp.sql"), declared="")
    assert report.files[0].rejected == {"not_this_format": 1}
    (row,) = records(case)
    assert (row["response_id"], row["model"], row["identity"]) == ("r1", "m", {"user": "u", "team": None})
    tried = run("try", tmp_path / "logs" / "x.log", "--format", tmp_path / "myapp.sql")
    assert tried.exit_code == 0, tried.output
    assert "1  client whole (myapp)" in tried.output
    assert "not_this_format" in tried.output
    for arguments in (["new", "myapp", "--into", str(tmp_path)], ["new", "litellm_payload"], ["new", "../x"]):
        assert run(*arguments).exit_code != 0


def test_every_column_that_the_starting_file_names_exists(tmp_path: Path) -> None:
    run("new", "myapp", "--into", tmp_path)
    path = tmp_path / "myapp.sql"
    text = path.read_text()
    path.write_text(
        text.replace("    -- epoch_ns_of", "    epoch_ns_of")
        .replace("    -- raw", "    raw")
        .replace("    -- try_cast(raw ->> '$", "    try_cast(raw ->> '$")
        .replace("    -- try_cast(raw ->> 's", "    try_cast(raw ->> 's")
    )
    _, report = take(tmp_path, '{"id": "a", "messages": [], "choices": []}', form=str(path), declared="")
    assert report.problems == []
    assert report.files[0].records_kept == 1


def test_what_a_file_would_yield(tmp_path: Path) -> None:
    log = tmp_path / "decode.log.gz"
    log.write_bytes(gzip.compress(cri([*ENGINE, "a foreign line"]).encode()))
    before = sorted(tmp_path.iterdir())
    tried = run("try", log)
    assert tried.exit_code == 0, tried.output
    assert "sglang_engine_log (3 of 4 sampled lines within cri" in tried.output
    assert "within gzip+cri" in tried.output
    assert "4 records framed = 3 kept + 0 duplicates + 1 rejected" in tried.output
    assert "pool_tokens        51200" in tried.output
    assert "foreign_line: a foreign line" in tried.output
    assert sorted(tmp_path.iterdir()) == before


def test_the_beginning_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LOOKED_AT", 3000)
    log = tmp_path / "req.log"
    log.write_text("".join(LINE.format(n % 60, n, n + 1, n) for n in range(1000)))
    tried = run("try", log)
    assert tried.exit_code == 0, tried.output
    assert "Only the beginning" in tried.output


def test_what_was_seen_where_nothing_is_recognised(tmp_path: Path) -> None:
    log = tmp_path / "app.jsonl"
    log.write_text(
        "".join(json.dumps({"who": f"u{n}", "n": n, "\x1b[31m": []}) + "\n" for n in range(9)) + "plain words\n"
    )
    tried = run("try", log)
    assert tried.exit_code == 2
    assert "10 lines sampled" in tried.output
    assert "9  who (str)" in tried.output
    assert "1  plain words" in tried.output
    assert "\x1b" not in tried.output
    assert run("try", tmp_path / "missing").exit_code != 0


def test_a_cases_own_formats(tmp_path: Path) -> None:
    case = new_case(tmp_path / "case")
    run("new", "myapp", "--into", case.root / "queries" / "formats")
    path = case.root / "queries" / "formats" / "myapp.sql"
    path.write_text(path.read_text().replace("a key that only these lines have", "my_key"))
    assert "myapp " in run("--case", case.root).output
    log = tmp_path / "x.jsonl"
    log.write_text('{"id": "a", "my_key": 1}\n')
    tried = run("try", log, "--case", case.root)
    assert "1  client whole (myapp)" in tried.output
