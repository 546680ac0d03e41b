"""The three commands as a person types them, from a checkout and from a wheel."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forensics.cli.app import app

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-c", "from forensics.cli.app import main; main()"]


def forensics(*arguments: object, cwd: Path, package: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(package), "COLUMNS": "120", "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_demo_story_is_right_and_says_so(tmp_path: Path) -> None:
    done = forensics("demo", "--story", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "affected responses" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_wheel_carries_queries_and_reports_and_runs_the_demo(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    package = tmp_path / "installed"
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(package)
    done = forensics("demo", "--story", "demo", cwd=tmp_path, package=package)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ingest", "nowhere", "x"], "not a case folder"),
        (["analyze", "nowhere"], "not a case folder"),
        (["report", "nowhere"], "not a case folder"),
        (["verdicts", "nowhere"], "not a case folder"),
        (["explain", "nowhere", "x"], "not a case folder"),
        (["sql", "nowhere"], "not a case folder"),
    ],
)
def test_no_case_is_one_clear_line_and_exit_code_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = forensics(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_misspelt_declarations_are_named_with_their_line(tmp_path: Path) -> None:
    assert forensics("init", "case", cwd=tmp_path).returncode == 0
    declared = tmp_path / "case" / "case.toml"
    declared.write_text('title = "x"\n[[source]]\nfils = "*"\n', encoding="utf-8")
    done = forensics("analyze", "case", cwd=tmp_path)
    assert done.returncode == 2
    assert "case.toml:3" in done.stderr
    assert "'files'" in done.stderr


def test_help_shows_examples() -> None:
    for command in ("demo", "init", "ingest", "analyze", "report", "verdicts", "explain", "compare", "sql"):
        done = CliRunner(env={"TERM": "dumb", "NO_COLOR": "1"}).invoke(app, [command, "--help"])
        assert done.exit_code == 0
        assert "Examples" in done.output, command
