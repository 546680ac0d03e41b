"""``forensics audit`` as it is called."""

import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app


def _declared(folder: Path, more: str = "") -> str:
    (folder / "logs").mkdir()
    (folder / "case.toml").write_text('title = "Nightly"\n')
    (folder / "audit.toml").write_text(f'inputs = ["logs"]\n{more}')
    return str(folder / "audit.toml")


def test_it_runs_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, paused = _declared(tmp_path), []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", pause)
    done = CliRunner().invoke(app, ["audit", config, "--every", "5m"])
    assert [line.split(" at ")[0] for line in done.stdout.splitlines()] == ["run 1", "run 2"]
    assert all(200 < each <= 300 for each in paused)


@pytest.mark.parametrize("wrong", [["--every", "soon"], ["--now", "yesterday"], ["--now", "2026-10-07T03:00:00"]])
def test_what_is_wrong_is_said(wrong: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["audit", _declared(tmp_path), *wrong])
    assert done.exception is not None
    assert "Write" in str(done.exception)


def test_an_input_that_cannot_be_read_is_told_once_and_tried_again(tmp_path: Path) -> None:
    config = _declared(tmp_path)
    (tmp_path / "logs" / "what.log").write_text("nothing that anybody would know\n" * 5)
    first, second = (CliRunner().invoke(app, ["audit", config]) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (2, 0)
    assert "problem" in first.stdout
    assert "what.log" in first.stdout
    assert "problem" not in second.stdout


def test_a_hook_that_fails_is_told_again_by_the_next_run(tmp_path: Path) -> None:
    config = _declared(tmp_path, '[[hook]]\ncommand = ["false"]\non = "always"\n')
    first = CliRunner().invoke(app, ["audit", config])
    assert first.exit_code == 2
    assert "not reached" in first.stderr
