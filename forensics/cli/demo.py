"""``forensics demo``: the whole road on the bundled story, with its count checked against the story's truth."""

import time
from pathlib import Path

import typer

from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.disclose.run import read_summary, report
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.scenario.declare import case_toml
from forensics.scenario.story import StoryTruth, write_story

CHECKED = ("affected", "affected_by_mechanism", "affected_by_class", "over_pool")


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command("demo", epilog="Examples:  forensics demo  |  forensics demo /tmp/demo --seed 7")(demo)


def demo(
    folder: Path = typer.Argument(Path("forensics-demo"), metavar="DIR", help="A folder to make."),
    seed: int = typer.Option(1, help="Another seed tells the same story with other texts and times."),
) -> None:
    """Writes the bundled story's logs, then runs init, ingest, analyze and report on them."""
    if folder.exists() and any(folder.iterdir()):
        raise ForensicsError("the folder is not empty", where=str(folder), fix="Name a new one: `forensics demo DIR`")
    began = time.monotonic()
    truth = write_story(folder, seed=seed)
    made = time.monotonic()
    case = Case.create(folder / "case", case_toml())
    result = ingest(case, [folder / "logs"], threads=case.config.resources.threads)
    for problem in result.problems:
        typer.echo(f"ingest   {problem}", err=True)
    kept = sum(each.records_kept for each in result.files)
    typer.echo(f"ingest   {kept:>7,} records kept of {len(result.files)} files", err=True)
    with case.lock():
        analyze_case(case)
    run = report(case)
    summary = read_summary(run)
    typer.echo("")
    typer.echo(summary["headline"])
    typer.echo("")
    typer.echo(f"Reports: {run}")
    done = time.monotonic()
    typer.echo(f"Making the world took {made - began:.1f} s, analysing it {done - made:.1f} s.", err=True)
    _check(summary, truth)


def _check(summary: dict[str, object], truth: StoryTruth) -> None:
    """The story knows what happened; the analysis never saw it. Raises where they differ."""
    for key in CHECKED:
        if summary[key] != truth.totals[key]:
            raise ForensicsError(
                f"the analysis counts {key} = {summary[key]}, but the story holds {truth.totals[key]}",
                fix="Please report this: the demo must come out right",
            )
    typer.echo("The count is the story's own: nothing missed, nothing added.", err=True)
