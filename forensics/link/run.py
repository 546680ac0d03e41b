"""The link stage: from records to exchanges with their ids, clocks, placements and texts."""

from dataclasses import dataclass

import duckdb

from forensics.case.database import create_table, run
from forensics.case.folder import Case
from forensics.link.declared import declare
from forensics.resources import Query, queries, query

PRINTED = ("sglang_engine_log", "vllm_request_log")
"""What engines print, where their own detectors write (``mechanisms/unrecorded``)."""
_PAIRED_BY = {
    "pair_1_response_id": ("the response id", False),
    "pair_2_error_text": ("an id in the error text", False),
    "pair_3_content": ("equal message content and time", False),
    "pair_4_tokens": ("time and token count only", True),
    "pair_5_time": ("time only", True),
}


@dataclass(frozen=True)
class LinkReport:
    """How many exchanges there are, how many of them have an engine's record, and how many joins stayed ambiguous."""

    exchanges: int
    placed: int
    inferred: int
    ambiguous: int
    skewed: tuple[tuple[str, int, int], ...]


def link(con: duckdb.DuckDBPyConnection, case: Case) -> LinkReport:
    """Writes ``exchange``, ``exchange_record``, ``exchange_text``, ``worker_limit``, ``clock`` and ``ambiguity``."""
    declare(con, case.config)
    for name in (
        "engine_record",
        "engine_request",
        "worker",
        "worker_epoch",
        "worker_limit",
        "served",
        "record_tenant",
        "client_record",
        "client_request",
        "router_request",
        "prefill_host",
    ):
        _make(con, case, name)
    _pair(con, case)
    _make(con, case, "clock_margin", clock_ns=int(case.config.thresholds.clock_s * 1e9))
    for name in ("exchange", "exchange_record", "exchange_text"):
        _make(con, case, name)
    rest = query("link/ambiguity_rest", case.site)
    run(con, f"INSERT INTO ambiguity {rest.sql}", rest.path, {})
    _cover(con, case)
    return _report(con)


def _cover(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Counts what the logs should hold against what they do, and says where they may be missing something."""
    silence_ns = int(case.config.thresholds.silence_s * 1e9)
    silence = query("coverage/silence", case.site)
    create_table(con, "silence", silence, silence_ns=silence_ns, formats=[])
    create_table(con, "printed_silence", silence, silence_ns=silence_ns, formats=list(PRINTED))
    for name in ("request_seen", "counted", "coverage", "gap", "blind"):
        create_table(con, name, query(f"coverage/{name}", case.site))


def _make(con: duckdb.DuckDBPyConnection, case: Case, name: str, **values: object) -> int:
    return create_table(con, name, query(f"link/{name}", case.site), **values)


def _pair(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    """Joins clients' exchanges to engines' requests, the surest rule first; each rule sees what is still unpaired."""
    con.execute("CREATE OR REPLACE TABLE pairing (client_id VARCHAR, served_id VARCHAR, via VARCHAR, inferred BOOLEAN)")
    con.execute("CREATE OR REPLACE TABLE ambiguity (subject VARCHAR, what VARCHAR, detail VARCHAR)")
    con.execute(
        "CREATE OR REPLACE TABLE clock"
        " (worker VARCHAR, pairs BIGINT, bounded_below BOOLEAN, low_ns BIGINT, high_ns BIGINT, skew_ns BIGINT)"
    )
    con.execute("CREATE OR REPLACE TABLE model_pair (engine_model VARCHAR, client_model VARCHAR)")
    for rule in (each for each in queries("link", case.site) if each.name.startswith("link/pair_")):
        via, inferred = _PAIRED_BY.get(rule.name.removeprefix("link/"), (rule.header.get("via", rule.name), True))
        _apply(con, case, rule, via, inferred=inferred)
        if not inferred:
            _make(con, case, "clock")
            _make(con, case, "model_pair")


def _apply(con: duckdb.DuckDBPyConnection, case: Case, rule: Query, via: str, *, inferred: bool) -> None:
    _make(con, case, "unpaired_client")
    _make(con, case, "unpaired_served")
    create_table(con, "pair_candidate", rule)
    unique = query("link/unique_pair", case.site)
    run(
        con,
        f"INSERT INTO pairing SELECT client_id, served_id, $via, $inferred FROM (\n{unique.sql}\n)",  # noqa: S608 - ours
        unique.path,
        {"via": via, "inferred": inferred},
    )
    con.execute("DELETE FROM ambiguity WHERE what = 'pairing'")
    left = query("link/pairing_ambiguity", case.site)
    run(con, f"INSERT INTO ambiguity\n{left.sql}", left.path, {"via": via})


def _report(con: duckdb.DuckDBPyConnection) -> LinkReport:
    counts = con.execute(
        "SELECT count(*), count(decode_worker), count(*) FILTER (WHERE pair_inferred) FROM exchange"
    ).fetchone()
    ambiguous = con.execute("SELECT count(*) FROM ambiguity").fetchone()
    skewed = con.execute(
        "SELECT worker, skew_ns, high_ns - low_ns FROM clock WHERE skew_ns != 0 ORDER BY worker"
    ).fetchall()
    exchanges, placed, inferred = counts or (0, 0, 0)
    return LinkReport(exchanges, placed, inferred, ambiguous[0] if ambiguous else 0, tuple(skewed))
