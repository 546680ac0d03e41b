"""``forensics analyze``: link, suspect, match, judge."""

import time
from pathlib import Path

import typer

from forensics.case import custody
from forensics.case.database import rebuild
from forensics.case.folder import Case
from forensics.judge.run import JudgeReport, judge
from forensics.link.run import LinkReport, link
from forensics.match.run import match
from forensics.suspect.run import SuspectReport, suspect


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "analyze",
        epilog="Examples:  forensics analyze incident  |  forensics analyze incident --metadata-only",
    )(analyze)


def analyze(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    metadata_only: bool = typer.Option(False, "--metadata-only", help="Read no text: judge by records alone."),
) -> None:
    """Joins records to exchanges, looks for every mechanism, compares texts, and gives each exchange its verdict."""
    case = Case.open(case_folder)
    with case.lock():
        result = analyze_case(case, metadata_only=metadata_only)
    raise typer.Exit(1 if result.affected else 0)


def analyze_case(case: Case, *, metadata_only: bool = False) -> JudgeReport:
    """Runs the four stages into a new database and says on stderr what each found. The caller holds the lock."""
    began = time.monotonic()
    with rebuild(case, keep=True) as con:
        _say_link(link(con, case))
        _say_suspect(suspect(con, case))
        matched = match(con, case, threads=case.config.resources.threads, metadata_only=metadata_only)
        _say(f"match    {matched}")
        result = judge(con, case, metadata_only=metadata_only)
    for integrity, disclosure, count in result.verdicts:
        _say(f"judge    {count:>7,} {integrity}{f', {disclosure}' if disclosure else ''}")
    custody.record(case, "analyze", metadata_only=metadata_only, affected=result.affected)
    _say(f"done in {time.monotonic() - began:.1f} s")
    return result


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


def _say(line: str) -> None:
    typer.echo(line, err=True)
