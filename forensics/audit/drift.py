"""What changed without a finding: answers of preflight, and times to first tokens."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb

from forensics.audit.config import Timing
from forensics.preflight.answers import ORDER
from forensics.preflight.run import answers_in

TIMES: Final = "timing.json"
Row = dict[str, Any]


def answers(con: duckdb.DuckDBPyConnection) -> dict[str, Row]:
    """Returns preflight's answers for the processes whose starts are among this run's records, by check and worker.

    Of several files that tell of one worker the one with the newest records speaks for it.
    """
    files = con.execute("SELECT path, worker FROM file ORDER BY last_ns NULLS FIRST, path").fetchall()
    age = {path: (number, worker) for number, (path, worker) in enumerate(files)}
    found = sorted(answers_in(con).rows, key=lambda row: (age.get(row.subject, (-1, ""))[0], row.check, row.subject))
    told = {}
    for row in found:
        subject = age.get(row.subject, (-1, None))[1] or row.subject
        told[f"{row.check} {subject}"] = {
            "check": row.check, "subject": subject, "answer": row.answer, "reason": row.reason, "fix": row.fix,
        }  # fmt: skip
    return told


def worse(found: Mapping[str, Row], before: Mapping[str, str]) -> list[Row]:
    """Returns the answers that are worse than they were; what is answered for the first time is no drift."""
    return [
        {"kind": "preflight_drift", "before": before[name], **row}
        for name, row in sorted(found.items())
        if name in before and ORDER.index(row["answer"]) > ORDER.index(before[name])
    ]


def drifted(rows: Sequence[Row], kept: Sequence[Path], rule: Timing) -> list[Row]:
    """Returns the groups of requests whose median lies beyond ``rule`` of what every kept run had."""
    past: dict[tuple[str, str, int], list[int]] = {}
    for folder in kept:
        path = folder / TIMES
        for row in json.loads(path.read_text()) if path.exists() else ():
            if row["requests"] >= rule.least:
                past.setdefault((row["model"], row["worker"], row["size_class"]), []).append(row["median_us"])
    found = []
    for row in rows:
        medians = past.get((row["model"], row["worker"], row["size_class"]), [])
        if row["requests"] < rule.least or len(medians) < rule.runs:
            continue
        slower = row["median_us"] * 1000 > max(medians) * rule.factor_milli
        faster = row["median_us"] * rule.factor_milli < min(medians) * 1000
        if slower or faster:
            found.append(
                {"kind": "timing_drift", "how": "slower" if slower else "faster", "least_us": min(medians)}
                | {"most_us": max(medians), "runs": len(medians), **row}
            )
    return found
