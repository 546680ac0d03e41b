"""``forensics ingest``: evidence into the case, with what became of every file."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bars

from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.cli.terminal import plain
from forensics.ingest.gather import Pipe
from forensics.ingest.run import FileReport, IngestReport, ingest


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "ingest",
        epilog="Examples:  forensics ingest incident logs/ node-*.tar.gz  |  forensics ingest incident app.jsonl "
        "--format myapp.sql  |  kubectl logs decode-0 | forensics ingest incident - --name decode-0.log  |  "
        "forensics ingest incident postgresql://reader@db/litellm",
    )(ingest_command)


def ingest_command(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    paths: list[str] = typer.Argument(
        ...,
        metavar="PATH…",
        help="Files, folders, patterns, archives, s3://bucket/prefix, postgresql://host/db#table, or - for a pipe.",
    ),
    format_name: str | None = typer.Option(
        None, "--format", metavar="NAME|FILE.sql", help="The format of all these files, instead of detecting it."
    ),
    name: str | None = typer.Option(None, "--name", help="What the pipe's content is called in the case."),
    threads: int | None = typer.Option(None, min=1, help="Files read at once; default: [resources] threads."),
) -> None:
    """Reads log files into the case: detects formats, hashes, keeps records with file, line and offset."""
    case = Case.open(case_folder)
    with _bars() as progress:
        report = ingest(
            case,
            paths,
            format=format_name,
            threads=threads or case.config.resources.threads,
            progress=progress,
            pipe=Pipe(sys.stdin.buffer, name),
        )
    for line in table(report):
        typer.echo(line)
    if any(each.rejected for each in report.files):
        typer.echo(f"What was not understood, by shape and with places: forensics rejects {case.root}")
    for problem in report.problems:
        typer.echo(f"forensics: {_problem(str(problem))}", err=True)
    raise typer.Exit(report.exit_code)


def table(report: IngestReport) -> Iterator[str]:
    """Yields what became of each file, and the sums."""
    for each in report.files:
        yield from _file(each)
    kept = sum(each.records_kept for each in report.files)
    rejected = sum(sum(each.rejected.values()) for each in report.files)
    duplicate = sum(each.records_duplicate for each in report.files)
    read = sum(each.records_read for each in report.files)
    yield (
        f"{len(report.files):,} files: {read:,} records read = {kept:,} kept + {rejected:,} rejected + "
        f"{duplicate:,} duplicates; {len(report.problems):,} files with problems"
    )


def _file(each: FileReport) -> Iterator[str]:
    packed = "" if each.compression == "none" else f", {each.compression}"
    known = {"new": "", "known": ", known already", "replaced": ", content replaced", "copy": ""}[each.status]
    yield f"{plain(each.path)}"
    yield f"    {each.format} ({plain(each.why)}){packed}{known}"
    if each.copy_of is not None:
        yield f"    the same content as {plain(each.copy_of)}: {each.records_duplicate:,} duplicates"
        return
    reasons = "".join(f", {count:,} rejected ({reason})" for reason, count in each.rejected.items())
    doubles = f", {each.records_duplicate:,} duplicates" if each.records_duplicate else ""
    cut = ", cut short" if each.cut_short else ""
    yield f"    {each.records_read:,} read, {each.records_kept:,} kept{reasons}{doubles}{cut}; {_range(each)}"
    if each.counts:
        yield "    " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in each.counts.items())


def _range(each: FileReport) -> str:
    if each.first_ns is None or each.last_ns is None:
        return "no times"
    return f"{_time(each.first_ns)} to {_time(each.last_ns)}"


def _time(ns: int) -> str:
    try:
        return iso(ns)
    except (ValueError, OverflowError):
        return "an impossible time"


def _problem(text: str) -> str:
    """One line, except for the lines to add to case.toml that a refusal shows."""
    return "\n".join(plain(line) for line in text.splitlines())


class _Display:
    """Bars on stderr: fetching and unpacking where there is anything to, then one per reading."""

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.task: TaskID | None = None

    def stage(self, name: str, total: int) -> None:
        """A new bar begins; one of unknown length pulses."""
        self.task = self.bars.add_task(name, total=total or None)

    def advance(self, done: int) -> None:
        """Moves the last bar."""
        if self.task is not None:
            self.bars.advance(self.task, done)


@contextmanager
def _bars() -> Iterator[_Display | None]:
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description:>9}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Display(bars)
