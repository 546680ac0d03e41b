"""``forensics verdicts``: the verdict rows, as a table, CSV or JSON lines, by the same query as the reports."""

import sys
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.disclose import exports
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import Row, prepare, rows
from forensics.errors import ForensicsError

_SHOWN = (
    "request_id", "tenant", "received_at", "integrity", "integrity_reason", "disclosure", "mechanism", "decode_worker",
    "dp_rank", "source_request_id", "source_tenant",
)  # fmt: skip


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
    mechanism: list[str] = typer.Option([], "--mechanism", help="over_pool or late_write."),
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
        table = Table(*[name.replace("_", " ") for name in _SHOWN])
        for row in found:
            table.add_row(*[plain(row[column]) for column in _SHOWN])
        console = Console(markup=False, highlight=False, emoji=False)
        console.print(table)
        console.print(f"{len(found):,} exchanges")
    else:
        raise ForensicsError(f"there is no format {form!r}", fix="Use --format table, csv or jsonl")
