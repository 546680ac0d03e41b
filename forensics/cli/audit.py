"""``forensics audit``: what is new since the last run, told once, unattended."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import typer

from forensics.audit import asking
from forensics.audit.config import load
from forensics.audit.result import Result
from forensics.audit.run import Audit
from forensics.case.moments import moment, nanoseconds
from forensics.cli.terminal import plain
from forensics.errors import ForensicsError


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "audit", epilog="Examples:  forensics audit /etc/forensics/audit.toml  |  forensics audit audit.toml --every 5m"
    )(audit)


def audit(
    config: Path = typer.Argument(..., metavar="CONFIG", help="The audit's declarations, a TOML file."),
    strict: bool = typer.Option(False, "--strict", help="New findings beside holes end with 2, not 1."),
    every: str = typer.Option("", "--every", help="Run again and again, this long after each start, as in 5m."),
    now: str = typer.Option("", "--now", help="A time (ISO 8601) that stands for the clock, to go over old logs."),
    ask: Path | None = typer.Option(None, "--ask", metavar="FILE", help="Only ask which kept texts hold its passages."),
) -> None:
    """Reads what is new since the last run, judges it against the kept window, and tells what is new, once.

    Exit codes: 0 clean, 1 new findings, 2 could not complete or saw too little. With --every it ends when interrupted,
    and a run that fails does not end it. With --ask: 1 if something kept holds a passage of the file, else 0.
    """
    it = Audit(load(config), config.parent)
    if ask is not None:
        raise typer.Exit(_asked(it, ask))
    pause = _seconds(every) if every else 0
    while True:
        began = time.monotonic()
        try:
            code = _once(it, nanoseconds(moment(now)) if now else None, strict=strict)
        except (ForensicsError, OSError, duckdb.Error) as error:
            if not pause:
                raise
            typer.echo(f"forensics: {plain(error)}", err=True)
        if not pause:
            raise typer.Exit(code)
        time.sleep(max(0.0, pause - (time.monotonic() - began)))


def _asked(it: Audit, file: Path) -> int:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ForensicsError(f"cannot be read ({error.strerror})", where=str(file), fix="Check the path") from error
    rows = asking.ask(it, text)
    for row in rows:
        typer.echo(
            plain(
                f"{row['shared']:>6,} letters and digits, {row['longest']:,} in a row: {row['side']} of "
                f"{row['request_id']} of {row['tenant']}, {row['received_at']}"
            )
        )
    if not rows:
        typer.echo(f"no kept text shares {asking.least(it)} letters or digits in a row; shorter passages are not seen")
    return 1 if rows else 0


def _once(it: Audit, now_ns: int | None, *, strict: bool) -> int:
    results = it.run(now_ns=now_ns)
    for each in results:
        for line in _lines(each):
            typer.echo(plain(line))
    faults = it.tell(results)
    for fault in faults:
        typer.echo(f"forensics: {plain(fault)}", err=True)
    codes = [each.exit_code(strict=strict) for each in results]
    return max([*codes, 2 if faults and 1 not in codes else 0], key=(0, 2, 1).index if not strict else (0, 1, 2).index)


def _seconds(said: str) -> float:
    found = re.fullmatch(r"(\d+)([smhd])", said)
    if not found or not int(found[1]):
        raise ForensicsError(f"{said!r} is no span of time", fix="Write a number and a unit, as in 90s, 5m, 12h or 1d")
    return float(int(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[found[2]])


def _controls(each: Result) -> str:
    (planted, found), (never, false) = each.planted("positive"), each.planted("negative")
    dealt, hit = each.planted("shuffled")
    return (
        f"{found:,} of {planted:,} planted exchanges found; {false:,} of {never:,} where nothing is, "
        f"{hit:,} of {dealt:,} in shuffled neighbours"
    )


def _lines(each: Result) -> Iterator[str]:
    incomplete = " (incomplete)" if each.findings and each.incomplete else ""
    counts = (
        f"{len(each.findings):,} new findings{incomplete}, {len(each.drifts):,} drifts, {len(each.holes):,} new holes"
    )
    yield f"run {each.run} at {each.stamp}: {each.files:,} new files, {each.exchanges:,} exchanges judged; {counts}"
    if each.planted("positive")[0]:
        yield f"controls {_controls(each)}"
    for row in each.findings:
        where = f"{row['path']}:{row['line']}" if row["path"] else "no record left"
        yield f"finding  {row['finding']} {row['received_at']} {row['request_id']} of {row['tenant']}"
        yield f"         {row['mechanism']}, disclosure {row['disclosure']}; {where}"
    for row in each.changed:
        yield f"changed  {row['finding']}: disclosure {row['before']} before, {row['disclosure']} now"
    for row in each.drifts:
        if row["kind"] == "preflight_drift":
            yield f"drift    {row['check']} of {row['subject']}: {row['before']} before, {row['answer']} now"
            yield f"         {row['reason']}"
        else:
            yield f"drift    first tokens of {row['model']} on {row['worker']} are {row['how']}"
            yield f"         median {row['median_us']:,} µs, {row['least_us']:,} to {row['most_us']:,} before"
    for row in each.holes:
        if row["kind"] == "hole":
            yield f"hole     {row['worker']} {row['hour']}, {row['hours']:,} hours: {row['why']}"
        else:
            yield f"hole     {row['responses']:,} responses undetermined: {row['mechanism']}, {row['reason']}"
    yield from (f"filled   {row['worker']} {row['hour']}" for row in each.healed)
    yield from (f"problem  {problem}" for problem in each.problems)
    yield from (f"note     {note}" for note in each.notes)
