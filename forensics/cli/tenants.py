"""``forensics tenants``: which rule named whom, whom none names, and who may be one."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import typer

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.cli.terminal import plain
from forensics.disclose.run import require_analyzed
from forensics.disclose.tables import Row, rows


def register(app: typer.Typer) -> None:
    """Adds the command to ``app``."""
    app.command("tenants", epilog="Examples:  forensics tenants incident  |  forensics tenants incident --most 200")(
        tenants
    )


def tenants(
    case_folder: Path = typer.Argument(..., metavar="CASE", help="The case folder."),
    most: int = typer.Option(20, "--most", min=1, help="Unnamed tenants to list."),
) -> None:
    """Shows which rule named how many tenants, the exchanges that no rule names, and tenants that may be one.

    Proposals rest on rare sentences that several sent; nothing is joined unless case.toml names aliases.
    """
    case = Case.open(case_folder)
    with connect(case) as con:
        require_analyzed(con, case)
        rules, unnamed, proposals = (rows(con, case, name) for name in ("tenant_rule", "unnamed", "proposals"))
    for line in (*_rules(rules), *_unnamed(unnamed, most), *_proposals(proposals)):
        typer.echo(line)


def _rules(found: list[Row]) -> Iterator[str]:
    yield f"{'exchanges':>10} {'tenants':>8}  named by"
    for row in found:
        yield f"{row['exchanges']:>10,} {row['tenants']:>8,}  {plain(row['rule'])} ({row['tenant_class']})"


def _unnamed(found: list[Row], most: int) -> Iterator[str]:
    if not found:
        return
    yield f"\nNo rule names a tenant for {len(found):,}; each is a tenant of its own:"
    for row in found[:most]:
        known = plain(row["formats"] or "no record")
        yield f"  {plain(row['tenant'])}: {row['exchanges']:,} exchanges, {row['integrity']}, known from {known}"
    if len(found) > most:
        yield f"  {len(found) - most:,} more (--most)"


def _proposals(found: list[Row]) -> Iterator[str]:
    for number, group in groupby(found, key=lambda row: row["proposal"]):
        members = list(group)
        yield f"\nProposal {number}: {len(members):,} that may be one, since they sent the same rare sentences"
        for row in members:
            known = "named by a rule" if row["named"] else "unnamed"
            counts = f"{row['exchanges']:,} exchanges, {row['shared_bytes']:,} bytes shared"
            yield f"  {plain(row['tenant'])} ({known}): {counts}"
    if found:
        yield "\nNothing was joined. To join them, name them as aliases of one [[tenant]] in case.toml"
