"""The dev capture: logs written by real logging code, with known truth that only these tests read."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
CAPTURE = SHARED / "data" / "captures" / "dev"


@pytest.fixture(scope="session")
def capture() -> Path:
    if not CAPTURE.is_dir():
        pytest.skip(f"the capture is not here: {CAPTURE.name} under ../shared/data/captures")
    return CAPTURE


@pytest.fixture(scope="session")
def truth(capture: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((capture.parent / "dev.truth.json").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="session")
def faults(truth: dict[str, Any]) -> Any:
    judge = runpy.run_path(str(SHARED / "tools" / "judge_capture.py"))["judge"]
    return lambda rows: list(judge(truth, rows))
