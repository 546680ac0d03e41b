"""What a run tells machines: JSONL, OCSF detection findings, and a textfile for Prometheus."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from forensics import __version__
from forensics.audit.result import Result
from forensics.disclose import inert

Row = dict[str, Any]

_OCSF: Final = "1.4.0"
_DETECTION_FINDING: Final = 2004
_CONFIDENCE: Final = {"confirmed": 3, "probable": 2}
_SEVERITY: Final = {"finding": 4, "preflight_drift": 3, "timing_drift": 2, "hole": 3, "undetermined": 2}
_TITLES: Final = {
    "finding": "A response was computed from another exchange's KV",
    "preflight_drift": "A preflight check is answered worse than before",
    "timing_drift": "Times to first tokens have drifted",
    "hole": "Records that were due are missing",
    "undetermined": "Responses stay undetermined",
}
_TRUE, _SUSPICIOUS, _INSUFFICIENT = 2, 4, 7
"""OCSF's ``verdict_id``."""


def news(result: Result) -> Iterator[Row]:
    """Yields everything new that a run tells, each with its ``kind``, ``run`` and an ``id`` that never changes."""
    for row in result.findings:
        yield {"kind": "finding", "run": result.run, "id": row["finding"], **row}
    for row in (*result.drifts, *result.holes, *result.healed):
        named = ("kind", "check", "subject", "worker", "hour", "model", "size_class", "mechanism", "reason")
        name = "|".join(str(row[each]) for each in named if each in row)
        yield {"run": result.run, "id": f"{result.run:06d}|{name}", **row}
    for row in result.changed:
        yield {"kind": "changed", "run": result.run, "id": f"{result.run:06d}|{row['finding']}", **row}


def lines(rows: Iterable[Row]) -> str:
    """Returns JSON, one object a line, of ASCII only: evidence's own strings can do nothing to a terminal."""
    return "".join(json.dumps(inert.tree(row), sort_keys=True, ensure_ascii=True) + "\n" for row in rows)


def ocsf(result: Result) -> Iterator[Row]:
    """Yields OCSF events of the class Detection Finding for what is new; holes say that data is insufficient."""
    time = int(datetime.fromisoformat(result.stamp).timestamp() * 1000)
    for row in news(result):
        if row["kind"] in _TITLES:
            yield _event(row, time)


def _event(row: Row, time: int) -> Row:
    kind = row["kind"]
    verdict = _INSUFFICIENT if kind in ("hole", "undetermined") else _SUSPICIOUS
    if kind == "finding":
        verdict = _TRUE
    tenants = [row[name] for name in ("tenant", "source_tenant") if row.get(name)]
    return {
        "activity_id": 1,
        "category_uid": 2,
        "class_uid": _DETECTION_FINDING,
        "type_uid": _DETECTION_FINDING * 100 + 1,
        "time": time,
        "severity_id": _SEVERITY[kind],
        "status_id": 1,
        "confidence_id": _CONFIDENCE.get(str(row.get("disclosure")), 2 if kind == "finding" else 0),
        "is_alert": kind == "finding",
        "message": _TITLES[kind],
        "metadata": {
            "version": _OCSF,
            "uid": row["id"],
            "product": {"name": "forensics", "vendor_name": "inference-forensics", "version": __version__},
        },
        "finding_info": {
            "uid": row["id"],
            "title": _TITLES[kind],
            "analytic": {"name": str(row.get("mechanism") or row.get("check") or kind), "type_id": 1},
        },
        "evidences": [{"verdict_id": verdict, "data": row}],
        "resources": [{"uid": tenant, "type": "tenant"} for tenant in tenants],
    }


def prometheus(result: Result, *, exit_code: int, known: int, open_holes: int) -> str:
    """Returns a textfile for node_exporter. ``known`` findings and ``open_holes`` are those of the whole window."""
    figures: list[tuple[str, str, int]] = [
        ("run", "Number of the last finished run", result.run),
        ("timestamp_seconds", "Time of the last finished run", _seconds(result.stamp)),
        ("exit_code", "0 clean, 1 new findings, 2 saw too little", exit_code),
        ("new_findings", "Findings told by the last run", len(result.findings)),
        ("new_drifts", "Drifts of preflight and of timing told by the last run", len(result.drifts)),
        ("new_holes", "Holes told by the last run", len(result.holes)),
        ("known_findings", "Findings within the kept window, accepted ones among them", known),
        ("open_holes", "Hours within the kept window that are below their floor", open_holes),
        ("problems", "Inputs that could not be read", len(result.problems)),
        ("exchanges", "Exchanges that the last run judged", result.exchanges),
        ("undetermined", "Responses among them that stay undetermined", result.undetermined_responses),
        (
            "controls_planted",
            "Exchanges planted by the last run, each of which must be found",
            result.planted("positive")[0],
        ),
        ("controls_found", "Planted exchanges that were found", result.planted("positive")[1]),
    ]
    return "".join(
        f"# HELP forensics_audit_{name} {text}.\n# TYPE forensics_audit_{name} gauge\nforensics_audit_{name} {value}\n"
        for name, text, value in figures
    )


def _seconds(stamp: str) -> int:
    return int(datetime.fromisoformat(stamp).timestamp())
