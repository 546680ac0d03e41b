"""``forensics rejects``: what was read, what was not understood, and what it looks like."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import typer

from forensics.case import custody
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.errors import ForensicsError
from forensics.ingest.rejects import Accounts, FileAccount, Template, accounts


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "rejects",
        epilog="Examples:  forensics rejects incident  |  forensics rejects incident '*/decode-0/*' "
        '--show-text "is this a format that we lack?"',
    )(rejects)


def rejects(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    files: str = typer.Argument("*", metavar="FILES", help="A pattern of evidence paths."),
    show_text: str = typer.Option(
        None,
        "--show-text",
        metavar="REASON",
        help="Show rejected lines in clear; the reason goes into the custody log.",
    ),
    most: int = typer.Option(30, "--most", min=1, help="Shapes of lines to show."),
) -> None:
    """Shows the account of every file, and lines that were not understood by shape, with counts and places.

    Shapes have ids, numbers and quoted values taken out; the lines themselves need --show-text.
    """
    case = Case.open(case_folder)
    if show_text is not None and not show_text.strip():
        raise ForensicsError("--show-text needs a reason", fix='Write --show-text "why the lines have to be read"')
    found = accounts(case)
    if show_text is not None:
        custody.record(case, "show-text", reason=show_text.strip(), rejects=files)
    shown = [each for each in found.files if fnmatchcase(each.path, files)]
    for each in shown:
        for line in _file(each, clear=show_text is not None):
            typer.echo(line)
    for line in (*_sum(shown), *_shapes(found, most)):
        typer.echo(line)
    if wrong := [each.path for each in found.files if each.copy_of is None and not each.adds_up]:
        raise ForensicsError("the account does not add up", where=wrong[0], fix="Please report this")


def _file(each: FileAccount, *, clear: bool) -> Iterator[str]:
    if not each.rejected:
        return
    yield plain(each.path)
    yield (
        f"    {each.raw_bytes:,} bytes, {each.decoded_bytes:,} decoded; {each.framed:,} records framed = "
        f"{each.kept:,} kept + {each.duplicate:,} duplicates + {each.rejected:,} rejected"
    )
    for reason, count in sorted(each.reasons.items(), key=lambda item: (-item[1], item[0])):
        examples = each.examples.get(reason, [])
        places = ", ".join(str(example.line) for example in examples)
        yield f"    {count:,} {reason}: line {places}{', …' if count > len(examples) else ''}"
        if clear:
            for example in examples:
                yield f"        {example.line} (byte {example.byte_offset}): {plain(example.text)}"


def _sum(files: list[FileAccount]) -> Iterator[str]:
    framed, kept = sum(each.framed for each in files), sum(each.kept for each in files)
    duplicate, rejected = sum(each.duplicate for each in files), sum(each.rejected for each in files)
    yield (
        f"{len(files):,} files: {framed:,} records framed = {kept:,} kept + {duplicate:,} duplicates + "
        f"{rejected:,} rejected"
    )


def _shapes(found: Accounts, most: int) -> Iterator[str]:
    for title, templates in (
        ("Not understood", found.rejected),
        ("Kept as notes: lines of a known format from which nothing was taken", found.notes),
    ):
        if templates:
            lines = sum(each.lines for each in templates)
            yield f"{title}: {lines:,} lines in {len(templates):,} shapes"
            yield from map(_shape, templates[:most])
            if len(templates) > most:
                rest = sum(each.lines for each in templates[most:])
                yield f"{rest:>12,}  lines of {len(templates) - most:,} more shapes (--most)"


def _shape(each: Template) -> str:
    where = f"{plain(each.path)}:{each.line}" + (f" and {each.files - 1:,} more files" if each.files > 1 else "")
    reason = "" if each.reason == "note" else f"{each.reason}: "
    return f"{each.lines:>12,}  {reason}{plain(each.text)}\n{'':>14}from {where}"
