"""Counts agree over headline, summary, exports and letters, whatever is looked at."""

import csv
import json

import duckdb
import pytest

from forensics.case.database import connect
from forensics.disclose.headline import headline
from forensics.disclose.run import report
from forensics.disclose.summary import summary
from forensics.disclose.tables import prepare
from forensics.errors import ForensicsError

from .conftest import Run
from .world import World, incident


def test_the_summary_counts_customers_and_unresolved_and_prints_the_rest_beside(run: Run) -> None:
    found = run.json("summary.json")
    assert found["affected"] == 7
    assert found["affected_by_mechanism"] == {"late_write": 1, "over_pool": 6}
    assert found["disclosure"] == {"confirmed": 3, "probable": 1, "none_found": 2, "undetermined": 1}
    assert found["disclosure_undetermined"] == {"prompt_truncated": 1}
    assert found["undetermined"] == {"engine_log_missing": 1, "limits_unknown": 1, "placement_unknown": 2}
    assert found["affected_by_class"] == {"customer": 6, "internal": 1, "researcher": 1, "unresolved": 1}
    assert found["over_pool"] == {"total": 11, "refused": 1, "no_output": 1, "truncated": 1, "answered": 8}
    assert found["tenants"] == {"recipients": 4, "sources": 2, "possible_sources": 2}
    assert found["boundary"]["in_band"] == 1


def test_the_headline_prints_parts_unknowns_and_denominators(run: Run) -> None:
    assert run.text("headline.txt") == (
        "7 affected responses (a total over mechanisms: 1 late write, by text found where the mechanism was possible; "
        "6 over-pool, by mechanism): 4 carry another tenant's text (3 confirmed, 1 probable), 2 scanned with none "
        "found, 1 undetermined (1 prompt_truncated). Beyond these, 4 responses whose integrity is undetermined "
        "(2 placement_unknown, 1 engine_log_missing, 1 limits_unknown). 11 over-pool requests in all, of every class "
        "of tenant: 8 answered, 1 refused, 1 ended before a byte, 1 truncated by the engine. By the engine's predicate "
        "(at least 6,806 tokens) 6 of the affected are over-pool, by the wording 'longer than the pool' (6,812) 5; "
        "1 lie between (tokens as the engine counted them). Counted apart: 1 internal, 1 researcher. Of the affected, "
        "1 could not be attributed to a tenant. 24 exchanges examined.\n"
    )


def test_exports_hold_the_rows_that_the_headline_counts(run: Run) -> None:
    counts = run.json("summary.json")
    rows = [json.loads(line) for line in run.text("verdicts.jsonl").splitlines()]
    table = list(csv.DictReader(run.text("verdicts.csv").splitlines()))
    assert len(rows) == len(table) == counts["examined"]
    for found in (rows, table):
        counted = [
            row for row in found if row["integrity"] == "affected" and row["tenant_class"] in ("customer", "unresolved")
        ]
        assert len(counted) == counts["affected"]
    assert [row["request_id"] for row in rows] == [row["request_id"] for row in table]
    assert rows == sorted(rows, key=lambda row: (row["received_at"], row["request_id"]))


def test_letters_list_every_affected_response_of_a_customer_once(run: Run) -> None:
    counts, told = run.json("summary.json"), run.json("letters.json")["letters"]
    customers = [each for each in told if each["tenant_class"] == "customer"]
    assert sum(each["received"] for each in customers) == counts["affected"] - counts["affected_unresolved"]
    listed = [
        row["request_id"]
        for each in customers
        for row in csv.DictReader(run.text(f"{each['folder']}/requests.csv").splitlines())
        if row["part"] == "answer received"
    ]
    assert len(listed) == len(set(listed)) == counts["affected"] - counts["affected_unresolved"]
    assert sum("source" in each["roles"] for each in told) == counts["tenants"]["sources"]
    assert sum("possible_source" in each["roles"] for each in told) == counts["tenants"]["possible_sources"]


def test_tenants_with_undetermined_responses_alone_are_named_as_not_told(run: Run) -> None:
    assert [each["tenant"] for each in run.json("letters.json")["not_told"]] == ["only unknown"]


def test_parts_that_do_not_add_up_stop_the_report(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = incident()
    world.exchange("acme", over_pool="vanished")
    case = world.build(tmp_path_factory.mktemp("sums") / "case")
    with pytest.raises(ForensicsError, match="over-pool requests"):
        report(case)
    assert not list(case.runs.iterdir())


def test_a_count_from_metadata_alone_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World()
    world.file()
    key = world.exchange("acme", "affected", mechanism="over_pool", over_pool="answered", basis="metadata")
    world.suspect(key, "over_pool", "established", "answered")
    case = world.build(tmp_path_factory.mktemp("metadata") / "case")
    with connect(case) as con:
        prepare(con, case)
        said = headline(summary(con, case))
    assert said.startswith("1 affected response (over-pool, by mechanism): 1 not examined for what they hold.")
    assert "from metadata alone: no text was read" in said


def test_no_affected_response_is_said_with_what_was_looked_for(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World()
    world.file()
    world.suspect(world.exchange("acme"), "over_pool", "excluded")
    case = world.build(tmp_path_factory.mktemp("clean") / "case")
    with connect(case) as con:
        prepare(con, case)
        said = headline(summary(con, case))
    assert said == (
        "0 affected responses (over-pool looked for). No response whose integrity is undetermined. 1 exchange examined."
    )


def test_an_unanalyzed_case_is_told_to_be_analyzed(tmp_path_factory: pytest.TempPathFactory) -> None:
    case = World().build(tmp_path_factory.mktemp("raw") / "case")
    with duckdb.connect(str(case.database)) as con:
        con.execute("DROP TABLE verdict")
    with pytest.raises(ForensicsError, match="not analyzed"):
        report(case)
