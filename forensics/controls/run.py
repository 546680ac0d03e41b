"""Controls of one analysis: planted exchanges go the whole road beside a sample of the case, and must be found."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Self

import duckdb

from forensics.case.database import create_table, dicts, insert, select
from forensics.case.folder import Case
from forensics.case.scratch import Scratch, beside
from forensics.controls import world as site
from forensics.controls.author import PUBLIC
from forensics.controls.blame import lost
from forensics.controls.declared import NEGATIVE, POSITIVE, Control
from forensics.controls.planting import Planted, played
from forensics.controls.scratch import Sample, joined, sample
from forensics.controls.write import declared, wording, write
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.match.answers import fit_answers
from forensics.match.markers import find_markers
from forensics.match.run import match
from forensics.resources import query
from forensics.suspect.run import suspect

NEIGHBOURS: Final = 4  # shuffled neighbours of one exchange
SHOWN: Final = 3  # faults that a message tells in full
LATER: Final = 600.0  # seconds between the sample's last record and what is planted
USUAL: Final = 1_790_000_000.0  # where the case tells no time
_PUBLIC: Final = "public-text.txt"
_EARLIEST, _LATEST = 946_684_800.0, 4_000_000_000.0  # 2000 to 2096
_Row = tuple[str, str, str, int, int]
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


Trail = Mapping[str, Mapping[str, Any]]
"""By control: its row of ``queries/controls/trail.sql``."""


class Controls:
    """The controls of one analysis of ``case``, as a context. ``con`` is the database that the analysis is writing.

    ``positive`` comes once its records are linked, ``negative`` once its mechanisms have spoken.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> None:
        self.con, self.case, self.metadata_only = con, case, metadata_only
        self._stack = ExitStack()
        self._rows: list[_Row] = []
        self._report = ControlReport()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def positive(self) -> None:
        """Plants and looks. Raises if anything that must be found is not, naming the rule that is blind and why."""
        self._wording = wording([row[0] for row in select(self.con, query("controls/formats")).fetchall()])
        chosen = [each for each in (*POSITIVE, *NEGATIVE) if self._can(each)]
        self._company = sample(self.con, self.case, metadata_only=self.metadata_only)
        try:
            trail = self._road(chosen)
        except ForensicsError as error:
            raise ForensicsError(
                f"a positive control failed: {error.what}", where=error.where, fix=error.fix or _FIX
            ) from error
        must = [each for each in chosen if not each.negative]
        never = [each for each in chosen if each.negative]
        require(must, trail, told=not self.metadata_only)
        wrong = [each for each in never if lost(each, trail[each.name], told=True)]
        self._rows += [("positive", each.name, each.rule, 1, 1) for each in must]
        self._rows += [("negative", each.name, each.rule, 1, int(each in wrong)) for each in never]
        self._rows += [("format", name, f"formats/{name}", 1, 0) for name in self._wording.cannot]
        self._rows += [("format", name, f"formats/{name}", 1, 1) for name in self._wording.written]
        tested = {each.mechanism for each in must if each.rule.startswith("mechanisms/")}
        spoken = self._base.execute("SELECT DISTINCT mechanism FROM suspicion ORDER BY mechanism").fetchall()
        without = tuple(name for (name,) in spoken if name not in tested)
        self._rows += [("without", name, f"mechanisms/{name}", 0, 0) for name in without]
        self._report = ControlReport((len(must), len(must)), (len(never), len(wrong)), without=without)

    def negative(self) -> ControlReport:
        """Deals shuffled neighbours to exchanges that no mechanism touched, and writes the table ``control``."""
        if not self.metadata_only:
            dealt, hit = self._shuffled()
            self._rows.append(("shuffled", "neighbours that cannot have been theirs", "match", dealt, hit))
            self._report = replace(self._report, shuffled=(dealt, hit))
        _keep(self.con, self._rows)
        self._stack.close()
        return self._report

    def _can(self, control: Control) -> bool:
        return control.needs <= self._wording.formats and not (control.text and self.metadata_only)

    def _road(self, chosen: list[Control]) -> Trail:
        """Takes the planted exchanges and the sample the whole road, and returns each control's trail."""
        self._exchanges = self._plant(chosen)
        return walked(self._base, self._scratch, self._exchanges, metadata_only=self.metadata_only)

    def _plant(self, chosen: list[Control]) -> list[Planted]:
        """Writes and ingests what is planted, and puts the sample beside it."""
        start = _start(self._company)
        planted, exchanges = played(chosen, self._wording, start)
        world = site.machines(self._wording.formats)
        year = datetime.fromtimestamp(start, UTC).year
        settings = declared(world, self.case.config, year=year, public=_PUBLIC)
        self._scratch = self._stack.enter_context(beside(self.case, "controls", settings))
        (self._scratch.root / _PUBLIC).write_text(PUBLIC, encoding="utf-8")
        write(self._scratch.root / "logs", world, exchanges, self._wording.formats, start=start)
        _ingested(self._scratch)
        self._base = self._stack.enter_context(joined(self._scratch, self._company))
        return planted

    def _shuffled(self) -> tuple[int, int]:
        """Returns how many untouched exchanges got neighbours, and in how many of them something was "found"."""
        clean = [
            row[0]
            for row in select(self.con, query("controls/untouched"), exchanges=list(self._company.exchanges)).fetchall()
        ]
        base = self._base
        create_table(base, "candidate", query("controls/shuffled"), exchanges=clean, most=NEIGHBOURS)
        base.execute(
            "CREATE OR REPLACE TABLE suspicion AS SELECT * REPLACE ('possible' AS status, 'over_pool' AS mechanism) "
            "FROM suspicion WHERE exchange_id IN (SELECT exchange_id FROM candidate) "
            "QUALIFY row_number() OVER (PARTITION BY exchange_id) = 1"
        )
        match(base, self._scratch, threads=self.case.config.resources.threads)
        for name in ("finding", "source"):
            create_table(base, name, query(f"verdicts/{name}", self.case.site))
        dealt, hit = base.execute(
            "SELECT (SELECT count(DISTINCT exchange_id) FROM candidate), "
            "(SELECT count(DISTINCT exchange_id) FROM source WHERE strength IS NOT NULL)"
        ).fetchone() or (0, 0)
        return dealt, hit


class _NoControls:
    """Plants nothing."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    def positive(self) -> None:
        """Does nothing."""

    def negative(self) -> ControlReport:
        """Writes an empty ``control``."""
        _keep(self._con, [])
        return ControlReport()


def no_controls(con: duckdb.DuckDBPyConnection) -> AbstractContextManager[_NoControls]:
    """Returns what stands in for ``Controls`` where nothing is to be planted."""
    return nullcontext(_NoControls(con))


def _keep(con: duckdb.DuckDBPyConnection, found: list[_Row]) -> None:
    con.execute(f"CREATE OR REPLACE TABLE control ({_COLUMNS})")
    insert(con, "control", sorted(found))


def require(must: list[Control], trail: Trail, *, told: bool) -> None:
    """Raises unless every one of them was found."""
    faults = [fault for each in must if (fault := lost(each, trail[each.name], told=told))]
    if faults:
        more = f" And {len(faults) - SHOWN:,} more." if len(faults) > SHOWN else ""
        said = f"{len(faults):,} of {len(must):,} positive controls were not found. {' '.join(faults[:SHOWN])}{more}"
        raise ForensicsError(said.rstrip("."), fix=_FIX)


_FIX: Final = (
    "Nothing was counted: a run that cannot find what was planted cannot say that nothing happened. Put the rule right "
    "(a margin of [thresholds] that nothing passes makes it blind too), or report this"
)


def _start(company: Sample) -> float:
    """Returns when the first planted exchange comes: soon after the sample's last record, in whole seconds."""
    last = USUAL if company.last_ns is None else company.last_ns // 10**9 + LATER + site.BEFORE
    return last if _EARLIEST < last < _LATEST else USUAL


def _ingested(scratch: Scratch) -> None:
    report = ingest(scratch, [scratch.root / "logs"], threads=scratch.config.resources.threads)
    for problem in report.problems:
        raise problem
    for each in report.files:
        if rejected := sum(each.rejected.values()):
            raise ForensicsError(f"{rejected} of {each.records_read} planted records are not understood",
                                 where=f"queries/formats/{each.format}.sql")  # fmt: skip


def walked(base: duckdb.DuckDBPyConnection, scratch: Scratch, planted: list[Planted], *, metadata_only: bool) -> Trail:
    """Runs the stages over the scratch case's database and returns how far each planted exchange came."""
    link(base, scratch)
    find_markers(base, scratch, metadata_only=metadata_only)
    fit_answers(base, scratch, metadata_only=metadata_only)
    suspect(base, scratch)
    match(base, scratch, threads=scratch.config.resources.threads, metadata_only=metadata_only)
    judge(base, scratch, metadata_only=metadata_only)
    return _trail(base, scratch, planted)


def _trail(base: duckdb.DuckDBPyConnection, case: Case, planted: list[Planted]) -> Trail:
    base.execute(
        "CREATE OR REPLACE TABLE planted "
        "(name VARCHAR, request_id VARCHAR, tenant VARCHAR, mechanism VARCHAR, sources VARCHAR[], forwarded BOOLEAN)"
    )
    rows = [
        [each.name, each.request_id, each.tenant, each.mechanism, list(each.sources), each.forwarded]
        for each in planted
    ]
    insert(base, "planted", rows)
    return {row["name"]: row for row in dicts(select(base, query("controls/trail", case.site)))}
