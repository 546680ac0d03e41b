"""``forensics demo``: the whole road on a made-up world, with its count checked against what that world holds."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from forensics.case.folder import Case
from forensics.cli.analyze import analyze_case
from forensics.disclose.run import read_summary, report
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.scenario.declare import case_toml
from forensics.scenario.incident.write import write_incident
from forensics.scenario.story import write_story
from forensics.scenario.truth import StoryTruth

CHECKED = ("affected", "affected_by_mechanism", "affected_by_class", "over_pool")


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "demo",
        epilog="Examples:  forensics demo  |  forensics demo here --small --seed 7  |  forensics demo --story",
    )(demo)


def demo(
    folder: Path = typer.Argument(Path("forensics-demo"), metavar="DIR", help="A folder to make."),
    small: bool = typer.Option(False, "--small", help="All lengths a hundredth: 60 MB of logs, not 650."),
    story: bool = typer.Option(False, "--story", help="A story of some 60 exchanges instead, for a first look."),
    seed: int = typer.Option(1, help="Another seed tells the same with other texts, tenants and times."),
) -> None:
    """Replays the published incident from logs to letters: writes its logs, then init, ingest, analyze and report.

    Exits with 0 if the count is the world's own, else 2.
    """
    if small and story:
        raise ForensicsError("the story has one size", where="--small", fix="Leave out --small or --story")
    if folder.exists() and any(folder.iterdir()):
        raise ForensicsError("the folder is not empty", where=str(folder), fix="Name a new one: `forensics demo DIR`")
    took: dict[str, float] = {}
    with _clock(took, "making the world"):
        truth, declared = _write(folder, seed=seed, small=small, story=story)
    size = sum(path.stat().st_size for path in truth.logs.rglob("*") if path.is_file())
    _say(f"world    {len(truth.exchanges):>7,} exchanges, {size / 1e6:,.0f} MB of logs")
    case = Case.create(folder / "case", declared)
    with _clock(took, "ingest"):
        _ingest(case, truth)
    with _clock(took, "analyze"), case.lock():
        analyze_case(case)
    with _clock(took, "report"):
        run = report(case)
    summary = read_summary(run)
    for line in ("", summary["headline"], "", summary["controls"]["said"], "", f"Reports: {run}"):
        typer.echo(line)
    _say(_spent(took))
    _check(summary, truth)


def _write(folder: Path, *, seed: int, small: bool, story: bool) -> tuple[StoryTruth, str]:
    """Returns the truth of the world written to ``folder``, and what its investigator declares."""
    if story:
        return write_story(folder, seed=seed), case_toml()
    truth = write_incident(folder, seed=seed, small=small)
    return truth, (folder / "case.toml").read_text(encoding="utf-8")


def _ingest(case: Case, truth: StoryTruth) -> None:
    result = ingest(case, [truth.logs], threads=case.config.resources.threads)
    for problem in result.problems:
        _say(f"ingest   {problem}")
    kept = sum(each.records_kept for each in result.files)
    _say(f"ingest   {kept:>7,} records kept of {len(result.files)} files")


@contextmanager
def _clock(took: dict[str, float], what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    took[what] = time.monotonic() - began


def _spent(took: dict[str, float]) -> str:
    """One line: how long making the world and analysing it took, and the most memory held at any time."""
    made, *analysed = took.values()
    parts = ", ".join(f"{what} {seconds:.0f}" for what, seconds in list(took.items())[1:])
    scale = 1 if sys.platform == "darwin" else 1024  # getrusage counts bytes there and KiB elsewhere
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * scale
    return (
        f"Making the world took {made:.0f} s, analysing it {sum(analysed):.0f} s ({parts}); "
        f"{sum(took.values()):.0f} s in all, at most {peak / 2**30:.1f} GiB of memory."
    )


def _check(summary: dict[str, object], truth: StoryTruth) -> None:
    """The world knows what happened; the analysis never saw it. Raises where they differ."""
    for key in CHECKED:
        if _counts(summary[key]) != _counts(truth.totals[key]):
            raise ForensicsError(
                f"the analysis counts {key} = {summary[key]}, but the world holds {truth.totals[key]}",
                fix="Please report this: the demo must come out right",
            )
    _say("The count is the world's own: nothing missed, nothing added.")


def _counts(value: object) -> object:
    """A table of counts without those that are none, which one side may not name."""
    return {name: count for name, count in value.items() if count} if isinstance(value, dict) else value


def _say(line: str) -> None:
    typer.echo(line, err=True)
