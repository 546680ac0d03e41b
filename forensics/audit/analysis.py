"""The stages over one run's case: new exchanges are judged, kept ones stand by as their sources."""

from dataclasses import dataclass

import duckdb

from forensics.audit.drift import Row, answers
from forensics.audit.fingerprints import Key
from forensics.audit.night import Night
from forensics.audit.search import KeptTexts
from forensics.audit.shelf import shelves, view
from forensics.audit.store import Store, Watermark
from forensics.case.database import create_table, rebuild, select
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.match.run import match
from forensics.resources import query
from forensics.suspect.run import suspect

KEPT = ("exchange", "exchange_text", "exchange_record")
"""Tables of which a run keeps the rows of the exchanges that it judged."""


_SEARCHED_BY_FINGERPRINTS = """
UPDATE scan SET complete = false, missing_why = 'text_not_kept'
WHERE missing_why IS NULL AND exchange_id IN (
    SELECT c.exchange_id
    FROM candidate AS c
    INNER JOIN exchange_text AS t ON t.exchange_id = c.source_exchange_id
    WHERE t.record_id NOT IN (SELECT record_id FROM text)
    UNION
    SELECT t.exchange_id
    FROM exchange_text AS t
    WHERE t.side = 'response' AND t.record_id NOT IN (SELECT record_id FROM text)
)
"""
"""Fingerprints show long exact runs only: that nothing is found in them clears nobody, nor does a response's loss."""


@dataclass(frozen=True)
class Judged:
    """What the stages said of the current exchanges.

    How many there are and were delivered, the affected, the undetermined by reason, hours seen, times to first tokens,
    preflight's answers, and the ids of all exchanges ``present``, kept ones among them.
    """

    exchanges: int
    delivered: int
    findings: tuple[Row, ...]
    undetermined: tuple[Row, ...]
    hours: tuple[Row, ...]
    timing: tuple[Row, ...]
    answers: dict[str, Row]
    present: frozenset[str]


NOTHING = Judged(0, 0, (), (), (), (), {}, frozenset())
"""What is judged where nothing is new."""


def analyze(night: Night, store: Store, mark: Watermark, key: Key) -> Judged:
    """Runs link, suspect, match and judge into the run's database. Kept exchanges count as candidate sources only."""
    case = night.case
    with rebuild(case, keep=True) as con:
        link(con, case)
        suspect(con, case)
        _told_apart(con, night)
        _kept(con, store, mark, night.superseded)
        entries = mark.entries()
        kept = {entry.file_id: store.evidence / name / "text.parquet" for name, entry in sorted(entries.items())}
        paths = {file_id: path for file_id, path in kept.items() if path.exists()}
        beside = KeptTexts(con, shelves(store.kept / name for name in sorted(mark.runs)), key, paths)
        match(con, case, threads=case.config.resources.threads, beside=beside)
        con.execute(_SEARCHED_BY_FINGERPRINTS)
        _without_bystanders(con)
        judge(con, case, metadata_only=False)
        return _judged(con)


def _told_apart(con: duckdb.DuckDBPyConnection, night: Night) -> None:
    """Leaves only what this run judges in the tables of exchanges and suspicions."""
    con.execute("CREATE TEMP TABLE new_file (file_id VARCHAR)")
    con.executemany("INSERT INTO new_file VALUES (?)", [(each,) for each in night.file_ids])
    con.execute("CREATE TEMP TABLE span (from_ns BIGINT, to_ns BIGINT)")
    if night.spans:
        con.executemany("INSERT INTO span VALUES (?, ?)", night.spans)
    create_table(con, "current_exchange", query("audit/current"))
    for table in (*KEPT, "suspicion"):
        con.execute(f"DELETE FROM {table} WHERE exchange_id NOT IN (FROM current_exchange)")  # noqa: S608 - ours


def _kept(con: duckdb.DuckDBPyConnection, store: Store, mark: Watermark, superseded: set[str]) -> None:
    """Puts the kept exchanges beside the current ones, and names candidates among all of them."""
    runs = [store.kept / name for name in sorted(mark.runs)]
    if runs:
        view(con, "kept_exchange_all", [each / "exchange.parquet" for each in runs])
        view(con, "kept_record_all", [each / "exchange_record.parquet" for each in runs])
        view(con, "kept_text_all", [each / "exchange_text.parquet" for each in runs])
        con.execute("CREATE OR REPLACE TEMP VIEW current_record AS SELECT record_id FROM exchange_record")
        con.execute("CREATE TEMP TABLE gone_file (file_id VARCHAR)")
        entries = mark.entries()
        gone = [(entries[key].file_id,) for key in sorted(superseded)]
        if gone:
            con.executemany("INSERT INTO gone_file VALUES (?)", gone)
        create_table(con, "kept_exchange", query("audit/kept_exchange"))
        con.execute("INSERT INTO exchange BY NAME SELECT * EXCLUDE (run) FROM kept_exchange")
        con.execute(
            "INSERT INTO exchange_text BY NAME SELECT t.* EXCLUDE (run) FROM kept_text_all AS t "
            "SEMI JOIN kept_exchange AS k ON k.exchange_id = t.exchange_id AND k.run = t.run"
        )
    con.execute("CREATE OR REPLACE TABLE known_exchange AS SELECT exchange_id FROM exchange ORDER BY exchange_id")
    create_table(con, "candidate", query("mechanisms/candidate_source"))


def _without_bystanders(con: duckdb.DuckDBPyConnection) -> None:
    """Removes kept exchanges that no current one can have read a word of: they get no verdict again."""
    con.execute(
        "DELETE FROM exchange WHERE exchange_id NOT IN (FROM current_exchange) "
        "AND exchange_id NOT IN (SELECT source_exchange_id FROM match_span)"
    )


def _judged(con: duckdb.DuckDBPyConnection) -> Judged:
    counts = con.execute(
        "SELECT count(*), count(*) FILTER (WHERE delivered != 'no') "
        "FROM exchange SEMI JOIN current_exchange USING (exchange_id)"
    ).fetchone() or (0, 0)
    tables = (rows(con, f"audit/{name}") for name in ("finding", "undetermined", "seen_hour", "timing"))
    known = con.execute("SELECT exchange_id FROM known_exchange").fetchall()
    return Judged(*counts, *tables, answers(con), frozenset(name for (name,) in known))


def rows(con: duckdb.DuckDBPyConnection, name: str, **values: object) -> tuple[Row, ...]:
    """Returns the rows of a named query as dictionaries."""
    found = select(con, query(name), **values)
    names = [column[0] for column in found.description or []]
    return tuple(dict(zip(names, row, strict=True)) for row in found.fetchall())
