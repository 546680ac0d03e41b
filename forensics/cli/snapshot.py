"""``forensics snapshot``: a live table as a file that can be ingested, hashed and kept."""

from pathlib import Path

import typer

from forensics.cli.terminal import plain
from forensics.ingest.snapshot import SPEND, place_of, snapshot


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "snapshot", epilog="Example:  forensics snapshot postgresql://reader@db/litellm spend.parquet, then ingest it"
    )(snapshot_command)


def snapshot_command(
    uri: str = typer.Argument(
        ...,
        metavar="URI",
        envvar="FORENSICS_POSTGRES",
        help="postgresql://… ; keep the password in PGPASSWORD or ~/.pgpass.",
    ),
    target: Path = typer.Argument(..., metavar="FILE", help="The Parquet file to write; it must not exist."),
    table: str = typer.Option(SPEND, "--table", metavar="NAME", help="The table, spelled as in the database."),
) -> None:
    """Copies a table of a live Postgres server, LiteLLM's spend logs by default, into a Parquet file for `ingest`.

    The server is only read, in one read-only transaction; the same state gives the same file.
    """
    done = snapshot(uri, target, table)
    typer.echo(f"{done.rows:,} rows of {plain(table)} at {plain(place_of(uri))} in {plain(str(done.path))}")
    typer.echo(f"{done.size:,} bytes, SHA-256 {done.sha256}")
