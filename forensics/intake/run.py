"""Takes reports from outside up into an analysis: which exchanges they mean, and whose text their excerpts are."""

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np

from forensics.case import texts
from forensics.case.database import create_table, insert, run
from forensics.case.folder import Case
from forensics.intake.sighting import Report, kept
from forensics.match.engine import Match, Settings, Text, match
from forensics.match.ledger import SOURCE, Flags
from forensics.match.library import CaseLibrary
from forensics.resources import query

MOST: Final = 40  # passages of one excerpt that are kept, the heaviest first
_TABLES: Final = {
    "sighting": "sighting VARCHAR, report VARCHAR, reporter VARCHAR, reference VARCHAR, at_ns BIGINT, until_ns BIGINT, "
    "model VARCHAR, tenant VARCHAR, excerpt_chars BIGINT, note VARCHAR",
    "sighting_id": "sighting VARCHAR, id VARCHAR",
    "sighting_exchange": "sighting VARCHAR, exchange_id VARCHAR, how VARCHAR",
    "sighting_match": "sighting VARCHAR, exchange_id VARCHAR, side VARCHAR, part INTEGER, field VARCHAR, "
    "excerpt_start BIGINT, excerpt_end BIGINT, text_start BIGINT, text_end BIGINT, bits_milli BIGINT, "
    "similarity_milli BIGINT",
}


@dataclass(frozen=True)
class IntakeReport:
    """Sightings, the exchanges that ids and excerpts name, and passages of excerpts found in the case's texts."""

    sightings: int
    suspected: int
    passages: int


def take_up(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> IntakeReport:
    """Writes ``sighting`` and its tables, and adds the mechanism ``reported`` to ``suspicion`` and ``candidate``.

    Runs after suspect and before match. Excerpts are looked for in every text of the case, unless ``metadata_only``.
    """
    for name, columns in _TABLES.items():
        con.execute(f'CREATE OR REPLACE TABLE "{name}" ({columns})')
    reports = kept(case)
    if not reports:
        return IntakeReport(0, 0, 0)
    excerpts = _fill(con, reports)
    passages = 0 if metadata_only else _look(con, case, excerpts)
    create_table(con, "sighting_exchange", query("intake/sighted", case.site))
    _register(con)
    for name in ("suspicion", "candidate"):
        statement = query(f"intake/{name}", case.site)
        run(con, f"INSERT INTO {name} BY NAME\n{statement.sql}", statement.path, {})
    suspected = con.execute("SELECT count(*) FROM suspicion WHERE mechanism = 'reported'").fetchone() or (0,)
    return IntakeReport(sum(len(each.sightings) for each in reports), suspected[0], passages)


def _fill(con: duckdb.DuckDBPyConnection, reports: list[Report]) -> list[Text]:
    """Writes what was seen, without the excerpts' words, and returns those."""
    excerpts = []
    for report in reports:
        for number, each in enumerate(report.sightings, 1):
            key = f"{report.sha256[:16]}:{number}"
            con.execute(
                "INSERT INTO sighting VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [key, report.sha256, report.reporter, report.reference, each.at_ns, each.until_ns, each.model,
                 each.tenant, len(each.excerpt), each.note],
            )  # fmt: skip
            for name in each.ids:
                con.execute("INSERT INTO sighting_id VALUES (?, ?)", [key, name])
            if each.excerpt:
                excerpts.append(Text(key, None, each.excerpt))
    return excerpts


def _look(con: duckdb.DuckDBPyConnection, case: Case, excerpts: list[Text]) -> int:
    """Writes ``sighting_match``: passages that weigh log2 of all texts plus the confirmed margin at least."""
    if not excerpts:
        return 0
    texts.attach(con, case)
    library = CaseLibrary(con)
    margin = round(case.config.thresholds.confirmed_margin_bits * 1000)
    least = margin + round(1000 * math.log2(max(len(library.parts) * len(excerpts), 1)))
    everything = np.full(len(excerpts), SOURCE, dtype=np.uint8)

    def roles(_text: Text) -> Flags:
        return everything.copy()

    settings = Settings(facts=False, least_bits_milli=least)
    found: dict[str, list[Match]] = defaultdict(list)
    for each in match(excerpts, library, roles, settings, threads=case.config.resources.threads):
        if each.span.bits_milli >= least:
            found[each.response_id].append(each)
    rows = []
    for key, passages in sorted(found.items()):
        passages.sort(key=lambda each: (-each.span.bits_milli, each.source_id, each.span.response_start))
        for each in passages[:MOST]:
            part, span = library.parts[each.source_id], each.span
            rows.append(
                (key, part.exchange_id, part.side, part.part, part.field, span.response_start, span.response_end,
                 span.source_start, span.source_end, span.bits_milli, span.similarity_milli)
            )  # fmt: skip
    insert(con, "sighting_match", rows)
    return len(rows)


def _register(con: duckdb.DuckDBPyConnection) -> None:
    """Where mechanisms stand in a table of their own, ``reported`` stands there too, after all others."""
    told = con.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = 'mechanism'").fetchall()
    columns = {name for (name,) in told}
    row = {"mechanism": "reported", "ordinal": 9_999, "sources": "none", "carries": "prompt and response"}
    if columns:
        con.execute("DELETE FROM mechanism WHERE mechanism = 'reported'")
        given = {name: value for name, value in row.items() if name in columns}
        names, marks = ", ".join(given), ", ".join("?" * len(given))
        con.execute(f"INSERT INTO mechanism ({names}) VALUES ({marks})", list(given.values()))  # noqa: S608 - ours
