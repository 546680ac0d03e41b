"""``forensics explain``: the whole chain behind one exchange's verdict."""

from pathlib import Path

import typer

from forensics.case import custody
from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.disclose.explain import explain, find
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import prepare
from forensics.errors import ForensicsError


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "explain",
        epilog="Examples:  forensics explain incident chatcmpl-7f3a  |  "
        'forensics explain incident chatcmpl-7f3a --show-text "check of the source with the tenant\'s DPO"',
    )(explain_request)


def explain_request(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    request: str = typer.Argument(
        ..., metavar="REQUEST", help="An id: the client's, the gateway's, an engine's, a room."
    ),
    show_text: str = typer.Option(
        None, "--show-text", metavar="REASON", help="Show matched text in clear; the reason goes into the custody log."
    ),
) -> None:
    """Says which records an exchange was built from, how they were joined, where it lived, and why it was judged so."""
    case = Case.open(case_folder)
    if show_text is not None and not show_text.strip():
        raise ForensicsError("--show-text needs a reason", fix='Write --show-text "why the text has to be read"')
    with connect(case) as con:
        require_analyzed(con, case)
        prepare(con, case)
        found = find(con, case, request)
        if show_text is not None:
            custody.record(
                case,
                "show-text",
                reason=show_text.strip(),
                exchanges=[row["exchange_id"] for row in found],
                request=request,
            )
        for n, row in enumerate(found):
            if n:
                typer.echo("\n" + "=" * 40 + "\n")
            for line in explain(con, case, row, show_text=show_text is not None):
                typer.echo(line)
