"""Proposes which tenants that no rule names may be one, since they sent the same rare sentences. Nothing is joined."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

import duckdb

from forensics.case.database import create_table, insert
from forensics.case.folder import Case
from forensics.resources import query

ENOUGH: Final = 120
"""Bytes of rare sentences that two must share."""
_FEW: Final = 24  # holders of a sentence up to which every two of them are compared
_COLUMNS: Final = "proposal INTEGER, tenant VARCHAR, named BOOLEAN, shared_bytes BIGINT"


@dataclass(frozen=True)
class Held:
    """A rare sentence's length in bytes, and who sent it; names that a rule gave are not ``unnamed``."""

    bytes: int
    tenants: tuple[str, ...]
    unnamed: frozenset[str]


def propose(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool = False) -> int:
    """Writes ``tenant_proposal`` (proposal, tenant, named, shared_bytes) and returns the number of proposals.

    Reads the view ``text``, and nothing where no exchange is of a tenant without a name, or with ``metadata_only``.
    """
    con.execute(f"CREATE OR REPLACE TABLE tenant_proposal ({_COLUMNS})")
    unnamed = con.execute(
        "SELECT count(*) FROM exchange AS x INNER JOIN exchange_text AS t USING (exchange_id)"
        " WHERE x.tenant_class = 'unresolved' AND t.side = 'prompt'"
    ).fetchone()
    if metadata_only or not unnamed or not unnamed[0]:
        return 0
    create_table(con, "shared_piece", query("match/shared_piece", case.site))
    pieces: dict[str, list[tuple[int, str, bool]]] = defaultdict(list)
    for piece, size, tenant, is_unnamed in con.execute("FROM shared_piece ORDER BY ALL").fetchall():
        pieces[piece].append((size, tenant, is_unnamed))
    con.execute("DROP TABLE shared_piece")
    held = [
        Held(rows[0][0], tuple(sorted(row[1] for row in rows)), frozenset(row[1] for row in rows if row[2]))
        for rows in pieces.values()
    ]
    rows = [
        (number, tenant, named, shared)
        for number, group in enumerate(groups(held), 1)
        for tenant, named, shared in group
    ]
    insert(con, "tenant_proposal", rows)
    return len({row[0] for row in rows})


def groups(held: list[Held]) -> list[list[tuple[str, bool, int]]]:
    """Returns groups of (tenant, has a name, bytes it shares with another of the group), each in order of names.

    Two belong together if they share ``ENOUGH``; a group has one name at most, that of the stronger tie.
    """
    shared: Counter[tuple[str, str]] = Counter()
    unnamed = frozenset[str]().union(*(each.unnamed for each in held))
    for each in held:
        pairs = combinations(each.tenants, 2) if len(each.tenants) <= _FEW else pairwise(each.tenants)
        for pair in pairs:
            shared[pair] += each.bytes
    group = {tenant: {tenant} for pair in shared for tenant in pair}
    weight: Counter[str] = Counter()
    for (one, other), size in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        together = group[one] | group[other]
        if size < ENOUGH or len(together - unnamed) > 1:
            continue
        for tenant in together:
            group[tenant] = together
        weight[one], weight[other] = max(weight[one], size), max(weight[other], size)
    found = {min(members): members for members in group.values() if len(members) > 1}
    return [[(each, each not in unnamed, weight[each]) for each in sorted(found[name])] for name in sorted(found)]
