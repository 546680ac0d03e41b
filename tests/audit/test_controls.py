"""Every run that judges anything plants what it must find, and counts nothing if it does not."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.audit import simulate
from forensics.audit import planted
from forensics.audit.config import load
from forensics.audit.fingerprints import Key
from forensics.audit.run import Audit
from forensics.audit.shelf import Hits, Shelf
from forensics.cli.audit import _lines
from forensics.errors import ForensicsError
from tests.audit.test_nights import NOW, PLAN

BLIND = "[thresholds]\nprobable_margin_bits = 4000\nconfirmed_margin_bits = 5000\n"


def _audit(folder: Path, *, more: str = "") -> Audit:
    nights = simulate(folder, PLAN, crowd=1)
    (folder / "case.toml").write_text(nights.case.read_text(encoding="utf-8") + more, encoding="utf-8")
    (folder / "audit.toml").write_text('inputs = ["logs"]\n')
    shutil.copytree(nights.folders[0], folder / "logs" / "night-00")
    return Audit(load(folder / "audit.toml"), folder)


def test_what_was_planted_is_found_and_told(tmp_path: Path) -> None:
    (result,) = _audit(tmp_path).run(now_ns=NOW)
    must, found = result.planted("positive")
    assert must == found > 20
    assert result.findings == []
    assert f"controls {found} of {must} planted exchanges found" in "\n".join(_lines(result))
    page = (tmp_path / "store" / "runs" / "000001" / "run.html").read_text()
    assert f"Controls: {found} of {must} planted exchanges were found" in page


def test_a_blind_run_counts_nothing_and_is_done_again(tmp_path: Path) -> None:
    audit = _audit(tmp_path, more=BLIND)
    with pytest.raises(ForensicsError, match="positive controls were not found"):
        audit.run(now_ns=NOW)
    (result,) = Audit(audit.config, tmp_path, with_controls=False).run(now_ns=NOW)
    assert (result.run, result.files > 0) == (1, True)


def test_fingerprints_that_are_not_found_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = Key.of(b"k" * 32)
    planted.watch(tmp_path / "sound", key, 8)

    def blind(_self: Shelf, _values: object) -> Iterator[Hits]:
        return iter(())

    monkeypatch.setattr(Shelf, "look_up", blind)
    with pytest.raises(ForensicsError, match="planted text was not found"):
        planted.watch(tmp_path / "blind", key, 8)
