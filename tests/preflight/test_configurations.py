"""Twelve small configurations, good and bad, of SGLang and vLLM: the answers, their reasons, and their fixes."""

import json
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app
from forensics.preflight import documents
from forensics.preflight.answers import Answers, Row
from forensics.preflight.run import preflight

HERE = Path(__file__).parent / "configurations"
P, G, U, F = "pass", "fragile", "cannot_tell", "fail"

EXPECTED = {
    "01-published": (1, (F, F, U, U, U, U)),
    "02-sound": (0, (P, P, P, P, P, P)),
    "03-helm-values-alone": (2, (U, U, U, U, U, U)),
    "04-fragile-old-version": (1, (G, F, U, P, P, P)),
    "05-pools-of-log-lines": (2, (U, U, U, U, U, U)),
    "06-context-not-stated": (1, (F, F, U, U, U, U)),
    "07-ranks-of-two-sizes": (1, (F, F, U, U, U, U)),
    "08-one-process": (0, (P, P, P, P, P, P)),
    "09-truncating-launch-script": (1, (F, F, F, U, U, U)),
    "10-vllm": (0, (P, P, P, P, P, P)),
    "11-vllm-disaggregated": (1, (U, F, U, U, U, U)),
    "12-vllm-production-values": (2, (U, U, U, U, U, U)),
}


@cache
def answers(name: str) -> Answers:
    """The answers for one of the configurations."""
    return preflight([HERE / name])


def row(found: Answers, check: str, subject: str = "deployment") -> Row:
    """The one row of a check whose subject ends so."""
    (only,) = [each for each in found.rows if each.check == check and Path(each.subject).name == subject]
    return only


def test_there_are_twelve() -> None:
    assert sorted(EXPECTED) == sorted(each.name for each in HERE.iterdir())
    assert len(EXPECTED) == 12


@pytest.mark.parametrize("name", EXPECTED)
def test_answers_and_exit_code(name: str) -> None:
    found = answers(name)
    code, letters = EXPECTED[name]
    assert not found.problems
    assert tuple(found.letters.values()) == letters
    assert found.exit_code == code


@pytest.mark.parametrize("name", EXPECTED)
def test_whatever_does_not_pass_says_why_and_what_to_do(name: str) -> None:
    for each in answers(name).rows:
        assert each.reason
        assert each.setting
        assert bool(each.fix) == (each.answer != "pass"), each


@pytest.mark.parametrize("name", EXPECTED)
def test_no_secret_is_told(name: str) -> None:
    found = answers(name)
    for document in (documents.text, documents.as_json, documents.junit):
        assert "sk-not-to-be-shown" not in document(found)


def test_the_published_one_fails_on_its_pool_with_the_fix() -> None:
    found = answers("01-published")
    pool = row(found, "a_pool", "prefill-0.json")
    assert pool.answer == "fail"
    assert pool.reason.startswith("pool 681,280 under context 1,048,576: prompts from 681,274 tokens on")
    assert "--context-length to 680960 or less" in pool.fix
    assert "enlarge the pool to at least 1,048,576 tokens" in pool.fix
    assert "681,274 to 1,048,569 tokens" in row(found, "a_window").reason
    assert row(found, "a_version", "prefill-0.json").answer == "fail"
    assert row(found, "a_version", "decode-0.json").answer == "fragile"


def test_helm_values_alone_tell_neither_pool_nor_version() -> None:
    found = answers("03-helm-values-alone")
    for role in ("prefill", "decode"):
        assert "free at each start" in row(found, "a_pool", f"values.yaml {role}").reason
        assert "0.5.11" in row(found, "a_version", f"values.yaml {role}").reason
    assert row(found, "a_workers").reason == "no running process was given"


def test_limits_before_the_last_start_do_not_count() -> None:
    found = answers("05-pools-of-log-lines")
    assert row(found, "a_pool", "decode-0.log").answer == "cannot_tell"
    assert "started again" in row(found, "a_pool", "decode-0.log").reason
    assert "margin 22,784 tokens (8 %)" in row(found, "a_pool", "prefill-0.log").reason
    assert row(found, "a_pool", "prefill-0.log").where.endswith("prefill-0.log:2")


def test_a_context_that_is_not_stated_follows_from_the_longest_input() -> None:
    found = answers("06-context-not-stated")
    assert "pool 284,928 under context at least 284,929" in row(found, "a_pool", "prefill-0.json").reason
    assert "context 163,840" in row(found, "a_pool", "decode-0.json").reason


def test_every_rank_counts() -> None:
    found = answers("07-ranks-of-two-sizes")
    assert "pool 229,376 under context 262,144" in row(found, "a_pool", "prefill-0.json").reason
    assert "1 of 32 data-parallel ranks" in row(found, "a_pool", "decode-0.log").reason
    assert row(found, "b_detectors", "decode-0.log").where.endswith("decode-0.log:3")


def test_a_manifest_says_what_running_processes_cannot() -> None:
    found = answers("02-sound")
    assert row(found, "c_deferred", "decode-0.json").reason == "deferred release is on, for up to 90 s, as declared"
    assert "180,000 of 1,376,256 tokens" in row(found, "c_capacity", "decode-0.json").reason


def test_a_default_that_is_too_short_fails() -> None:
    found = answers("09-truncating-launch-script")
    assert "30 s" in row(found, "c_deferred", "decode.sh").reason
    assert "--allow-auto-truncate" in row(found, "a_rejection_decode", "decode.sh").reason


def test_the_order_of_files_does_not_matter() -> None:
    files = sorted((HERE / "02-sound").iterdir())
    assert documents.as_json(preflight(files)) == documents.as_json(preflight(files[::-1]))


def test_json_and_junit_say_the_same() -> None:
    found = answers("01-published")
    told = json.loads(documents.as_json(found))
    root = ET.fromstring(documents.junit(found))  # noqa: S314 - our own document
    assert told["exit_code"] == 1
    assert told["letters"]["A"]["answer"] == "fail"
    for tag, answer in (("failure", "fail"), ("error", "cannot_tell")):
        assert len(root.findall(f".//{tag}")) == sum(each["answer"] == answer for each in told["checks"])
    assert len(root.findall(".//testcase")) == len(told["checks"])


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_the_command(form: str) -> None:
    for name in ("02-sound", "03-helm-values-alone", "01-published"):
        ran = CliRunner().invoke(app, ["preflight", str(HERE / name), "--format", form])
        assert ran.exit_code == EXPECTED[name][0]
        assert ran.stdout == {"text": documents.text, "json": documents.as_json, "junit": documents.junit}[form](
            answers(name)
        )
