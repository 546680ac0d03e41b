"""A few of the kills that ``benchmarks/kills.py`` makes by the hundred: every rerun ends in one and the same case."""

import subprocess
import sys
from pathlib import Path

from tests.cases.story import DECLARED, evidence

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "kills.py"


def test_killed_at_random_moments_and_run_again(tmp_path: Path) -> None:
    logs = evidence("sglang_requests", tmp_path)
    declared = tmp_path / "case.toml"
    declared.write_text(DECLARED)
    command = [sys.executable, str(BENCHMARK), "--kills", "3", "--part", "4000", "--logs", str(logs)]
    result = subprocess.run([*command, "--declared", str(declared)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 kills, every case the same" in result.stdout
