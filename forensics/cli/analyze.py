"""``forensics analyze``: link, suspect, match, judge, and the searches that move no verdict."""

import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import typer

from forensics.case import custody
from forensics.case.database import rebuild
from forensics.case.folder import Case
from forensics.cli.sweeping import Ticker, memory_bytes
from forensics.controls.run import Controls, no_controls
from forensics.errors import ForensicsError
from forensics.intake.run import take_up
from forensics.judge.run import JudgeReport, judge
from forensics.link.run import LinkReport, link
from forensics.match.answers import fit_answers
from forensics.match.markers import find_markers
from forensics.match.own import no_own, own_unexplained
from forensics.match.run import match
from forensics.match.sweep.case import no_sweep, sweep
from forensics.signs.run import SignReport, signs
from forensics.suspect.run import SuspectReport, suspect
from forensics.timing.run import TimingReport, timing


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "analyze",
        epilog=(
            "Examples:  forensics analyze incident  |  forensics analyze incident --metadata-only  |  "
            "forensics analyze incident --sweep --memory 6GB"
        ),
    )(analyze)


def analyze(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    metadata_only: bool = typer.Option(False, "--metadata-only", help="Read no text: judge by records alone."),
    with_sweep: bool = typer.Option(
        False, "--sweep", help="Also compare every response with every other tenant's text, with no hypothesis."
    ),
    memory: str = typer.Option("", "--memory", help="Memory of the sweep, as in 4GB. Default: that of case.toml."),
    threads: int = typer.Option(0, "--threads", min=0, help="Threads of the sweep. Default: those of case.toml."),
) -> None:
    """Joins records to exchanges, looks for every mechanism, compares texts, and gives each exchange its verdict."""
    case = Case.open(case_folder)
    if with_sweep and metadata_only:
        raise ForensicsError("a sweep reads texts", fix="Give either --sweep or --metadata-only")
    bounds = Bounds(threads or case.config.resources.threads, memory_bytes(memory or case.config.resources.memory))
    with case.lock():
        result = analyze_case(case, metadata_only=metadata_only, bounds=bounds if with_sweep else None)
    raise typer.Exit(1 if result.affected else 0)


@dataclass(frozen=True)
class Bounds:
    """What a sweep may use: threads, and bytes of memory."""

    threads: int
    memory: int


def analyze_case(
    case: Case, *, metadata_only: bool = False, bounds: Bounds | None = None, with_controls: bool = True
) -> JudgeReport:
    """Runs the stages into a new database and says on stderr what each found. The caller holds the lock.

    With ``bounds`` all responses are swept too. Without ``with_controls``, which is for tests of other things, the
    report says that nothing was planted. Raises if a control is not found.
    """
    began = time.monotonic()
    with rebuild(case, keep=True) as con:
        _say_link(link(con, case))
        if marked := find_markers(con, case, metadata_only=metadata_only):
            _say(f"markers  {marked:>7,} found in responses of other tenants")
        if fitting := fit_answers(con, case, metadata_only=metadata_only):
            _say(f"answers  {fitting:>7,} fit another tenant's prompt far better than their own")
        with Controls(con, case, metadata_only=metadata_only) if with_controls else no_controls(con) as controls:
            controls.begin()
            _say_suspect(suspect(con, case))
            _take_up(con, case, metadata_only=metadata_only)
            matched = match(con, case, threads=case.config.resources.threads, metadata_only=metadata_only)
            _say(f"match    {matched}")
            _say(f"controls {controls.finish()}")
        _own(con, case, metadata_only=metadata_only)
        if bounds:
            _sweep(con, case, bounds)
        else:
            no_sweep(con, case)
        result = judge(con, case, metadata_only=metadata_only)
        _say_timing(timing(con, case, metadata_only=metadata_only))
        _say_signs(signs(con, case, metadata_only=metadata_only))
    for integrity, disclosure, count in result.verdicts:
        _say(f"judge    {count:>7,} {integrity}{f', {disclosure}' if disclosure else ''}")
    custody.record(case, "analyze", metadata_only=metadata_only, sweep=bounds is not None, affected=result.affected)
    _say(f"done in {time.monotonic() - began:.1f} s")
    return result


def _take_up(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> None:
    found = take_up(con, case, metadata_only=metadata_only)
    if found.sightings:
        _say(
            f"intake   {found.sightings:>7,} sightings reported from outside: {found.suspected:,} exchanges suspected, "
            f"{found.passages:,} passages of excerpts found"
        )


def _own(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> None:
    if case.config.scope != "one-tenant" or metadata_only:
        no_own(con)
        return
    _say(f"own      {own_unexplained(con, case):>7,} answers hold names and figures that nothing of its own explains")


def _sweep(con: duckdb.DuckDBPyConnection, case: Case, bounds: Bounds) -> None:
    size = sum(path.stat().st_size for path in case.evidence.glob("*/text.parquet"))
    report = sweep(con, case, threads=bounds.threads, memory=bounds.memory, progress=Ticker(size))
    _say(f"sweep    {report}")
    counted = con.execute("SELECT placement, count(*) FROM unexplained_match GROUP BY placement ORDER BY placement")
    for placement, count in counted.fetchall():
        _say(f"sweep    {count:>7,} passages, source {_PLACEMENTS[placement]}")


_PLACEMENTS = {
    "candidate": "a candidate of its mechanisms",
    "lived_there": "on the same worker, of no mechanism examined",
    "elsewhere": "on another worker: unexplained, for review",
    "unknown": "of unknown placement: unexplained, for review",
}


def _say_link(report: LinkReport) -> None:
    _say(
        f"link     {report.exchanges:>7,} exchanges, {report.placed:,} placed on a decode worker, "
        f"{report.inferred:,} joined by inference, {report.ambiguous:,} joins ambiguous"
    )
    for worker, skew_ns, width_ns in report.skewed:
        _say(f"         clock of {worker} is off by {skew_ns / 1e9:+.3f} s, within {width_ns / 1e9:.3f} s")


def _say_suspect(report: SuspectReport) -> None:
    for mechanism, status, count in report.suspicions:
        _say(f"suspect  {count:>7,} {mechanism} {status}")
    _say(f"         {report.candidates:,} pairs of a suspect and a candidate source")


def _say_timing(report: TimingReport) -> None:
    for boundary, status, reason, first_uses in report.boundaries:
        _say(f"timing   {first_uses:>7,} first uses across {boundary}: isolation {status} ({reason})")


def _say_signs(report: SignReport) -> None:
    for sign, _, missing, found in report.searches:
        _say(f"signs    {found:>7,} {sign}{f' (not looked for: {missing})' if missing else ''}")


def _say(line: str) -> None:
    typer.echo(line, err=True)
