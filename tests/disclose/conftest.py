"""One case and one run that most tests look at; those that change something make their own."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forensics.case.folder import Case
from forensics.disclose.run import report

from .world import incident

NOW = "2026-09-10T08:00:00Z"


@dataclass(frozen=True)
class Run:
    """A published run."""

    case: Case
    folder: Path

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def letters(self) -> dict[str, dict[str, str]]:
        """The files of every letter, by tenant."""
        return {
            each["tenant"]: {
                path.name: path.read_text(encoding="utf-8") for path in (self.folder / each["folder"]).iterdir()
            }
            for each in self.json("letters.json")["letters"]
        }


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    case = incident().build(tmp_path_factory.mktemp("disclose") / "case")
    return Run(case, report(case, now=NOW))
