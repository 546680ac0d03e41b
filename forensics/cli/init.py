"""``forensics init``: makes a case folder with a commented ``case.toml``."""

from pathlib import Path

import typer

from forensics.case.draft import template
from forensics.case.folder import Case
from forensics.ingest.survey import suggest


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "init", epilog="Examples:  forensics init incident  |  forensics init incident --from logs/  (drafts case.toml)"
    )(init)


def init(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="A folder to make; private to its owner."),
    source: list[str] | None = typer.Option(
        None, "--from", metavar="PATH", help="Look at these files and draft workers, zones, tenant rules and models."
    ),
    title: str = typer.Option("Untitled case", help="The case's title."),
) -> None:
    """Makes a case folder. With --from, case.toml is drafted from the files, each line with what suggests it."""
    suggestions = suggest(source) if source else None
    case = Case.create(case_folder, template(title, suggestions))
    typer.echo(
        f"Made {case.root / 'case.toml'}" + (", drafted from the files: check every line of it" if source else "")
    )
    if suggestions is not None:
        for line in suggestions.notes:
            typer.echo(f"  {line}")
    typer.echo(f"Next: forensics ingest {case.root} " + (" ".join(str(path) for path in source) if source else "PATH…"))
