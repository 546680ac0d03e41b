"""Controls of one analysis: planted exchanges go the whole road beside a sample of the case, and must be found."""

from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import duckdb

from forensics.case.child import children
from forensics.case.database import insert, select
from forensics.case.folder import Case
from forensics.controls.road import Found, Row, Walk, walk
from forensics.controls.scratch import sample
from forensics.controls.write import wording
from forensics.resources import query

_LARGE: Final = 100_000_000  # characters of a case, from which on a process of their own costs less than it brings
_COLUMNS: Final = "kind VARCHAR, name VARCHAR, rule VARCHAR, planted BIGINT, found BIGINT"


@dataclass(frozen=True)
class ControlReport:
    """What was planted and found, each as (planted, found); ``without`` are mechanisms that no control tests."""

    positive: tuple[int, int] = (0, 0)
    negative: tuple[int, int] = (0, 0)
    shuffled: tuple[int, int] = (0, 0)
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.positive[0]:
            return "      0 planted"
        untested = f"; without a control: {', '.join(self.without)}" if self.without else ""
        return (
            f"{self.positive[0]:>6,} planted, {self.positive[1]:,} found; {self.negative[1]:,} of {self.negative[0]:,} "
            f"found where nothing is, {self.shuffled[1]:,} of {self.shuffled[0]:,} in shuffled neighbours{untested}"
        )


class Controls:
    """The controls of one analysis of ``case``, as a context. ``con`` is the database that the analysis is writing.

    ``begin`` comes once its records are linked, ``finish`` at any time after its mechanisms have spoken.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> None:
        self.con, self.case, self.metadata_only = con, case, metadata_only
        self._stack = ExitStack()
        self._found: Future[Found] = Future()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def begin(self) -> None:
        """Plants and looks, in a large case beside what its caller does until ``finish``.

        Raises, here or there, if anything that must be found is not, naming the rule that is blind and why.
        """
        asked = self.asked()
        self._sampled = asked.company.exchanges
        if self.case.config.resources.threads > 1 and self._large():
            self._found = self._stack.enter_context(children(1)).submit(walk, asked)
        else:
            self._found.set_result(walk(asked))

    def asked(self) -> Walk:
        """Returns what is to be planted beside what."""
        words = wording([row[0] for row in select(self.con, query("controls/formats")).fetchall()])
        company = sample(self.con, self.case, metadata_only=self.metadata_only)
        return Walk(self.case, company, words, self.metadata_only)

    def finish(self) -> ControlReport:
        """Waits for what was planted, and writes the table ``control``."""
        found = self._found.result()
        self._stack.close()
        dealt, hit = self._untouched(found)
        rows = list(found.rows)
        if not self.metadata_only:
            rows.append(("shuffled", "neighbours that cannot have been theirs", "match", dealt, hit))
        _keep(self.con, rows)
        return ControlReport(_sum(rows, "positive"), _sum(rows, "negative"), (dealt, hit), found.without)

    def _large(self) -> bool:
        row = self.con.execute("SELECT sum(coalesce(prompt_chars, 0) + coalesce(response_chars, 0)) FROM record")
        return int((row.fetchone() or (0,))[0] or 0) >= _LARGE

    def _untouched(self, found: Found) -> tuple[int, int]:
        """Returns how many exchanges that no mechanism of the case touched got neighbours, and how many a "find"."""
        rows = select(self.con, query("controls/untouched"), exchanges=list(self._sampled)).fetchall()
        hits = [found.dealt[exchange] for (exchange,) in rows if exchange in found.dealt]
        return len(hits), sum(hits)


class _NoControls:
    """Plants nothing."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    def begin(self) -> None:
        """Does nothing."""

    def finish(self) -> ControlReport:
        """Writes an empty ``control``."""
        _keep(self._con, [])
        return ControlReport()


def no_controls(con: duckdb.DuckDBPyConnection) -> AbstractContextManager[_NoControls]:
    """Returns what stands in for ``Controls`` where nothing is to be planted."""
    return nullcontext(_NoControls(con))


def _sum(rows: Sequence[Row], kind: str) -> tuple[int, int]:
    """Returns how many of a ``kind`` were planted, and how many found."""
    mine = [(planted, found) for row_kind, _, _, planted, found in rows if row_kind == kind]
    return sum(planted for planted, _ in mine), sum(found for _, found in mine)


def _keep(con: duckdb.DuckDBPyConnection, found: list[Row]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE control ({_COLUMNS})")
    insert(con, "control", sorted(found))
