"""The whole road on the bundled story: determinism, interruption, hostile evidence, one file at a time."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.case.texts import attach
from forensics.cli.analyze import analyze_case
from forensics.disclose.run import read_summary, report
from forensics.ingest.run import ingest
from forensics.judge import run as judging
from tests.stories.writers import hostile_story, plain_story

NOW = "2026-11-30T12:00:00Z"


def taken(folder: Path, story: Path, *, order: Callable[[list[Path]], list[Path]] = list, more: str = "") -> Case:
    declared = (story / "case.toml").read_text(encoding="utf-8")
    case = Case.create(folder, declared + more)
    for path in order(sorted((story / "logs").iterdir())):
        ingest(case, [path], threads=case.config.resources.threads)
    return case


def published(case: Case) -> dict[str, bytes]:
    analyze_case(case)
    run = report(case, now=NOW)
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("story")
    plain_story(folder)
    return folder


@pytest.fixture(scope="module")
def first(story: Path, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return taken(tmp_path_factory.mktemp("first") / "case", story)


@pytest.fixture(scope="module")
def files(first: Case) -> dict[str, bytes]:
    return published(first)


def test_same_evidence_gives_same_bytes_in_any_order_with_any_threads(
    story: Path, files: dict[str, bytes], tmp_path: Path
) -> None:
    other = taken(
        tmp_path / "case",
        story,
        order=lambda paths: list(reversed(paths)),
        more='\n[resources]\nthreads = 1\nmemory = "1GB"\n',
    )
    again = published(other)
    again.pop("run.json")  # holds the hash of case.toml, which differs in the bounds
    assert again == {name: data for name, data in files.items() if name != "run.json"}


def test_counts_agree_everywhere(files: dict[str, bytes], first: Case) -> None:
    summary = read_summary(next(first.runs.iterdir()))
    rows = list(csv.DictReader(files["verdicts.csv"].decode().splitlines()))
    counted = [
        row for row in rows if row["integrity"] == "affected" and row["tenant_class"] in ("customer", "unresolved")
    ]
    assert summary["affected"] == len(counted) == sum(summary["affected_by_mechanism"].values())
    assert summary["examined"] == len(rows) == files["verdicts.jsonl"].count(b"\n")
    assert summary["over_pool"]["total"] == sum(
        summary["over_pool"][name] for name in ("refused", "no_output", "truncated", "answered")
    )


def test_an_interrupted_analysis_leaves_the_last_finished_case(
    first: Case, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = first.database.read_bytes()
    monkeypatch.setattr(judging, "create_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        analyze_case(first)
    assert first.database.read_bytes() == before
    assert not list(first.work.glob("case.duckdb*"))


def test_hostile_evidence_is_inert_in_every_output(tmp_path: Path) -> None:
    hostile_story(tmp_path)
    made = published(taken(tmp_path / "case", tmp_path))
    texts = {name: data.decode("utf-8") for name, data in made.items()}
    for name, text in texts.items():
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text), name
        if name.endswith(".html"):
            assert not re.search(r"<(script|img|svg/|iframe|b>bold)", text, re.IGNORECASE), name
            assert "javascript:" not in text, name
        if name.endswith(".md"):
            assert not re.search(r"(?<!\\)\]\((?!#)", text), name
        if name.endswith(".csv"):
            cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
            assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-\D", cell)], name
        assert ".." not in name
    assert "49" not in set(texts["verdicts.csv"].split(","))


def test_no_letter_holds_what_only_another_tenant_said(first: Case, files: dict[str, bytes]) -> None:
    """Reference numbers stand in one tenant's texts only; none of them may be in any letter but that tenant's."""
    with connect(first) as con:
        attach(con, first)
        held = con.execute(
            r"SELECT DISTINCT x.tenant, unnest(regexp_extract_all(t.text, '\b[A-Z]{2,4}-?\d{4,}\b')) AS mark"
            " FROM text AS t"
            " JOIN exchange_record AS r USING (record_id) JOIN exchange AS x USING (exchange_id)"
        ).fetchall()
    owners: dict[str, set[str]] = {}
    for tenant, mark in held:
        owners.setdefault(mark, set()).add(tenant)
    letters = {name: data.decode() for name, data in files.items() if name.startswith("letters/")}
    assert letters
    assert owners
    for name, text in letters.items():
        assert not [mark for mark in owners if re.search(rf"\b{mark}\b", text)], name
