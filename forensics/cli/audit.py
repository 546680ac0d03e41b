"""``forensics audit``: what is new since the last run, told once, unattended."""

from pathlib import Path

import typer

from forensics.audit.config import load
from forensics.audit.run import Audit, Result
from forensics.cli.terminal import plain


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "audit", epilog="Examples:  forensics audit /etc/forensics/audit.toml  |  forensics audit audit.toml --every 5m"
    )(audit)


def audit(
    config: Path = typer.Argument(..., metavar="CONFIG", help="The audit's declarations, a TOML file."),
    strict: bool = typer.Option(False, "--strict", help="New findings beside holes end with 2, not 1."),
) -> None:
    """Reads what is new since the last run, judges it against the kept window, and tells what is new, once.

    Exit codes: 0 clean, 1 new findings, 2 could not complete or saw too little.
    """  # fmt: skip
    it = Audit(load(config), config.parent)
    results = it.run()
    for each in results:
        for line in _lines(each):
            typer.echo(line)
    it.told(results)
    raise typer.Exit(max((each.exit_code(strict=strict) for each in results), key=(0, 2, 1).index))


def _lines(each: Result) -> list[str]:
    lines = [
        f"run {each.run} at {each.stamp}: {each.files:,} new files, {each.exchanges:,} exchanges judged, "
        f"{len(each.findings):,} new findings, {len(each.holes):,} new holes"
    ]
    lines += [
        f"finding  {row['received_at']} {row['request_id']} of {row['tenant']}: {row['mechanism']}, {row['disclosure']}"
        for row in each.findings
    ]
    lines += [f"problem  {problem}" for problem in each.problems]
    return [plain(line) for line in lines]
