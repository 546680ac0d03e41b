"""``forensics intake``: an outsider's report into suspicions that the next analysis takes up."""

from collections.abc import Iterator
from pathlib import Path

import typer

from forensics.case import custody
from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.cli.terminal import plain
from forensics.intake.reading import read_report
from forensics.intake.sighting import Report, Sighting, keep


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "intake", epilog="Examples:  forensics intake incident report.toml  |  forensics intake incident mail.txt"
    )(intake)


def intake(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    report: Path = typer.Argument(..., metavar="REPORT", help="TOML, JSON, or plain text with ids, times, quotations."),
) -> None:
    """Takes in what somebody outside has seen: ids, times, excerpts. The next `analyze` looks into it.

    A report proves nothing. What it names by an id or by its words is suspected (mechanism `reported`) until a complete
    scan clears it; `explain` and the incident report show it.
    """
    case = Case.open(case_folder)
    found = read_report(report)
    with case.lock():
        new = keep(case, found)
        custody.record(case, "intake", sha256=found.sha256, sightings=len(found.sightings), new=new)
    for line in _told(found, new=new):
        typer.echo(line)
    typer.echo(f"Next: forensics analyze {plain(case.root)}")


def _told(found: Report, *, new: bool) -> Iterator[str]:
    known = "" if new else ", known already"
    yield f"{len(found.sightings):,} sightings in report {found.sha256[:16]}{known}"
    for number, each in enumerate(found.sightings, 1):
        yield f"  {number}: {_seen(each)}"


def _seen(each: Sighting) -> str:
    said = [f"id {plain(name)}" for name in each.ids]
    if each.at_ns is not None:
        until = "" if each.until_ns in (None, each.at_ns) else f" to {iso(each.until_ns)}"
        said.append(f"at {iso(each.at_ns)}{until}")
    if each.excerpt:
        said.append(f"an excerpt of {len(each.excerpt):,} characters")
    return "; ".join(said)
