"""``forensics signs``: what was looked for that would tell of use, over which logs, and what was found."""

import sys
from pathlib import Path

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.cli.terminal import plain
from forensics.disclose import exports
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import Row, rows
from forensics.errors import ForensicsError

_WIDE = 200  # columns of a table that goes to a file or a pipe


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command("signs", epilog="Examples:  forensics signs incident  |  forensics signs incident --format jsonl")(
        signs
    )


def signs(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    form: str = typer.Option("table", "--format", help="table or jsonl."),
) -> None:
    """Prints signs of use: what was looked for, over which logs, and what was found of whom.

    A search that found nothing says only that these logs do not show it.
    """
    if form not in ("table", "jsonl"):
        raise ForensicsError(f"there is no format {form!r}", fix="Use --format table or --format jsonl")
    case = Case.open(case_folder)
    with connect(case) as con:
        require_analyzed(con, case)
        searches, found = rows(con, case, "sign_search"), rows(con, case, "sign")
    if form == "jsonl":
        exports.write_jsonl([{"search": row} for row in searches] + [{"found": row} for row in found], sys.stdout)
        return
    console = Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else _WIDE)
    console.print(_searches(searches))
    console.print(_found(found) if found else "Found in these logs: none of these.")


def _searches(searches: list[Row]) -> Table:
    table = Table("sign", "looked for", "over", "found", box=SIMPLE_HEAD, pad_edge=False)
    for row in searches:
        over = f"{row['usable']:,} of {row['exchanges']:,} exchanges, {row['files']:,} files, {_span(row)}"
        if row["missing"]:
            over = f"not looked for: {row['missing']}"
        researchers = f", {row['of_researchers']} of researchers" if row["of_researchers"] else ""
        table.add_row(row["sign"], row["looked_for"], over, f"{row['found']}{researchers}")
    return table


def _found(found: list[Row]) -> Table:
    table = Table("sign", "tenant", "class", "key", "when", "what", box=SIMPLE_HEAD, pad_edge=False)
    for row in found:
        values = (row[name] for name in ("sign", "tenant", "tenant_class", "key"))
        table.add_row(*(plain(value) for value in values), _span(row), plain(row["detail"]))
    return table


def _span(row: Row) -> str:
    return f"{iso(row['first_ns'])} to {iso(row['last_ns'])}"
