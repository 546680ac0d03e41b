"""``forensics``: from logs to verdicts, a count, and a letter per tenant."""

import signal
import sys
from types import FrameType

import duckdb
import typer

from forensics import __version__
from forensics.case.memory import keep_freed_memory
from forensics.cli import (
    analyze,
    audit,
    compare,
    coverage,
    demo,
    explain,
    formats,
    ingest,
    init,
    intake,
    mechanisms,
    preflight,
    probe,
    rejects,
    report,
    reproduce,
    signs,
    snapshot,
    sql,
    tenants,
    verdicts,
)
from forensics.errors import ForensicsError

EXIT_CLEAN, EXIT_AFFECTED, EXIT_FAILED = 0, 1, 2

app = typer.Typer(
    help=__doc__,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog="Exit codes: 0 done, nothing affected; 1 done, something affected (analyze, report); 2 could not complete.",
)
_COMMANDS = (
    demo, init, formats, snapshot, ingest, rejects, intake, analyze, report, reproduce, coverage, tenants, verdicts,
    explain, signs, compare, sql, preflight, probe, mechanisms, audit,
)  # fmt: skip
for command in _COMMANDS:
    command.register(app)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and end.", is_eager=True),
) -> None:
    """Incident forensics and blast-radius analysis for multi-tenant LLM inference."""
    if version:
        typer.echo(f"forensics {__version__}")
        raise typer.Exit(EXIT_CLEAN)
    if context.invoked_subcommand is None:
        raise typer.Exit(EXIT_CLEAN)


def main() -> None:
    """Runs the command line; whatever the user can act on ends as one line on stderr and exit code 2."""
    signal.signal(signal.SIGTERM, _interrupt)
    keep_freed_memory()
    try:
        app()
    except ForensicsError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted; nothing half-done was kept. Run the same command again to go on")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    except (OSError, MemoryError, duckdb.Error) as error:
        _fail(f"{type(error).__name__}: {_one_line(error)}. Nothing half-done was kept; mend the cause and run again")


def _fail(message: str) -> None:
    typer.echo(f"forensics: {message}", err=True)
    sys.exit(EXIT_FAILED)


def _one_line(error: BaseException) -> str:
    return (str(error).strip() or "no detail").splitlines()[0]


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
