"""``forensics formats``: which there are, a starting file for one's own, and what a file would yield."""

import re
from collections.abc import Iterator
from pathlib import Path

import typer

from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.errors import ForensicsError
from forensics.ingest.formats import Formats
from forensics.ingest.trial import Seen, Trial, trial
from forensics.resources import folder

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_WIDTH = 100


def register(app: typer.Typer) -> None:
    """Adds the commands to ``app``."""
    commands = typer.Typer(
        help="Lists the formats that are read; `new` starts one of your own, `try` shows what a file yields.",
        rich_markup_mode="rich",
    )
    commands.callback(
        invoke_without_command=True,
        epilog="Examples:  forensics formats  |  forensics formats new myapp  |  "
        "forensics formats try app.jsonl --format myapp.sql",
    )(list_formats)
    commands.command("new", epilog="Example:  forensics formats new myapp --into incident/queries/formats")(new)
    commands.command(
        "try",
        epilog="Examples:  forensics formats try logs.tar.gz  |  forensics formats try app.jsonl --format myapp.sql",
    )(try_file)
    app.add_typer(commands, name="formats")


def list_formats(
    context: typer.Context,
    case_folder: Path = typer.Option(None, "--case", metavar="CASE", help="Also those of this case."),
) -> None:
    """Lists the formats that are read, each with what its lines look like."""
    if context.invoked_subcommand is not None:
        return
    for name, form in sorted(Formats(_site(case_folder)).by_name.items()):
        typer.echo(f"{name:<26} {form.framing or 'by content':<11} {plain(form.evidence)}")
        typer.echo(f"{'':<26} {'':<11} {plain(form.query.header.get('question', ''))}")


def new(
    name: str = typer.Argument(..., metavar="NAME", help="The format's name: small letters, digits and _."),
    into: Path = typer.Option(Path(), "--into", metavar="FOLDER", help="Where the file is made; default: here."),
) -> None:
    """Writes NAME.sql, a commented projection to start a format of your own from."""
    if not _NAME.fullmatch(name):
        raise ForensicsError(
            f"{name!r} is no name for a format", fix="Use small letters, digits and _, as in my_gateway"
        )
    if name in Formats(None).by_name:
        raise ForensicsError(f"a format named {name!r} exists already", fix="Choose another name")
    path = into / f"{name}.sql"
    starting = (folder("queries") / "formats" / "template" / "starting.sql").read_text(encoding="utf-8")
    try:
        into.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write(starting)
    except FileExistsError as error:
        raise ForensicsError("the file exists already", where=str(path), fix="Choose another name or folder") from error
    typer.echo(f"Made {path}")
    typer.echo(f"Next: write what your lines are, then forensics formats try FILE --format {path}")


def try_file(
    path: Path = typer.Argument(..., metavar="FILE", help="A log file, an archive or a folder."),
    wanted: str = typer.Option(
        None, "--format", metavar="NAME|FILE.sql", help="Read it as this, instead of detecting."
    ),
    case_folder: Path = typer.Option(None, "--case", metavar="CASE", help="Also know the formats of this case."),
    shown: int = typer.Option(3, "--records", min=0, help="Records to show."),
) -> None:
    """Shows what a file would yield: format, records by kind, filled columns, rejects by shape. Nothing is kept.

    Local times are shown as if they were UTC; a case declares their zone.
    """
    if not path.exists():
        raise ForensicsError("no such file or folder", where=str(path), fix="Check the path")
    found = trial(path, wanted=wanted, site=_site(case_folder), shown=shown)
    for line in _told(found):
        typer.echo(line)
    for problem in found.problems:
        typer.echo(f"forensics: {plain(problem)}", err=True)
    raise typer.Exit(0 if found.files and not found.problems else 2)


def _site(case_folder: Path | None) -> Path | None:
    return None if case_folder is None else Case.open(case_folder).site


def _told(found: Trial) -> Iterator[str]:
    if found.seen is not None:
        yield from _seen(found.seen)
        return
    if not found.whole:
        yield "Only the beginning of this large file was looked at."
    for each in found.files:
        wrapping = "" if each.compression == "none" else f", within {each.compression}"
        rejected = sum(each.rejected.values())
        yield plain(each.path)
        yield f"    {each.format} ({plain(each.why)}){wrapping}"
        yield (
            f"    {each.records_read:,} records framed = {each.records_kept:,} kept + "
            f"{each.records_duplicate:,} duplicates + {rejected:,} rejected"
        )
    if found.kinds:
        yield "Records:"
        yield from (f"{count:>12,}  {kind} {phase}".rstrip() + f" ({form})" for form, kind, phase, count in found.kinds)
        yield "Columns that are filled:"
        yield from (f"{count:>12,}  {name}" for name, count in found.columns)
    if found.sides:
        yield "Texts:"
        yield from (
            f"{parts:>12,}  parts of {side} {name}, {chars:,} characters" for side, name, parts, chars in found.sides
        )
    for number, record in enumerate(found.records, 1):
        yield f"Record {number}:"
        yield from (f"    {name:<18} {_short(value)}" for name, value in record.items())
    for title, kept in (("Rejected:", False), ("Kept as notes, from which nothing was taken:", True)):
        templates = [each for each in found.templates if (each.reason == "note") == kept]
        if templates:
            yield title
            yield from (
                f"{each.lines:>12,}  {'' if kept else each.reason + ': '}{_short(each.text)}" for each in templates[:12]
            )


def _seen(seen: Seen) -> Iterator[str]:
    yield "No format that is known reads this file. What was seen:"
    if seen.wrapping:
        yield f"    within {', '.join(seen.wrapping)}"
    yield f"    {seen.lines:,} lines sampled, by shape:"
    yield from (f"{count:>12,}  {_short(text)}" for count, text in seen.shapes)
    if seen.keys:
        yield "    keys of JSON objects among them:"
        yield from (f"{count:>12,}  {_short(key)}" for count, key in seen.keys)


def _short(value: object) -> str:
    text = plain(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
