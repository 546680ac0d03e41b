"""The stages over one run's case: new exchanges are judged, kept ones stand by as their sources."""

from dataclasses import dataclass, field, replace

import duckdb

from forensics.audit.drift import Row, answers
from forensics.audit.fingerprints import Key
from forensics.audit.night import Night
from forensics.audit.search import KeptTexts
from forensics.audit.shelf import shelves, view
from forensics.audit.store import Store, Watermark
from forensics.case.database import create_table, dicts, insert, rebuild, select
from forensics.controls.run import ControlReport, Controls, no_controls
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.match.answers import fit_answers
from forensics.match.markers import find_markers
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
    preflight's answers, which exchanges of earlier findings are still ``present``, and what became of the controls.
    """

    exchanges: int
    delivered: int
    findings: tuple[Row, ...]
    undetermined: tuple[Row, ...]
    hours: tuple[Row, ...]
    timing: tuple[Row, ...]
    answers: dict[str, Row]
    present: frozenset[str]
    controls: ControlReport = field(default_factory=ControlReport)


NOTHING = Judged(0, 0, (), (), (), (), {}, frozenset())
"""What is judged where nothing is new."""


def analyze(
    night: Night, store: Store, mark: Watermark, key: Key, *, lookback_ns: int, with_controls: bool = True
) -> Judged:
    """Runs link, suspect, match and judge into the run's database. Kept exchanges count as candidate sources only.

    Raises if a planted exchange is not found (``with_controls``), naming the rule that is blind.
    """
    case = night.case
    with rebuild(case, keep=True) as con:
        link(con, case)
        find_markers(con, case, metadata_only=False)
        fit_answers(con, case, metadata_only=False)
        with Controls(con, case, metadata_only=False) if with_controls else no_controls(con) as planted:
            planted.begin()
            suspect(con, case)
            controls = planted.finish()
        _told_apart(con, night)
        _kept(con, store, mark, night, lookback_ns)
        entries = mark.entries()
        kept = {entry.file_id: store.evidence / name / "text.parquet" for name, entry in sorted(entries.items())}
        paths = {file_id: path for file_id, path in kept.items() if path.exists()}
        beside = KeptTexts(con, shelves(store.kept / name for name in sorted(mark.runs)), key, paths)
        match(con, case, threads=case.config.resources.threads, beside=beside)
        con.execute(_SEARCHED_BY_FINGERPRINTS)
        _without_bystanders(con)
        judge(con, case, metadata_only=False)
        return replace(_judged(con, mark), controls=controls)


def _told_apart(con: duckdb.DuckDBPyConnection, night: Night) -> None:
    """Leaves only what this run judges in the tables of exchanges and suspicions."""
    con.execute("CREATE TEMP TABLE new_file (file_id VARCHAR)")
    insert(con, "new_file", [(each,) for each in night.file_ids])
    con.execute("CREATE TEMP TABLE span (from_ns BIGINT, to_ns BIGINT)")
    insert(con, "span", night.spans)
    create_table(con, "current_exchange", query("audit/current"))
    for table in (*KEPT, "suspicion"):
        con.execute(f"DELETE FROM {table} WHERE exchange_id NOT IN (FROM current_exchange)")  # noqa: S608 - ours


def _kept(con: duckdb.DuckDBPyConnection, store: Store, mark: Watermark, night: Night, lookback_ns: int) -> None:
    """Puts the kept exchanges that may be sources beside the current ones, and names candidates among all of them."""
    _views(con, store, sorted(mark.runs), near=_near(mark, night, lookback_ns))
    entries = mark.entries()
    con.execute("CREATE TEMP TABLE gone_file (file_id VARCHAR)")
    insert(con, "gone_file", [(entries[key].file_id,) for key in sorted(night.superseded)])
    create_table(con, "outdated_now", query("audit/outdated"))
    con.execute(
        "CREATE OR REPLACE TABLE outdated AS SELECT run, exchange_id FROM outdated_before UNION FROM outdated_now"
    )
    create_table(con, "kept_exchange", query("audit/kept_exchange"))
    con.execute("INSERT INTO exchange BY NAME SELECT * EXCLUDE (run) FROM kept_exchange")
    con.execute(
        "INSERT INTO exchange_text BY NAME SELECT t.* EXCLUDE (run) FROM kept_text_all AS t "
        "SEMI JOIN kept_exchange AS k ON k.exchange_id = t.exchange_id AND k.run = t.run"
    )
    create_table(con, "candidate", query("mechanisms/candidate_source"))


def _near(mark: Watermark, night: Night, lookback_ns: int) -> list[str]:
    """Returns the kept runs that may hold a record of an exchange of this one: those whose times meet its own."""
    spans = [(first - lookback_ns, last + lookback_ns) for first, last in night.spans]
    return [
        name
        for name, (first, last) in sorted(mark.runs.items())
        if first is None or last is None or any(first <= until and last >= since for since, until in spans)
    ]


def _views(con: duckdb.DuckDBPyConnection, store: Store, runs: list[str], *, near: list[str]) -> None:
    """Makes views of what earlier runs left, with the columns of this run's tables where there is nothing."""
    for name, table, among in (
        ("kept_exchange_all", "exchange", runs),
        ("kept_text_all", "exchange_text", runs),
        ("kept_record_near", "exchange_record", near),
    ):
        if among:
            view(con, name, [store.kept / run / f"{table}.parquet" for run in among])
        else:
            con.execute(
                f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT *, NULL::INTEGER AS run FROM {table} WHERE false"  # noqa: S608
            )
    con.execute(
        "CREATE OR REPLACE TEMP VIEW outdated_before AS SELECT NULL::INTEGER AS run, '' AS exchange_id WHERE false"
    )
    if runs:
        view(con, "outdated_before", [store.kept / run / "outdated.parquet" for run in runs])


def _without_bystanders(con: duckdb.DuckDBPyConnection) -> None:
    """Removes kept exchanges that no current one can have read a word of: they get no verdict again."""
    con.execute(
        "DELETE FROM exchange WHERE exchange_id NOT IN (FROM current_exchange) "
        "AND exchange_id NOT IN (SELECT source_exchange_id FROM match_span)"
    )


def _judged(con: duckdb.DuckDBPyConnection, mark: Watermark) -> Judged:
    exchanges, delivered = con.execute(
        "SELECT count(*), count(*) FILTER (WHERE delivered != 'no') "
        "FROM exchange SEMI JOIN current_exchange USING (exchange_id)"
    ).fetchone() or (0, 0)
    return Judged(
        exchanges,
        delivered,
        findings=rows(con, "audit/finding"),
        undetermined=rows(con, "audit/undetermined"),
        hours=rows(con, "audit/seen_hour"),
        timing=rows(con, "audit/timing"),
        answers=answers(con),
        present=_present(con, mark),
    )


def _present(con: duckdb.DuckDBPyConnection, mark: Watermark) -> frozenset[str]:
    """Returns which exchanges of findings that were told are still there as such."""
    told = sorted({each["exchange_id"] for each in mark.reported})
    if not told:
        return frozenset()
    found = con.execute(
        "SELECT exchange_id FROM current_exchange WHERE list_contains($told, exchange_id) UNION "
        "SELECT k.exchange_id FROM kept_exchange_all AS k ANTI JOIN outdated AS o USING (run, exchange_id) "
        "WHERE list_contains($told, k.exchange_id)",
        {"told": told},
    ).fetchall()
    return frozenset(name for (name,) in found)


def rows(con: duckdb.DuckDBPyConnection, name: str, **values: object) -> tuple[Row, ...]:
    """Returns the rows of a named query as dictionaries."""
    return tuple(dicts(select(con, query(name), **values)))
