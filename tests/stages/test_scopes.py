"""One side's records alone: no verdict contradicts the full one, bounds hold, and what is missing is said.

A few worlds, one seed; ``benchmarks/scopes.py`` takes every world and two seeds.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scopes import LACKS, one_side, whole
from forensics.case.folder import Case
from forensics.errors import ForensicsError

WORLDS = ("several_sources", "forged", "late_writes", "freed_pages", "all_at_once")


@dataclass(frozen=True)
class Full:
    """A world with all its records, and the verdicts that they give."""

    root: Path
    verdicts: list[dict[str, Any]]


@pytest.fixture(scope="module", params=WORLDS)
def full(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Full:
    root = tmp_path_factory.mktemp(request.param)
    return Full(root, whole(root, request.param, 1))


@pytest.mark.parametrize("side", LACKS)
def test_one_side_never_contradicts_the_whole(side: str, full: Full, tmp_path: Path) -> None:
    assert one_side(full.root, side, full.verdicts, tmp_path).faults == []


def test_an_unknown_scope_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForensicsError, match="unknown scope 'one tenant'") as wrong:
        Case.create(tmp_path / "case", 'scope = "one tenant"\n')
    assert "one-tenant" in str(wrong.value)
