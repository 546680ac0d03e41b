"""``forensics verdicts``: the verdict rows, as a table, CSV or JSON lines, by the same query as the reports."""

import sys
from pathlib import Path

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.disclose import exports
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import Row, prepare, rows
from forensics.errors import ForensicsError

_WIDE = 200  # columns of a table that goes to a file or a pipe


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "verdicts",
        epilog="Examples:  forensics verdicts incident --integrity affected  |  "
        "forensics verdicts incident --format jsonl --tenant acme  |  "
        "forensics verdicts incident --format csv > verdicts.csv",
    )(verdicts)


def verdicts(  # noqa: PLR0917 - an option each
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    form: str = typer.Option("table", "--format", help="table, csv or jsonl."),
    tenant: list[str] = typer.Option([], "--tenant", help="Only this tenant; may be repeated."),
    tenant_class: list[str] = typer.Option([], "--class", help="customer, internal, researcher or unresolved."),
    worker: list[str] = typer.Option([], "--worker", help="Only this decode worker."),
    integrity: list[str] = typer.Option([], "--integrity", help="affected, not_affected or undetermined."),
    disclosure: list[str] = typer.Option([], "--disclosure", help="confirmed, probable, none_found or undetermined."),
    mechanism: list[str] = typer.Option([], "--mechanism", help="As `forensics mechanisms` names them."),
    reason: list[str] = typer.Option([], "--reason", help="Only this reason, of either axis."),
) -> None:
    """Prints one row per exchange: integrity, disclosure, reasons. Filters of one kind add up."""
    case = Case.open(case_folder)
    wanted = {
        "tenant": tenant, "tenant_class": tenant_class, "decode_worker": worker, "integrity": integrity,
        "disclosure": disclosure, "mechanism": mechanism,
    }  # fmt: skip
    with connect(case) as con:
        require_analyzed(con, case)
        prepare(con, case)
        found = [row for row in rows(con, case, "verdicts") if _wanted(row, wanted, reason)]
    _print(found, form)


def _wanted(row: Row, wanted: dict[str, list[str]], reasons: list[str]) -> bool:
    if reasons and not {row["integrity_reason"], row["disclosure_reason"]} & set(reasons):
        return False
    return all(not values or row[column] in values for column, values in wanted.items())


def _print(found: list[Row], form: str) -> None:
    if form == "jsonl":
        exports.write_jsonl(found, sys.stdout)
    elif form == "csv":
        exports.write_csv(found, sys.stdout)
    elif form == "table":
        console = Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else _WIDE)
        console.print(_table(found))
        console.print(f"{len(found):,} exchanges")
    else:
        raise ForensicsError(f"there is no format {form!r}", fix="Use --format table, csv or jsonl")


def _table(found: list[Row]) -> Table:
    """Returns what a person looks for first; CSV and JSON lines have every column."""
    table = Table("received", "request", "tenant", "verdict", "worker", "source", box=SIMPLE_HEAD, pad_edge=False)
    table.columns[0].no_wrap = table.columns[3].no_wrap = True
    for row in found:
        verdict = " ".join(plain(row[name]) for name in ("integrity", "disclosure", "mechanism") if row[name])
        reasons = ", ".join(plain(row[name]) for name in ("integrity_reason", "disclosure_reason") if row[name])
        worker = plain(row["decode_worker"]) + ("" if row["dp_rank"] is None else f"/{row['dp_rank']}")
        source = "\n".join(plain(row[name]) for name in ("source_tenant", "source_request_id") if row[name])
        received = plain(row["received_at"])[:19].replace("T", " ")
        table.add_row(received, plain(row["request_id"]), plain(row["tenant"]), f"{verdict}\n{reasons}", worker, source)
    return table
