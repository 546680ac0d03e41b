"""The answers: one per check and subject, and what they add up to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from forensics.errors import ForensicsError

ORDER: Final = ("pass", "fragile", "cannot_tell", "fail")
"""From best to worst."""
WORDS: Final = {"pass": "pass", "fragile": "pass, fragile", "cannot_tell": "cannot tell", "fail": "fail"}
LETTERS: Final = {
    "A": "Is every prompt either held by both pools, or refused by both sides?",
    "B": "Are the owners of KV pages checked where they are read?",
    "C": "Are aborted requests' pages kept until nothing writes to them?",
    "D": "Is the prefix cache's key scoped, by the gateway?",
    "E": "Are tenants separated, where D is not enough?",
    "F": "Is output verified at run time, with a reaction to a mismatch?",
}


@dataclass(frozen=True)
class Row:
    """One check's answer for one process or the deployment, with its reason, setting and fix (empty if it passes)."""

    check: str
    subject: str
    answer: str
    reason: str
    setting: str
    fix: str
    where: str = ""

    @property
    def letter(self) -> str:
        """The checklist's letter."""
        return self.check[0].upper()


@dataclass
class Answers:
    """All rows, in the checklist's order, and what could not be read."""

    rows: list[Row] = field(default_factory=list)
    problems: list[ForensicsError] = field(default_factory=list)

    def of(self, letter: str) -> list[Row]:
        """The rows of one letter."""
        return [row for row in self.rows if row.letter == letter]

    @property
    def letters(self) -> dict[str, str]:
        """The worst answer per letter."""
        return {letter: worst([row.answer for row in self.of(letter)]) for letter in LETTERS}

    @property
    def exit_code(self) -> int:
        """0 if all pass, 1 if any failed, 2 if any cannot be told or something could not be read."""
        found = worst(list(self.letters.values()))
        return 1 if found == "fail" else 2 if found == "cannot_tell" or self.problems else 0


def worst(answers: Sequence[str]) -> str:
    """Returns the worst of some answers; of none, that it cannot be told."""
    return max(answers, key=ORDER.index, default="cannot_tell")
