"""The road of what is planted: written, ingested beside a sample of the case, and taken through every stage."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
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
from forensics.controls.scratch import Sample, joined
from forensics.controls.write import Wording, declared, write
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

Row = tuple[str, str, str, int, int]
"""Of the table ``control``: kind, name, rule, how many were planted, how many found."""
Trail = Mapping[str, Mapping[str, Any]]
"""By control: its row of ``queries/controls/trail.sql``."""


@dataclass(frozen=True)
class Walk:
    """What is to be planted: in which ``wording``, beside what ``company``. Another process can be given it."""

    case: Case
    company: Sample
    wording: Wording
    metadata_only: bool


@dataclass(frozen=True)
class Found:
    """What came of a walk, in the ``rows`` of the table ``control``; ``without`` are mechanisms that none tests.

    ``dealt`` are the exchanges of the sample that got shuffled neighbours, and in which of them something was "found".
    """

    rows: tuple[Row, ...]
    without: tuple[str, ...]
    dealt: Mapping[str, bool]


def walk(asked: Walk) -> Found:
    """Plants and looks. Raises if anything that must be found is not, naming the rule that is blind and why."""
    try:
        with Road(asked) as road:
            trail = road.trail()
            must = [each for each in road.chosen if not each.negative]
            require(must, trail, told=not asked.metadata_only)
            wrong = [each for each in road.chosen if each.negative and lost(each, trail[each.name], told=True)]
            without = road.without()
            rows = (*_rows(road.chosen, wrong), *_formats(asked.wording), *_untested(without))
            return Found(rows, without, {} if asked.metadata_only else road.shuffled())
    except ForensicsError as error:
        raise ForensicsError(
            f"a positive control failed: {error.what}", where=error.where, fix=error.fix or _FIX
        ) from error


class Road:
    """What is planted, written and ingested into a scratch case with the sample beside it, as a context."""

    def __init__(self, asked: Walk) -> None:
        self._asked = asked
        self._stack = ExitStack()
        self.chosen = tuple(each for each in (*POSITIVE, *NEGATIVE) if self._can(each))

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._plant(opened)
            self._stack = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def trail(self) -> Trail:
        """Runs the stages over the scratch case and returns how far each planted exchange came."""
        base, scratch, metadata_only = self.base, self.scratch, self._asked.metadata_only
        link(base, scratch)
        find_markers(base, scratch, metadata_only=metadata_only)
        fit_answers(base, scratch, metadata_only=metadata_only)
        suspect(base, scratch)
        match(base, scratch, threads=scratch.config.resources.threads, metadata_only=metadata_only)
        judge(base, scratch, metadata_only=metadata_only)
        return _trail(base, scratch, self.planted)

    def without(self) -> tuple[str, ...]:
        """Returns the mechanisms that spoke and that nothing planted puts to the test."""
        tested = {each.mechanism for each in self.chosen if each.rule.startswith("mechanisms/") and not each.negative}
        spoken = self.base.execute("SELECT DISTINCT mechanism FROM suspicion ORDER BY mechanism").fetchall()
        return tuple(name for (name,) in spoken if name not in tested)

    def shuffled(self) -> dict[str, bool]:
        """Deals neighbours that cannot have been theirs to the sample; says where all the same something was found."""
        base, sampled = self.base, list(self._asked.company.exchanges)
        create_table(base, "candidate", query("controls/shuffled"), exchanges=sampled, most=NEIGHBOURS)
        base.execute(
            "CREATE OR REPLACE TABLE suspicion AS SELECT * REPLACE ('possible' AS status, 'over_pool' AS mechanism) "
            "FROM suspicion WHERE exchange_id IN (SELECT exchange_id FROM candidate) "
            "QUALIFY row_number() OVER (PARTITION BY exchange_id) = 1"
        )
        match(base, self.scratch, threads=self.scratch.config.resources.threads)
        for name in ("finding", "source"):
            create_table(base, name, query(f"verdicts/{name}", self._asked.case.site))
        rows = base.execute(
            "SELECT exchange_id, exchange_id IN (SELECT exchange_id FROM source WHERE strength IS NOT NULL) "
            "FROM candidate GROUP BY exchange_id ORDER BY exchange_id"
        )
        return dict(rows.fetchall())

    def _can(self, control: Control) -> bool:
        return control.needs <= self._asked.wording.formats and not (control.text and self._asked.metadata_only)

    def _plant(self, opened: ExitStack) -> None:
        case, formats = self._asked.case, self._asked.wording.formats
        start = _start(self._asked.company)
        self.planted, exchanges = played(self.chosen, self._asked.wording, start)
        world = site.machines(formats)
        year = datetime.fromtimestamp(start, UTC).year
        settings = declared(world, case.config, year=year, public=_PUBLIC)
        self.scratch: Scratch = opened.enter_context(beside(case, "controls", settings))
        (self.scratch.root / _PUBLIC).write_text(PUBLIC, encoding="utf-8")
        write(self.scratch.root / "logs", world, exchanges, formats, start=start)
        _ingested(self.scratch)
        self.base: duckdb.DuckDBPyConnection = opened.enter_context(joined(self.scratch, self._asked.company))


def _rows(chosen: Sequence[Control], wrong: Sequence[Control]) -> Iterator[Row]:
    for each in chosen:
        found = each in wrong if each.negative else True
        yield ("negative" if each.negative else "positive", each.name, each.rule, 1, int(found))


def _formats(words: Wording) -> Iterator[Row]:
    for found, names in enumerate((words.cannot, words.written)):
        yield from (("format", name, f"formats/{name}", 1, found) for name in names)


def _untested(without: Sequence[str]) -> Iterator[Row]:
    yield from (("without", name, f"mechanisms/{name}", 0, 0) for name in without)


def require(must: Sequence[Control], trail: Trail, *, told: bool) -> None:
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
