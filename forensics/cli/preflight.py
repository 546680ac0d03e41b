"""``forensics preflight``: can this deployment leak? Answers for a person, a program or a pipeline."""

from pathlib import Path

import typer

from forensics.errors import ForensicsError
from forensics.preflight import documents
from forensics.preflight.run import preflight as answer

_DOCUMENTS = {"text": documents.text, "json": documents.as_json, "junit": documents.junit}


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "preflight",
        epilog="Examples:  forensics preflight prefill-0.json decode-*.log values.yaml  |  "
        "forensics preflight deployment/ --format junit > preflight.xml",
    )(preflight)


def preflight(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="CONFIG…",
        help="Saved /server_info, logs since the start, manifests, Helm values, command lines, statements (.toml).",
    ),
    form: str = typer.Option("text", "--format", help="text, json or junit."),
) -> None:
    """Asks whether this deployment can leak, and answers A to F: pass, fail or cannot tell, with reason and fix.

    Exit codes: 0 all pass, 1 a check failed, 2 cannot tell or could not complete.
    """  # fmt: skip
    if form not in _DOCUMENTS:
        raise ForensicsError(f"{form!r} is no output format", fix="Use text, json or junit")
    found = answer(paths)
    typer.echo(_DOCUMENTS[form](found), nl=False)
    if form != "text":
        for problem in found.problems:
            typer.echo(documents.line(problem), err=True)
    raise typer.Exit(found.exit_code)
