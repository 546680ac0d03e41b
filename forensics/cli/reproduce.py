"""``forensics reproduce``: every number of the last report again, from the evidence."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from forensics.case import custody
from forensics.case.config import CaseConfig
from forensics.case.folder import Case, publish_text
from forensics.case.scratch import Scratch, beside
from forensics.cli.analyze import Bounds, analyze_case
from forensics.cli.sweeping import memory_bytes
from forensics.cli.terminal import plain
from forensics.disclose.run import report
from forensics.errors import ForensicsError
from forensics.intake.sighting import folder
from forensics.reproduce.comparison import compare, last_run, read, tampered
from forensics.reproduce.evidence import Given, read_again, recorded

SHOWN = 40  # differences that are printed one by one


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "reproduce",
        epilog="Examples:  forensics reproduce incident  |  forensics reproduce incident /mnt/evidence/logs",
    )(reproduce)


def reproduce(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    paths: list[str] = typer.Argument(
        None, metavar="[PATH…]", help="Where the evidence lies now, if not where it was ingested from."
    ),
) -> None:
    """Reads the evidence again into a scratch case, analyses it, and compares every number with the last report.

    Exit code 0: all the same. 1: something differs. 2: could not complete: evidence has changed or is gone, or the
    report's own files are not as they were published.
    """
    case = Case.open(case_folder)
    run = last_run(case)
    given = [Given(tuple(paths), Path.cwd())] if paths else recorded(case)
    with case.lock(), beside(case, "reproduce", _settings(case)) as scratch:
        differences = _derive(case, scratch, run, given)
    custody.record(case, "reproduce", run=run.name, differences=len(differences))
    for line in _told(differences):
        typer.echo(line)
    raise typer.Exit(1 if differences else 0)


def _derive(case: Case, scratch: Scratch, run: Path, given: Sequence[Given]) -> list[str]:
    """Returns what differs between the report and one that is derived anew. Raises if that cannot be done."""
    publish_text(scratch.root / "case.toml", (case.root / "case.toml").read_text(encoding="utf-8"))
    if folder(case).is_dir():
        shutil.copytree(folder(case), folder(scratch))
    reading = read_again(case, scratch, given, threads=case.config.resources.threads)
    typer.echo(f"Evidence: {reading.same:,} files are the same, by hash; {len(reading.faults):,} are not.")
    if reading.strangers:
        typer.echo(f"Left out: {reading.strangers:,} files beside them that the case never held.")
    for fault in (*reading.faults, *(wrong := tampered(run))):
        typer.echo(plain(fault))
    if reading.faults or wrong:
        raise ForensicsError(
            "the report cannot be reproduced from other evidence, or compared with a changed report",
            where=str(case.root),
            fix="Restore what is named above, or name where it lies: `forensics reproduce CASE PATH…`",
        )
    facts = read(run / "run.json")
    _analyse(case, scratch, facts["made_at"])
    again = report(scratch, now=facts["made_at"])
    found = compare(run, again)
    typer.echo(
        f"Report {run.name}: {found.numbers:,} numbers and {found.verdicts:,} verdicts compared, {found.files:,} files."
    )
    return [*_causes(facts, read(again / "run.json")), *found.differences] if found.differences else []


def _settings(case: Case) -> CaseConfig:
    """The case's declarations, with public texts by their whole paths."""
    public = tuple(
        str(path.resolve())
        for name in case.config.public_text
        for path in sorted([Path(name)] if Path(name).is_absolute() else case.root.glob(name))
    )
    return replace(case.config, public_text=public)


def _analyse(case: Case, scratch: Scratch, made_at: str) -> None:
    """Analyses as the case was when the report was made."""
    last: dict[str, object] = {}
    for event in custody.events(case, "analyze"):
        if str(event["at"]).replace("+00:00", "Z") <= made_at:
            last = event
    resources = case.config.resources
    bounds = Bounds(resources.threads, memory_bytes(resources.memory)) if last.get("sweep") else None
    analyze_case(scratch, metadata_only=bool(last.get("metadata_only")), bounds=bounds)


def _causes(was: dict[str, object], now: dict[str, object]) -> Iterator[str]:
    """Yields what may explain differences: other declarations, other rules, another version."""
    for key, what in (
        ("case_toml_sha256", "case.toml is not the one of the report"),
        ("detector", "the rules or the version are not those of the report"),
    ):
        if was[key] != now[key]:
            yield f"{what}: {was[key]} then, {now[key]} now"


def _told(differences: Sequence[str]) -> Iterator[str]:
    if not differences:
        yield "Reproduced: every number of the report follows from the evidence again."
        return
    yield f"{len(differences):,} differences:"
    yield from (f"  {plain(each)}" for each in differences[:SHOWN])
    if len(differences) > SHOWN:
        yield f"  and {len(differences) - SHOWN:,} more"
