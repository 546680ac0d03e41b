"""Nights through the audit: what is told, and how often, when files are late or sent twice and runs are killed."""

import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.audit import FINGERPRINTS, Plan, long_leaks, play, simulate, wanted
from forensics.audit import keep
from forensics.audit.asking import ask
from forensics.audit.config import load
from forensics.audit.result import Result
from forensics.audit.run import Audit
from forensics.audit.store import Store
from forensics.errors import ForensicsError
from forensics.scenario.nights import Nights

PLAN = Plan(4, leaks=frozenset({1, 3}), missing=2, late=1, killed=3)
NOW = int(datetime(2026, 10, 6, 23, tzinfo=UTC).timestamp()) * 10**9
DAY = 86_400 * 10**9


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    return simulate(tmp_path_factory.mktemp("nights"), PLAN, crowd=2)


def test_a_missing_night_a_late_file_and_a_killed_run_change_nothing(nights: Nights) -> None:
    work = nights.case.parent.parent
    texts = play(work, nights, PLAN, "plaintext", "")
    assert texts.told == Counter(wanted(nights, PLAN))
    holes = [(row["worker"], row["hour"][:10]) for each in texts.results for row in each.holes if row["kind"] == "hole"]
    assert sorted(holes) == [(who, "2026-10-08") for who in ("decode-a", "decode-b", "gateway")]
    codes = [each.exit_code() for each in texts.results]
    assert codes[0] == 0
    assert codes[2] == 2
    prints = play(work, nights, PLAN, "fingerprints", FINGERPRINTS)
    assert prints.told == texts.told
    long = long_leaks(nights) & texts.disclosed
    assert long
    assert long <= prints.disclosed
    _holds_no_text(work / "fingerprints" / "store", nights)
    _can_be_asked(Audit(load(work / "fingerprints" / "audit.toml"), work / "fingerprints"), nights)


def _can_be_asked(audit: Audit, nights: Nights) -> None:
    """Months later somebody shows an answer: whose words does it hold? Without the key there is no telling."""
    lost = (nights.folders[PLAN.missing] / "litellm" / "standard_logging.jsonl").read_text(encoding="utf-8")
    words = [word for each in nights.truth.exchanges for word in each.words if word["how"] == "verbatim"]
    words = [word for word in words if word["source"] not in lost]
    longest = max(words, key=lambda word: len(word["output_text"]))
    rows = ask(audit, f"It said: {longest['output_text'].upper()}, and I never wrote that.")
    assert longest["source"] in {row["request_id"] for row in rows if row["shared"] >= 40}
    assert ask(audit, "Nobody ever said a single word about zeppelins over Antwerp in 1911.") == []
    audit.base.parent.joinpath("audit.key").write_text("another key, of whoever stole it")
    with pytest.raises(ForensicsError, match="another key"):
        ask(audit, longest["output_text"])


def _holds_no_text(store: Path, nights: Nights) -> None:
    """No word that a client wrote or was told stands anywhere in the store."""
    words = [word["output_text"] for each in nights.truth.exchanges for word in each.words]
    said = [text for text in words if len(text) > 40]
    assert said
    assert not list(store.rglob("text.parquet"))
    for path in (each for each in store.rglob("*") if each.is_file()):
        packed = path.suffix == ".parquet"
        held = repr(pq.read_table(path).to_pylist()) if packed else path.read_bytes().decode("utf-8", "replace")
        assert not any(text in held or repr(text)[1:-1] in held for text in said), path


class _KilledError(BaseException):
    """Ends a run where it is, as a signal would: nothing of ours catches it."""


def test_a_run_killed_anywhere_is_done_again_wholly(
    nights: Nights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(nights.case, tmp_path / "case.toml")
    (tmp_path / "audit.toml").write_text('inputs = ["logs"]\n')
    shutil.copytree(nights.folders[1], tmp_path / "logs" / "night-01")
    audit = Audit(load(tmp_path / "audit.toml"), tmp_path, with_controls=False)
    leaked = {each.request_id for each in nights.truth.exchanges if each.integrity == "affected"}

    def killed(*_: object, **__: object) -> None:
        raise _KilledError

    for place, name in ((keep, "expire"), (Store, "commit"), (Audit, "_publish")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, killed)
            with pytest.raises(_KilledError):
                audit.run(now_ns=NOW + DAY)
    # The last one died after its commit, before anybody heard of it: the next run says so in its place.
    first, second = audit.run(now_ns=NOW + DAY)
    told = [row["request_id"] for row in first.findings]
    assert sorted(told) == sorted(set(told) & leaked) != []
    assert (first.exit_code(), second.exit_code()) == (1, 0)
    audit.tell([first, second])

    shutil.copytree(tmp_path / "logs" / "night-01", tmp_path / "logs" / "sent-again" / "night-01")
    again = _only(audit.run(now_ns=NOW - 30 * DAY))
    assert (again.findings, again.files, again.copies > 0) == ([], 0, True)
    assert "went back" in again.notes[0]
    ahead = _only(audit.run(now_ns=NOW + 400 * DAY)[1:])
    assert (ahead.expired, ahead.findings) == (0, [])


def _only(results: list[Result]) -> Result:
    assert len(results) == 1
    return results[0]
