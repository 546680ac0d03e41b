"""``forensics report``: headline, incident report, letters and exports, into a fresh folder under ``runs/``."""

import json
from pathlib import Path

import typer

from forensics.case.folder import Case
from forensics.disclose.run import read_summary, report


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "report",
        epilog="Examples:  forensics report incident  |  forensics report incident --json | jq .affected",
    )(report_case)


def report_case(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    as_json: bool = typer.Option(False, "--json", help="Print summary.json instead of the headline."),
) -> None:
    """Counts, writes one letter per tenant, checks that no letter holds another's text, and publishes the run.

    Exit code 0: nothing affected. 1: something affected. 2: could not complete, nothing published.
    """
    run = report(Case.open(case_folder))
    summary = read_summary(run)
    if as_json:
        typer.echo(json.dumps(summary, ensure_ascii=True, indent=1))
    else:
        typer.echo(summary["headline"])
        typer.echo(summary["controls"]["said"])
    typer.echo(f"Reports and letters are in {run}", err=True)
    raise typer.Exit(1 if any(summary["affected_by_class"].values()) else 0)
