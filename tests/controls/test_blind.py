"""Switching off any one rule makes a run fail by its positive control."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from forensics import resources
from forensics.case.database import connect, rebuild
from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.controls import run
from forensics.controls.declared import POSITIVE
from forensics.controls.road import Road, require
from forensics.controls.run import Controls
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.link.run import link
from forensics.scenario.worlds import WORLDS, write_world
from forensics.suspect.mechanism import mechanisms

EXCLUDED = """
SELECT exchange_id, '{name}' AS mechanism, 'excluded' AS status, NULL::VARCHAR AS reason, 'records' AS basis,
       'switched off' AS detail, NULL::VARCHAR AS trigger_exchange_id, false AS clearable, NULL::VARCHAR AS outcome
FROM exchange
"""
RULES = (
    "mechanisms/late_write_window", "mechanisms/late_write_case", "mechanisms/candidate_source",
    "mechanisms/lived", "mechanisms/detector_line", "mechanisms/canary_hit",
    "link/pair_1_response_id", "link/pair_2_error_text", "link/pair_3_content", "link/pair_4_tokens",
    "link/pair_5_time",
    "link/unique_pair", "link/engine_record", "link/engine_request", "link/client_record", "link/client_request",
    "link/record_tenant", "link/served", "link/worker", "link/worker_epoch", "link/worker_limit",
    "link/exchange", "link/exchange_record", "link/exchange_text",
    "match/examined", "match/part", "match/scan", "match/answer_again",
    "verdicts/finding", "verdicts/source", "verdicts/verdict", "verdicts/possible_source",
)  # fmt: skip
MECHANISMS = sorted({each.mechanism for each in POSITIVE if each.rule.startswith("mechanisms/")})


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A case over a small world, ingested with all its rules."""
    root = tmp_path_factory.mktemp("blind")
    truth = write_world(root, WORLDS["late_writes"](1), seed=1)
    case = Case.create(root / "case", (root / "case.toml").read_text(encoding="utf-8"))
    assert not ingest(case, [truth.logs]).problems
    return case


@dataclass(frozen=True)
class Ground:
    """What is planted beside a sample, ingested once, so that many rules can be tried on it."""

    road: Road

    def walk(self) -> None:
        """Takes the road and demands everything that must be found."""
        require(POSITIVE, self.road.trail(), told=True)


@pytest.fixture(scope="module")
def ground(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Stands in a copy of the case: a whole run clears the scratch folder of the case that it analyses."""
    case = Case.open(shutil.copytree(case.root, tmp_path_factory.mktemp("ground") / "case"))
    with rebuild(case, keep=True) as con:
        link(con, case)
        asked = Controls(con, case, metadata_only=False).asked()
    with Road(asked) as road:
        yield Ground(road)


@pytest.fixture
def switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, Callable[[str], str]], None]]:
    """Returns a function that puts another statement in a rule's place."""
    copy = tmp_path / "queries"
    shutil.copytree(resources.folder("queries"), copy)

    def change(name: str, other: Callable[[str], str]) -> None:
        path = copy / f"{name}.sql"
        text = path.read_text(encoding="utf-8")
        head = "".join(line + "\n" for line in text.splitlines() if line.startswith("-- "))
        path.write_text(head + other(text), encoding="utf-8")
        monkeypatch.setattr(resources, "folder", lambda kind: copy if kind == "queries" else tmp_path / kind)
        resources.query.cache_clear()

    yield change
    resources.query.cache_clear()


def nothing(text: str) -> str:
    """Returns a statement with the same columns and no rows."""
    return f"SELECT * FROM (\n{text}\n) WHERE false"  # noqa: S608 - a rule of ours


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_returns_nothing_is_heard(rule: str, ground: Ground, switch: Callable[..., None]) -> None:
    switch(rule, nothing)
    with pytest.raises(ForensicsError) as failed:
        ground.walk()
    assert "blind" in str(failed.value) or str(failed.value.where).startswith("queries/verdicts/")


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_that_never_fires_is_named(name: str, ground: Ground, switch: Callable[..., None]) -> None:
    switch(f"mechanisms/{name}", lambda _: EXCLUDED.format(name=name))
    with pytest.raises(ForensicsError, match=f"mechanisms/{name} is blind") as failed:
        ground.walk()
    assert "switched off" in str(failed.value)


@pytest.mark.parametrize("rule", ["mechanisms/over_pool", "verdicts/finding"])
def test_the_whole_run_fails(rule: str, case: Case, switch: Callable[..., None]) -> None:
    before = case.database.read_bytes()
    switch(rule, nothing)
    with pytest.raises(ForensicsError, match="positive control"):
        analyze_case(case)
    assert case.database.read_bytes() == before


def test_a_margin_that_nothing_passes_is_heard(case: Case, tmp_path: Path) -> None:
    root = tmp_path / "strict"
    shutil.copytree(case.root, root)
    declared = (root / "case.toml").read_text(encoding="utf-8")
    margins = "\n[thresholds]\nprobable_margin_bits = 400.0\nconfirmed_margin_bits = 500.0\n"
    (root / "case.toml").write_text(declared + margins, encoding="utf-8")
    with pytest.raises(ForensicsError, match="verdicts/source is blind"):
        analyze_case(Case.open(root))


def test_a_process_of_their_own_finds_the_same(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for large in (run._LARGE, 0):
        monkeypatch.setattr(run, "_LARGE", large)
        own = Case.open(shutil.copytree(case.root, tmp_path / str(large), ignore=shutil.ignore_patterns("work")))
        analyze_case(own)
        with connect(own) as con:
            rows = con.execute("FROM control ORDER BY ALL").fetchall()
        said.append((rows, [line for line in capsys.readouterr().err.splitlines() if line.startswith("controls")]))
    assert said[0] == said[1]
    assert len(said[0][0]) > 20


def test_a_process_of_their_own_is_heard(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = shutil.copytree(case.root, tmp_path / "strict", ignore=shutil.ignore_patterns("work"))
    declared = (root / "case.toml").read_text(encoding="utf-8")
    margins = "\n[thresholds]\nprobable_margin_bits = 400.0\nconfirmed_margin_bits = 500.0\n"
    (root / "case.toml").write_text(declared + margins, encoding="utf-8")
    monkeypatch.setattr(run, "_LARGE", 0)
    before = (root / "case.duckdb").read_bytes()
    with pytest.raises(ForensicsError, match="verdicts/source is blind") as failed:
        analyze_case(Case.open(root))
    assert failed.value.fix
    assert (root / "case.duckdb").read_bytes() == before


def test_a_case_without_what_engines_print_has_controls_of_its_own_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = write_world(tmp_path, WORLDS["late_writes"](1), seed=1)
    for printed in truth.logs.rglob("server.log"):
        printed.unlink()
    case = Case.create(tmp_path / "case", (tmp_path / "case.toml").read_text(encoding="utf-8"))
    assert not ingest(case, [truth.logs]).problems
    analyze_case(case)
    assert "without a control: kv_canary" in capsys.readouterr().err


def test_every_mechanism_of_ours_has_a_control() -> None:
    assert [each.name for each in mechanisms(None) if each.name not in MECHANISMS] == []


def test_controls_leave_the_case_alone_and_stand_in_its_tables(case: Case, tmp_path: Path) -> None:
    case = Case.open(shutil.copytree(case.root, tmp_path / "case", ignore=shutil.ignore_patterns("work")))
    analyze_case(case)
    assert not (case.work / "controls").exists()
    with connect(case) as con:
        planted, found = con.execute(
            "SELECT sum(planted), sum(found) FROM control WHERE kind = 'positive'"
        ).fetchone() or (0, 0)
        strangers = con.execute("SELECT count(*) FROM exchange WHERE tenant LIKE 'control-%'").fetchone()
        wrong = con.execute("SELECT count(*) FROM control WHERE kind = 'negative' AND found > 0").fetchone()
    assert planted == found > 20
    assert strangers == wrong == (0,)
