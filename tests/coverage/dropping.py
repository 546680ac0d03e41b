"""Takes lines, hours, workers and sources away from an ingested case, and tells which verdicts became too good."""

from collections import defaultdict
from dataclasses import dataclass, field

import duckdb

from forensics.case.folder import Case
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.match.run import match
from forensics.suspect.run import suspect

_TABLES = ("file", "record", "reject")
_VERDICT = """
SELECT v.exchange_id, v.integrity, v.integrity_reason, list_distinct(list_filter(
    [v.request_id, x.decode_rid, x.prefill_rid, x.room], lambda id: id IS NOT NULL
)) AS names
FROM verdict AS v INNER JOIN exchange AS x USING (exchange_id)
"""


@dataclass(frozen=True)
class Judged:
    """Verdicts of one run: integrity and reason by exchange, and the exchanges that go by an id."""

    told: dict[str, tuple[str, str]] = field(default_factory=dict)
    by_name: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    names: dict[str, list[str]] = field(default_factory=dict)


def judged(case: Case, drop: str = "false", *, metadata_only: bool = False) -> Judged:
    """Analyses the case without the records for which the condition ``drop`` holds (columns of record and its file)."""
    con = duckdb.connect(config={"threads": 1})
    con.execute("SET TimeZone = 'UTC'")
    con.execute(f"ATTACH '{case.database}' AS whole (READ_ONLY)")
    for name in _TABLES:
        con.execute(f"CREATE TABLE {name} AS FROM whole.{name}")
    con.execute("DETACH whole")
    con.execute(
        "DELETE FROM record WHERE record_id IN ("  # noqa: S608 - conditions of our own
        "SELECT r.record_id FROM record AS r INNER JOIN (SELECT DISTINCT ON (file_id) * FROM file ORDER BY path) AS f"
        f" ON f.file_id = r.file_id WHERE {drop})"
    )
    con.execute("DELETE FROM file WHERE file_id NOT IN (SELECT file_id FROM record)")
    link(con, case)
    suspect(con, case)
    match(con, case, threads=1, metadata_only=metadata_only)
    judge(con, case, metadata_only=metadata_only)
    made = Judged()
    for exchange, integrity, reason, names in con.execute(_VERDICT).fetchall():
        made.told[exchange] = (integrity, reason)
        made.names[exchange] = names
        for name in names:
            made.by_name[name].add(exchange)
    con.close()
    return made


def too_good(before: Judged, after: Judged) -> list[str]:
    """Returns what is *not affected* without the dropped records and was affected or undetermined with them."""
    faults = []
    for exchange, (integrity, reason) in after.told.items():
        if integrity != "not_affected":
            continue
        were = set().union(*(before.by_name.get(name, set()) for name in after.names[exchange]))
        if were and all(before.told[each][0] != "not_affected" for each in were):
            faults.append(f"{sorted(were)}: {sorted({before.told[each] for each in were})} became {reason}")
    return faults


def drops(workers: list[str], sources: list[str], *, hours: int) -> dict[str, str]:
    """Returns conditions by what they take away; ``hours`` parts of the time stand for hours in a short world."""
    made = {
        f"line {offset} of {n}, everywhere": f"(r.line + {offset}) % {n} = 0" for n in (2, 3, 7) for offset in range(n)
    }
    for n in (2, 5):
        made[f"every {n}th line of the clients' logs"] = f"r.kind = 'client' AND r.line % {n} = 0"
        made[f"every {n}th line of the engines' logs"] = f"f.worker IS NOT NULL AND r.line % {n} = 0"
    part = "ntile({hours}) OVER (ORDER BY coalesce(r.at_ns, r.received_ns), r.record_id) = {number}"
    chosen = "r.record_id IN (SELECT record_id FROM (SELECT r.*, {part} AS taken FROM record AS r) WHERE taken)"
    for number in range(1, hours + 1):
        taken = chosen.format(part=part.format(hours=hours, number=number))
        made[f"hour {number}, everywhere"] = taken
        made[f"hour {number}, the clients' logs"] = f"r.kind = 'client' AND {taken}"
        made[f"hour {number}, the engines' logs"] = f"f.worker IS NOT NULL AND {taken}"
    for worker in workers:
        made[f"worker {worker}"] = f"f.worker = '{worker}'"
        made[f"worker {worker}, but for its server info"] = (
            f"f.worker = '{worker}' AND r.format != 'sglang_server_info'"
        )
    for source in sources:
        made[f"source {source}"] = f"r.format = '{source}'"
    made["all clients' logs"] = "r.kind = 'client'"
    return made


def parts(case: Case) -> tuple[list[str], list[str]]:
    """Returns the workers and the formats that the case holds."""
    with duckdb.connect(str(case.database), read_only=True) as con:
        workers = con.execute("SELECT DISTINCT worker FROM file WHERE worker IS NOT NULL ORDER BY 1").fetchall()
        formats = con.execute("SELECT DISTINCT format FROM record ORDER BY 1").fetchall()
    return [row[0] for row in workers], [row[0] for row in formats]
