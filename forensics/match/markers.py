"""Looks for planted markers in responses: verbatim and with letters lost, doubled or turned, before suspicion is cast.

A marker (``[[canary]]`` of ``case.toml``) stands in prompts of one tenant only. Its text stays out of the database: a
marker is known there by its number in the declarations.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import duckdb
from rapidfuzz import fuzz

from forensics.case.database import insert, select
from forensics.case.folder import Case
from forensics.case.texts import attach
from forensics.match.normalise import fold
from forensics.resources import query

ALIKE: Final = 84.0
"""Per cent of likeness (edits of letters) from which a stretch counts as a garbled marker; chance reaches some 60."""
_BATCH: Final = 256
_TABLES: Final = """
CREATE OR REPLACE TABLE marker (marker INTEGER, tenant VARCHAR);
CREATE OR REPLACE TABLE marker_sent (marker INTEGER, exchange_id VARCHAR);
CREATE OR REPLACE TABLE marker_hit (marker INTEGER, exchange_id VARCHAR, alike_milli INTEGER);
"""


@dataclass(frozen=True)
class Marker:
    """One declared marker: its number, the tenant that sent it, and its letters and digits."""

    number: int
    tenant: str
    folded: bytes


def find_markers(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> int:
    """Writes ``marker``, ``marker_sent`` (prompts that hold one) and ``marker_hit``; returns the number of hits.

    ``marker_hit`` has one row per marker and response of another tenant that holds it, ``alike_milli`` being 1000 where
    it stands there letter by letter. Without declared markers, or without texts, the tables are empty.
    """
    con.execute(_TABLES)
    markers = _declared(case)
    if metadata_only or not markers:
        return 0
    insert(con, "marker", [(each.number, each.tenant) for each in markers])
    attach(con, case)
    sent: set[tuple[int, str]] = set()
    hits: dict[tuple[int, str], int] = defaultdict(int)
    for exchange_id, tenant, side, text in _texts(con, case):
        letters = fold(text).spelling
        for each in markers:
            if side == "prompt":
                if each.folded in letters:
                    sent.add((each.number, exchange_id))
            elif tenant != each.tenant and (alike := _alike(each.folded, letters)):
                key = each.number, exchange_id
                hits[key] = max(hits[key], alike)
    insert(con, "marker_sent", sorted(sent))
    insert(con, "marker_hit", [(*key, alike) for key, alike in sorted(hits.items())])
    return len(hits)


def _declared(case: Case) -> list[Marker]:
    declared = [(canary.tenant, marker) for canary in case.config.canary for marker in canary.markers]
    return [Marker(number, tenant, fold(text).spelling) for number, (tenant, text) in enumerate(declared, 1)]


def _texts(con: duckdb.DuckDBPyConnection, case: Case) -> Iterator[tuple[str, str, str, str]]:
    """Yields (exchange, tenant, side, text) of every part of every text."""
    with con.cursor() as reader:
        attach(reader, case)
        found = select(reader, query("match/marker_text", case.site))
        while rows := found.fetchmany(_BATCH):
            yield from rows


def _alike(marker: bytes, letters: bytes) -> int:
    """Returns how much like ``marker`` the most similar stretch is, in 1/1000, or 0 below what counts."""
    if marker in letters:
        return 1000
    if len(letters) < len(marker) // 2:
        return 0
    return round(10 * fuzz.partial_ratio(marker, letters, score_cutoff=ALIKE))
