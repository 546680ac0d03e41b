"""``forensics coverage``: what the logs should hold against what they do, drawn over time."""

from collections.abc import Iterator
from pathlib import Path

import typer

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.cli.terminal import plain
from forensics.disclose.coverage import cells, tables
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import Row, prepare

COLUMNS = 72
MARKS = {"whole": "█", "short": "▓", "missing": "░", "silent": "!"}
KEY = "█ whole   ▓ short by less than half   ░ most or all missing   ! silent   · nothing expected"


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "coverage",
        epilog="Examples:  forensics coverage incident  |  forensics coverage incident --gaps",
    )(coverage)


def coverage(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    gaps: bool = typer.Option(False, "--gaps", help="List the greatest holes too, with their times and reasons."),
) -> None:
    """Shows for every log how many of the requests that other logs and counters know it holds, and when it has holes.

    Where neither the gateway's log nor a worker's is whole, what lived there cannot be called not affected.
    """
    case = Case.open(case_folder)
    with connect(case) as con:
        require_analyzed(con, case)
        prepare(con, case)
        found, step = cells(con, case, COLUMNS)
        told = tables(con, case)
    for line in (*_map(found, step), "", *_logs(told["logs"]), *(_gaps(told["gaps"]) if gaps else ())):
        typer.echo(line)
    for line in _unseen(told["unseen"]):
        typer.echo(line)


def _map(found: list[Row], step: int) -> Iterator[str]:
    if not found:
        yield "Nothing is expected of any log: no request has a time."
        return
    first = min(row["start_ns"] for row in found)
    last = max(row["start_ns"] for row in found)
    logs: dict[str, list[str]] = {}
    for row in found:
        line = logs.setdefault(row["log"], ["·"] * ((last - first) // step + 1))
        line[(row["start_ns"] - first) // step] = MARKS[row["state"]]
    width = max(map(len, logs))
    yield f"{iso(first)} to {iso(last + step)}, {step // 60_000_000_000:,} min a mark"
    yield from (f"{plain(log):<{width}}  {''.join(line)}" for log, line in logs.items())
    yield KEY


def _logs(logs: list[Row]) -> Iterator[str]:
    yield f"{'expected':>10} {'present':>10} {'missing':>10} {'holes':>6}  log, and what says so"
    for row in logs:
        counts = f"{row['expected']:>10,} {row['present']:>10,} {row['missing']:>10,} {row['gaps']:>6,}"
        why = f" ({row['reasons']})" if row["reasons"] else ""
        yield f"{counts}  {plain(row['log'])}, by {row['counted_by']}{why}"


def _gaps(found: list[Row]) -> Iterator[str]:
    yield f"\nThe greatest holes ({len(found):,}):"
    for row in found:
        missing = "" if row["missing"] is None else f", {row['missing']:,} missing"
        when = f"{iso(row['from_ns'])} to {iso(row['to_ns'])}"
        yield f"  {when}  {plain(row['log'])}: by {row['how']}{missing} ({row['reason']})"


def _unseen(found: list[Row]) -> Iterator[str]:
    if not found:
        yield "\nAt no time could an exchange have gone by both the gateway's logs and its worker's."
        return
    yield "\nAn exchange could have gone by unseen, in the gateway's logs and its worker's alike:"
    for row in found:
        yield f"  {iso(row['from_ns'])} to {iso(row['to_ns'])}  {plain(row['worker'])} ({row['reason']})"
