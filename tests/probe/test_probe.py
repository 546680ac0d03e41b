"""The probe against a local server: what is found where it is, nothing where it is not, and no text is kept."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app
from forensics.errors import ForensicsError
from forensics.probe import markers, passive
from forensics.probe.client import Client, Endpoint, Pacer
from forensics.probe.run import Outcome, Plan, probe
from tests.probe.server import STRANGER, Engine, serving

pytestmark = pytest.mark.enable_socket

ROOT = Path(__file__).parents[2]
QUICK = Plan(prefixes=24, words=200, canaries=2, rate=10.0, most=400, timeout=20)
PROVOKE = replace(
    QUICK, provoke=True, statement="a server of this test, nobody else is served", rounds=1, over_words=8_000
)


@pytest.fixture(autouse=True)
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server needs no pauses; the pace has a test of its own."""
    monkeypatch.setattr("forensics.probe.client.sleep", lambda _: None)


def asked(
    engine: Engine, plan: Plan, folder: Path, salts: dict[str, str] | None = None
) -> tuple[Outcome, dict[str, Any]]:
    with serving(engine) as url, pytest.MonkeyPatch.context() as patched:
        patched.setattr("forensics.probe.client.perf_counter_ns", engine.clock)
        endpoint = Endpoint(url, "m", {"a": "key-of-a", "b": "key-of-b"}, salts or {})
        outcome = probe(endpoint, plan, folder)
    return outcome, json.loads((folder / "probe.json").read_text(encoding="utf-8"))


def kept(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))


def test_caches_kept_apart(tmp_path: Path) -> None:
    outcome, record = asked(Engine(), QUICK, tmp_path / "p")
    assert outcome.isolation is not None
    assert (outcome.isolation.status, outcome.canaries, outcome.exit_code) == ("held", (), 0)
    assert record["mode"] == "passive"
    assert record["requests"] == len((tmp_path / "p" / "requests.jsonl").read_text().splitlines())


def test_a_shared_cache_is_found(tmp_path: Path) -> None:
    outcome, record = asked(Engine(shared_cache=True), QUICK, tmp_path / "p")
    assert outcome.isolation is not None
    assert (outcome.isolation.status, outcome.exit_code) == ("refuted", 1)
    assert record["isolation"]["naive"] == "refuted"


def test_a_count_of_cached_tokens_is_enough(tmp_path: Path) -> None:
    outcome, record = asked(Engine(shared_cache=True, counts_cached=True), QUICK, tmp_path / "p")
    assert outcome.exit_code == 1
    assert "counts cached tokens" in record["isolation"]["reason"]


@pytest.mark.parametrize(("heeds", "said"), [(True, "took effect"), (False, "not shown to take effect")])
def test_salts_are_shown_to_take_effect(tmp_path: Path, heeds: bool, said: str) -> None:
    engine = Engine(shared_cache=True, heeds_salt=heeds)
    outcome, record = asked(engine, QUICK, tmp_path / "p", {"a": "salt-a", "b": "salt-b"})
    assert outcome.isolation is not None
    assert record["isolation"]["salts"] == said
    assert outcome.isolation.status == ("held" if heeds else "refuted")


@pytest.mark.parametrize(("leak", "how"), [("canary", "verbatim"), ("garbled", "fuzzy")])
def test_a_canary_of_ordinary_size_is_found(tmp_path: Path, leak: str, how: str) -> None:
    outcome, record = asked(Engine(leak=leak, leaks_always=True), QUICK, tmp_path / "p")
    assert outcome.exit_code == 1
    assert {each["how"] for each in record["canaries_found"]} == {how}


def test_an_over_long_prompt_brings_out_the_canary(tmp_path: Path) -> None:
    outcome, record = asked(Engine(leak="canary"), PROVOKE, tmp_path / "p")
    assert [each["provocation"] for each in outcome.canaries] == ["over-long"]
    assert record["statement"].startswith("a server of this test")
    assert record["isolation"] is None


def test_a_stranger_s_text_is_not_kept_and_ends_the_run(tmp_path: Path) -> None:
    engine = Engine(leak="stranger")
    outcome, record = asked(engine, replace(PROVOKE, rounds=5), tmp_path / "p")
    (seen,) = record["unexplained"]
    assert set(seen) == {"provocation", "request_id", "at", "length", "hmac_sha256"}
    assert seen["length"] == len(STRANGER)
    assert outcome.exit_code == 1
    assert "Okafor" not in kept(tmp_path / "p")
    assert len(engine.asked) < 6


@pytest.mark.parametrize("leak", ["none", "echo"])
def test_nothing_is_alleged_of_a_sound_engine(tmp_path: Path, leak: str) -> None:
    outcome, _ = asked(Engine(leak=leak), PROVOKE, tmp_path / "p")
    assert (outcome.canaries, outcome.unexplained, outcome.exit_code) == ((), (), 0)
    kinds = {json.loads(line)["kind"] for line in (tmp_path / "p" / "requests.jsonl").read_text().splitlines()}
    assert {"over-long", "disconnect", "timeout", "burst"} <= kinds


def test_markers_are_found_through_damage_and_in_nothing_else() -> None:
    planted = [markers.make() for _ in range(20)]
    damaged = planted[7][3:].replace("a", "", 2).upper()
    assert markers.find(planted, f"well, {planted[4]}!") == markers.Hit(4, "verbatim", 100)
    hit = markers.find(planted, f"as I said, {damaged}, and so on")
    assert hit is not None
    assert (hit.marker, hit.how) == (7, "fuzzy")
    assert markers.find(planted, markers.filler(400)) is None
    assert markers.find(planted, "") is None


def test_rate_and_count_are_bounded(tmp_path: Path) -> None:
    for rate, most in ((0, 10), (11, 10), (1, 0), (1, 2_001)):
        with pytest.raises(ForensicsError):
            Pacer(rate, most)
    engine = Engine()
    with pytest.raises(ForensicsError, match="bound of 20 requests"):
        asked(engine, replace(QUICK, most=20), tmp_path / "p")
    assert len(engine.asked) == 20


def test_the_pace_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("forensics.probe.client.monotonic", lambda: 100.0)
    monkeypatch.setattr("forensics.probe.client.sleep", slept.append)
    pacer = Pacer(4.0, 10)
    for _ in range(4):
        pacer.wait()
    assert slept == pytest.approx([0.0, 0.25, 0.5, 0.75])


def test_a_refused_key_and_a_dead_endpoint_are_said(tmp_path: Path) -> None:
    with serving(Engine()) as url:
        endpoint = Endpoint(url, "m", {"a": "key-of-a", "b": "wrong"}, {})
        with pytest.raises(ForensicsError, match=r"tenant b was refused \(401\)"):
            probe(endpoint, QUICK, tmp_path / "p")
    with pytest.raises(ForensicsError, match="does not answer"):
        probe(endpoint, QUICK, tmp_path / "q")


def test_noisy_times_are_undetermined() -> None:
    times = passive.Times([30, 31, 29, 30] * 4, [30, 29, 31, 30] * 4, [29, 30, 30, 31] * 4)
    found = passive.weigh(times, 0.01)
    assert found.status == "undetermined"
    assert "tell nothing" in found.reason


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "--own-endpoint"),
        (["--own-endpoint", "--provoke"], "--isolated-endpoint"),
        (["--own-endpoint", "--provoke", "--isolated-endpoint"], "statement"),
        (["--own-endpoint", "--provoke", "--isolated-endpoint", "--statement", "me"], "--over-words"),
    ],
)
def test_nothing_is_sent_without_being_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], what: str
) -> None:
    monkeypatch.setenv("PROBE_KEY_A", "key-of-a")
    monkeypatch.setenv("PROBE_KEY_B", "key-of-b")
    engine = Engine()
    with serving(engine) as url:
        told = CliRunner().invoke(app, ["probe", url, "--model", "m", "--out", str(tmp_path / "p"), *words])
    assert isinstance(told.exception, ForensicsError)
    assert what in str(told.exception)
    assert engine.asked == []


def test_the_command_says_what_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_KEY_A", "key-of-a")
    monkeypatch.setenv("PROBE_KEY_B", "key-of-b")
    with serving(Engine(leak="stranger")) as url:
        options = ["--provoke", "--isolated-endpoint", "--statement", "mine", "--over-words", "8000", "--rate", "10"]
        told = CliRunner().invoke(
            app, ["probe", url, "--model", "m", "--out", str(tmp_path / "p"), "--own-endpoint", *options]
        )
    assert told.exit_code == 1, told.output
    assert "unexplained text, not kept" in told.output
    assert "To report it" in told.output
    assert "Okafor" not in told.output
    assert "key-of-a" not in told.output + kept(tmp_path / "p")


def test_only_the_probe_loads_an_http_client() -> None:
    users = [path for path in (ROOT / "forensics").rglob("*.py") if "httpx" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in users] == ["forensics/probe/client.py"]


def test_a_client_takes_no_proxy_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serving(Engine()) as url:
        client = Client(
            Endpoint(url, "m", {"a": "key-of-a", "b": "key-of-b"}, {}), Pacer(10, 10), timeout=20, note=lambda _: None
        )
        answer = client.ask("a", "hello", "test")
        client.close()
    assert answer is not None
    assert answer.text == "OK"
