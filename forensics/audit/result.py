"""What one run told."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forensics.errors import ForensicsError

Row = dict[str, Any]


@dataclass
class Result:
    """What one run told. ``stamp`` is its time; all lists are of what is new; ``controls`` are (planted, found)."""

    run: int
    stamp: str
    exchanges: int = 0
    delivered: int = 0
    files: int = 0
    copies: int = 0
    too_old: int = 0
    expired: int = 0
    findings: list[Row] = field(default_factory=list)
    changed: list[Row] = field(default_factory=list)
    accepted: list[Row] = field(default_factory=list)
    drifts: list[Row] = field(default_factory=list)
    holes: list[Row] = field(default_factory=list)
    undetermined: list[Row] = field(default_factory=list)
    healed: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    controls: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def planted(self, kind: str) -> tuple[int, int]:
        """Returns how many controls of a kind (``positive``, ``negative``, ``shuffled``) were planted, and found."""
        first, second = self.controls.get(kind, (0, 0))
        return first, second

    @property
    def incomplete(self) -> bool:
        """Whether something was not seen that should have been."""
        return bool(self.holes or self.problems)

    @property
    def undetermined_responses(self) -> int:
        """How many responses stay undetermined."""
        return sum(row["responses"] for row in self.undetermined)

    def exit_code(self, *, strict: bool = False) -> int:
        """0 clean, 1 new findings, 2 too little was seen to say; findings beside holes are 1, or 2 if ``strict``."""
        if self.findings or self.drifts:
            return 2 if self.incomplete and strict else 1
        return 2 if self.incomplete else 0

    @classmethod
    def load(cls, folder: Path) -> "Result":
        """Returns what a finished run told. Raises if that is lost."""
        path = folder / "result.json"
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise ForensicsError(
                "what an earlier run found cannot be read", where=str(path), fix="Restore it from a backup"
            ) from error
