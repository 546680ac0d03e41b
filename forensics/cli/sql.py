"""``forensics sql``: named queries and ad-hoc read-only SQL over the case, without the texts."""

import csv
import sys
from pathlib import Path

import duckdb
import typer
from rich.console import Console
from rich.table import Table

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import prepare
from forensics.errors import ForensicsError
from forensics.resources import queries, query

KINDS = ("reports", "verdicts", "mechanisms", "signs", "link", "coverage")


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "sql",
        epilog="Examples:  forensics sql incident --list  |  forensics sql incident reports/undetermined  |  "
        'forensics sql incident "SELECT * FROM worker_limit" --format csv',
    )(sql)


def sql(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    text: str = typer.Argument("", metavar="QUERY", help="A query's name (see --list), or SQL in quotes."),
    list_queries: bool = typer.Option(False, "--list", help="List the named queries and what they answer."),
    form: str = typer.Option("table", "--format", help="table or csv."),
) -> None:
    """Runs a named query of queries/ or ad-hoc SQL, read-only and without the texts."""
    case = Case.open(case_folder)
    if list_queries or not text:
        for kind in KINDS:
            for each in queries(kind, case.site):
                typer.echo(f"{each.name:<36} {each.header.get('question', '')}")
        raise typer.Exit(0)
    columns, rows = _run(case, text)
    if form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([[plain(value) for value in row] for row in rows])
    elif form == "table":
        table = Table(*[plain(name) for name in columns])
        for row in rows:
            table.add_row(*[plain(value) for value in row])
        Console(markup=False, highlight=False, emoji=False).print(table)
    else:
        raise ForensicsError(f"there is no format {form!r}", fix="Use --format table or --format csv")


def _run(case: Case, text: str) -> tuple[list[str], list[tuple[object, ...]]]:
    named = text if text.count("/") == 1 and " " not in text else None
    statement = query(named, case.site).sql if named else text
    with connect(case) as con:
        if named and named.startswith("reports/"):
            require_analyzed(con, case)
            prepare(con, case)
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        try:
            found = con.execute(statement, _defaults(case, statement) or None)
            return [column[0] for column in found.description], found.fetchall()
        except duckdb.Error as error:
            raise ForensicsError(
                f"the query failed: {str(error).splitlines()[0]}",
                fix='`forensics sql CASE "SHOW TABLES"` names the tables; the case is read-only',
            ) from error


def _defaults(case: Case, statement: str) -> dict[str, object]:
    thresholds = case.config.thresholds
    known: dict[str, object] = {
        "late_write_horizon_ns": int(thresholds.late_write_horizon_s * 1e9),
        "silence_ns": int(thresholds.silence_s * 1e9),
        "formats": [],
        "clock_ns": int(thresholds.clock_s * 1e9),
        "public_report_ns": int(case.config.signs.public_report.timestamp()) * 10**9
        if case.config.signs.public_report
        else None,
        "confidence_milli": round(1000 * case.config.timing.confidence),
        "metadata_only": False,
        "scope": case.config.scope,
    }
    return {name: value for name, value in known.items() if f"${name}" in statement}
