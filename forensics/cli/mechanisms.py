"""``forensics mechanisms``: every way in that is looked for, what it needs, and whether a case has it."""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import typer

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.errors import ForensicsError
from forensics.resources import query
from forensics.suspect.mechanism import TOLD, Mechanism, of
from forensics.suspect.mechanism import mechanisms as known_mechanisms


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command(
        "mechanisms",
        epilog="Examples:  forensics mechanisms  |  forensics mechanisms incident --format json",
    )(mechanisms)


@dataclass(frozen=True)
class Found:
    """What an analysed case has of each need, and what each mechanism came to: (has, number, what) and statuses."""

    needs: dict[str, tuple[bool, int, str]]
    statuses: dict[str, dict[str, int]]


def mechanisms(
    case_folder: Path | None = typer.Argument(None, metavar="[CASE]", help="An analysed case folder."),
    form: str = typer.Option("text", "--format", help="text or json."),
) -> None:
    """Lists every mechanism: what it asks and needs, and with CASE whether the case has that and what came of it.

    A site's own, in CASE/queries/mechanisms, are among them.
    """
    case = Case.open(case_folder) if case_folder else None
    known = [*known_mechanisms(case.site if case else None), of(query("timing/isolation"))]
    found = _found(case) if case else None
    if form == "json":
        typer.echo(json.dumps([_row(each, found) for each in known], indent=1, ensure_ascii=False))
    elif form == "text":
        for each in known:
            typer.echo("\n".join(_lines(_row(each, found))) + "\n")
    else:
        raise ForensicsError(f"there is no format {form!r}", fix="Use --format text or --format json")


def _found(case: Case) -> Found:
    with connect(case) as con:
        try:
            needs = con.execute("SELECT need, has, number, what FROM need ORDER BY need").fetchall()
            counts = con.execute(
                "SELECT mechanism, status, count(*) FROM suspicion GROUP BY ALL"
                " UNION ALL SELECT 'prefix_cache_timing', 'isolation ' || status || ' between ' || boundary, count(*)"
                " FROM isolation GROUP BY ALL ORDER BY 1, 2"
            ).fetchall()
        except duckdb.CatalogException as error:
            raise ForensicsError(
                "this case was not analysed yet, or by an older version",
                where=str(case.root),
                fix=f"Run `forensics analyze {case.root}`",
            ) from error
    statuses: dict[str, dict[str, int]] = defaultdict(dict)
    for mechanism, status, count in counts:
        statuses[mechanism][status] = count
    return Found({need: (has, number, what) for need, has, number, what in needs}, statuses)


def _row(mechanism: Mechanism, found: Found | None) -> dict[str, Any]:
    row: dict[str, Any] = {"mechanism": mechanism.name, "file": mechanism.query.name}
    row |= {key.replace(" ", "_"): mechanism.told(key) for key in (*TOLD, "needs")}
    row["requires"] = [_need(choice, found) for choice in mechanism.requires]
    if found:
        row["has_what_it_needs"] = all(each["has"] for each in row["requires"])
        row["statuses"] = found.statuses.get(mechanism.name, {})
    return row


def _need(choice: tuple[str, ...], found: Found | None) -> dict[str, Any]:
    """One need with its alternatives; with a case, whether one of them is met, and by how many of what."""
    told: dict[str, Any] = {"need": " or ".join(choice)}
    if found:
        met = [found.needs[name] for name in choice if name in found.needs]
        told["has"] = any(has for has, _, _ in met)
        told["seen"] = [f"{number:,} {what}" for _, number, what in met]
    return told


def _lines(row: dict[str, Any]) -> list[str]:
    told = [key for key in ("needs", "establishes", "possible", "excludes") if row[key]]
    lines = [plain(row["mechanism"]), f"  {plain(row['question'])}", *(f"  {key:<12}{plain(row[key])}" for key in told)]
    for each in row["requires"]:
        if "has" in each:
            lines.append(f"  {'has' if each['has'] else 'LACKS':<12}{plain(each['need'])}: {'; '.join(each['seen'])}")
        else:
            lines.append(f"  {'requires':<12}{plain(each['need'])}")
    if "statuses" in row:
        counts = ", ".join(f"{count:,} {status}" for status, count in row["statuses"].items())
        lines.append(f"  {'came to':<12}{counts or 'nothing: no exchange'}")
    return lines
