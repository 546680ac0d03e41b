"""What is told once, what floors ask for, and what drift is."""

import io
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from forensics.audit import coverage, drift, hooks, keep, news, night, outputs, pages
from forensics.audit.config import Expect, Hook, Timing, load
from forensics.audit.result import Result
from forensics.audit.store import Watermark
from forensics.errors import ForensicsError

HOUR = coverage.HOUR_NS
DAY = night.DAY_NS


def _row(**facts: Any) -> dict[str, Any]:
    return {
        "exchange_id": "x1", "request_id": "r1", "tenant": "acme", "mechanism": "over_pool", "decode_rid": "d1",
        "decode_worker": "decode-0", "received_ns": 10**18, "disclosure": "none_found", "received_at": "2026",
        "path": "/l", "line": 3, "source_tenant": None, "model": "m",
    } | facts  # fmt: skip


def test_a_finding_is_told_once_under_whatever_id_it_comes_back() -> None:
    mark, here = Watermark(), frozenset({"x1", "x2"})
    assert len(news.sort_out([_row()], mark, here, []).findings) == 1
    again = news.sort_out([_row(disclosure="confirmed")], mark, here, [])
    assert again.findings == []
    assert [(each["before"], each["disclosure"]) for each in again.changed] == [("none_found", "confirmed")]
    renamed = _row(exchange_id="x2", request_id="other", received_ns=10**18 + 5)
    assert news.sort_out([renamed], mark, frozenset({"x2"}), []).findings == []
    assert len(mark.reported) == 1


def test_an_id_used_twice_hides_nothing() -> None:
    """A tenant that sends one request id again, seconds later, cannot make the second leak look known."""
    mark = Watermark()
    news.sort_out([_row()], mark, frozenset({"x1"}), [])
    assert len(news.sort_out([_row(exchange_id="x2")], mark, frozenset({"x1", "x2"}), []).findings) == 1


def test_what_is_accepted_is_noted_and_not_told(tmp_path: Path) -> None:
    path = tmp_path / "accepted.jsonl"
    path.write_text('{"tenant": "acme", "mechanism": "over_pool", "why": "our own reproduction"}\n')
    found = news.sort_out([_row()], Watermark(), frozenset(), news.accepted(path))
    assert (len(found.findings), len(found.accepted)) == (0, 1)
    for wrong in ('{"why": "all"}', '{"tenant": "acme"}', "no json", '{"tenannt": "acme", "why": "x"}'):
        path.write_text(wrong)
        with pytest.raises(ForensicsError, match=r"accepted|not JSON"):
            news.accepted(path)


def test_hours_below_their_floor_are_holes() -> None:
    every_other = sum(1 << minute for minute in range(0, 60, 2))
    ledger = coverage.HourLedger({("decode-0", 100): (30, every_other), ("decode-0", 101): (5, 1)})
    found = coverage.holes([Expect("decode-0")], ledger, began_ns=100 * HOUR, since_ns=0, until_ns=103 * HOUR)
    assert [hour for _, hour in found] == [102]
    quiet = Expect("decode-0", quiet_minutes=10)
    found = coverage.holes([quiet], ledger, began_ns=100 * HOUR, since_ns=0, until_ns=103 * HOUR - 1)
    assert {hour: row["why"] for (_, hour), row in found.items()} == {
        101: "59 minutes without a record, at most 10 are allowed"
    }
    rows = coverage.told([("d", 5), ("d", 4), ("d", 7)], {("d", n): {"why": "none", "hour": n} for n in (4, 5, 7)})
    assert [(row["hour"], row["hours"]) for row in rows] == [(4, 2), (7, 1)]
    assert coverage.holes([quiet], ledger, began_ns=None, since_ns=0, until_ns=103 * HOUR) == {}
    assert list(coverage.due(Expect("x", hours=(4,)), 0, 0, 48 * HOUR)) == [4, 28]


def test_a_clock_that_jumps_lets_nothing_expire() -> None:
    newest = 1_000 * DAY
    entry = {"last_ns": newest, "path": "/logs/a"}
    for now in (newest, newest + 400 * DAY, newest - 400 * DAY):
        mark = Watermark(contents={"k": dict(entry)}, runs={"000001": [0, newest]}, latest_ns=newest)
        assert keep.expire(mark, night.horizon(now, newest, 14), frozenset()) == 0
        assert mark.contents
    mark = Watermark(contents={"k": dict(entry)}, runs={"000001": [0, newest]})
    assert keep.expire(mark, night.horizon(newest + 400 * DAY, newest + 15 * DAY, 14), frozenset()) == 1
    assert not mark.runs


def test_drift_is_a_change_for_the_worse(tmp_path: Path) -> None:
    now = {"a_pool p": {"check": "a_pool", "subject": "p", "answer": "fail", "reason": "r", "fix": "f"}}
    assert drift.worse(now, {}) == []
    assert [row["before"] for row in drift.worse(now, {"a_pool p": "pass"})] == ["pass"]
    assert drift.worse(now, {"a_pool p": "fail"}) == []
    group = {"model": "m", "worker": "d", "size_class": 10, "requests": 40, "fast_us": 1}
    kept = []
    for number, median in enumerate((1000, 1100, 1200)):
        kept.append(tmp_path / str(number))
        kept[-1].mkdir()
        (kept[-1] / drift.TIMES).write_text(json.dumps([{**group, "median_us": median}]))
    for median, how in ((2500, ["slower"]), (499, ["faster"]), (2400, []), (500, [])):
        assert [row["how"] for row in drift.drifted([{**group, "median_us": median}], kept, Timing())] == how
    assert drift.drifted([{**group, "median_us": 9000}], kept[:2], Timing()) == []


def _result() -> Result:
    hostile = '<script>alert(1)</script>\x1b[2J=cmd|" /c'
    found = _row(finding="0123456789abcdef", request_id=hostile, disclosure="confirmed")
    hole = {"kind": "hole", "worker": "decode-0", "hour": "2026-10-08T08:00:00Z", "why": "0 records"}
    return Result(7, "2026-10-08T23:00:00Z", exchanges=5, findings=[found], holes=[hole])


def test_exit_codes() -> None:
    both = _result()
    assert (both.exit_code(), both.exit_code(strict=True)) == (1, 2)
    assert Result(1, "", holes=both.holes).exit_code() == 2
    assert Result(1, "", problems=["x"]).exit_code() == 2
    assert Result(1, "").exit_code(strict=True) == 0


def test_outputs_are_inert_and_what_their_readers_ask_for() -> None:
    result = _result()
    page = pages.page(result) + pages.trend([result])
    assert "<script>" not in page
    assert "\x1b" not in page + outputs.lines(outputs.news(result))
    assert "incomplete" in page
    events = [json.loads(line) for line in outputs.lines(outputs.ocsf(result)).splitlines()]
    assert [(each["class_uid"], each["evidences"][0]["verdict_id"]) for each in events] == [(2004, 2), (2004, 7)]
    for each in events:
        assert set(each) >= _OCSF
        assert set(each["finding_info"]) >= {"title", "uid"}
        assert set(each["metadata"]) >= {"product", "version"}
    text = outputs.prometheus(result, exit_code=1, known=1, open_holes=1)
    assert "forensics_audit_new_findings 1\n" in text
    assert text.endswith("\n")


_OCSF = {"activity_id", "category_uid", "class_uid", "finding_info", "metadata", "severity_id", "time", "type_uid"}
"""What OCSF 1.4 requires of a Detection Finding."""


def test_hooks_tell_by_command_only_if_there_is_something_and_say_if_they_could_not(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    hook = Hook(command=("tee", str(heard)))
    assert hooks.tell([hook], Result(1, "2026-10-08T23:00:00Z")) == []
    assert not heard.exists()
    assert hooks.tell([hook], _result()) == []
    assert json.loads(heard.read_text().splitlines()[0])["id"] == "0123456789abcdef"
    assert "not reached" in hooks.tell([Hook(command=("false",))], _result())[0]
    assert "not reached" in hooks.tell([Hook(command=("/no/such/command",), on="always")], Result(1, "2026-10-08"))[0]


def test_hooks_post_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = []

    def post(asked: Any, timeout: float) -> io.BytesIO:
        posted.append((asked.full_url, asked.get_method(), asked.get_header("X-forensics-run"), asked.data, timeout))
        return io.BytesIO()

    monkeypatch.setattr(urllib.request, "urlopen", post)
    assert hooks.tell([Hook(webhook="https://desk.example/hook?token=secret")], _result()) == []
    address, method, run, data, timeout = posted[0]
    assert (address, method, run, timeout) == ("https://desk.example/hook?token=secret", "POST", "7", 30)
    assert [json.loads(line)["kind"] for line in data.splitlines()] == ["finding", "hole"]

    def refuse(*_: object, **__: object) -> None:
        raise OSError("refused")

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    (fault,) = hooks.tell([Hook(webhook="https://desk.example/hook?token=secret")], _result())
    assert "secret" not in fault


def test_declarations_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "audit.toml"
    for text, what in (
        ("", "nothing to read"),
        ('input = ["x"]', "Did you mean 'inputs'"),
        ('inputs = ["x"]\n[keep]\nretention = "none"', "unknown retention"),
        ('inputs = ["x"]\n[keep]\nretention = "fingerprints"\nkey_file = "store/key"', "lies in the store"),
        ('inputs = ["x"]\n[[hook]]\nwebhook = "ftp://x"', "no address"),
        ('inputs = ["x"]\n[[hook]]', "either a command or a webhook"),
        ('inputs = ["x"]\n[[expect]]\nworker = "d"\nhours = [24]', "from 0 to 23"),
    ):
        path.write_text(text)
        with pytest.raises(ForensicsError, match=what):
            load(path)
    path.write_text('inputs = ["x"]\n[keep]\nretention = "fingerprints"\nkey_file = "key"')
    with pytest.raises(ForensicsError, match="cannot read the key"):
        load(path).key(tmp_path)
    (tmp_path / "key").write_text("short")
    with pytest.raises(ForensicsError, match="fewer than 16"):
        load(path).key(tmp_path)
