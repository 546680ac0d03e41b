"""The incident report, internal: one context of rows and counts, rendered as Markdown, HTML and JSON."""

import json
from collections import defaultdict
from typing import Any, Final

import duckdb

from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.disclose import inert
from forensics.disclose.coverage import tables as coverage_tables
from forensics.disclose.documents import render
from forensics.disclose.lanes import lanes
from forensics.disclose.pictures import pictures
from forensics.disclose.tables import Row, one, rows

CANDIDATES_SHOWN: Final = 5
_CLOCK: Final = (
    ("first_signal", "first signal"),
    ("awareness", "awareness"),
    ("contained", "contained"),
    ("next_update", "next update due"),
)


def documents(
    con: duckdb.DuckDBPyConnection, case: Case, counts: dict[str, Any], headline: str, run: dict[str, str]
) -> dict[str, str]:
    """Returns ``incident.md``, ``incident.html`` and ``incident.json``; ``con`` must have been given to ``prepare``.

    ``counts`` is the case's summary, ``run`` the run's ``id`` and ``made_at``. Evidence text in it is one line each,
    without control characters, and escaped as each format needs.
    """
    found = _context(con, case, counts, headline, run)
    charts = pictures(con, case, found["lanes"], counts["boundary"])
    context = inert.tree(found)
    return {
        "incident.md": render("incident/incident.md.jinja", report=context),
        "incident.html": render("incident/incident.html.jinja", report=context, charts=charts),
        "incident.json": json.dumps(context, ensure_ascii=True, indent=1) + "\n",
    }


def _context(
    con: duckdb.DuckDBPyConnection, case: Case, counts: dict[str, Any], headline: str, run: dict[str, str]
) -> dict[str, Any]:
    config = case.config
    found = {name: _times(rows(con, case, name)) for name in (
        "limits", "affected", "tenant", "looked_for", "detector", "manifest", "reject", "clock", "ambiguity",
        "unexplained", "unnamed", "proposals", "control", "at_risk", "own_unexplained", "sighting",
        "timing_tenant", "salt", "sign_search", "sign", "engine_version", "held_capacity",
    )}  # fmt: skip
    return {
        "title": config.title,
        "purpose": config.purpose,
        "run": run,
        "headline": headline,
        "summary": counts,
        "undetermined": _reasons(counts["undetermined"]),
        "disclosure_undetermined": _reasons(counts["disclosure_undetermined"]),
        "window": {
            "start": f"{config.window.start:%Y-%m-%dT%H:%M:%SZ}" if config.window.start else "",
            "end": f"{config.window.end:%Y-%m-%dT%H:%M:%SZ}" if config.window.end else "",
        },
        "notice": {"phase": config.notice.phase, "awareness_by": config.notice.awareness_by},
        "timeline": _timeline(con, case),
        "lanes": lanes(rows(con, case, "lane"), rows(con, case, "lane_candidate", first=CANDIDATES_SHOWN)),
        "candidates_shown": CANDIDATES_SHOWN,
        "mechanisms": _mechanisms(found.pop("looked_for")),
        "thresholds": {
            "late_write_horizon_s": config.thresholds.late_write_horizon_s,
            "confirmed_margin_bits": config.thresholds.confirmed_margin_bits,
            "probable_margin_bits": config.thresholds.probable_margin_bits,
            "timing_confidence_percent": f"{100 * config.timing.confidence:.10g}",
        },
        "over_pool_range": one(con, case, "over_pool_range"),
        "coverage": _coverage(con, case),
        **found,
    }


def _coverage(con: duckdb.DuckDBPyConnection, case: Case) -> dict[str, list[Row]]:
    return {name: _times(listed) for name, listed in coverage_tables(con, case).items()}


def _timeline(con: duckdb.DuckDBPyConnection, case: Case) -> list[dict[str, str]]:
    """What the logs show, then what is declared; a declared time is never derived, nor put in order with the others."""
    events = [
        {"at": iso(row["at_ns"]), "what": row["what"], "subject": row["subject"] or "", "by": "logs"}
        for row in rows(con, case, "timeline")
    ]
    for key, what in _CLOCK:
        if value := getattr(case.config.notice, key):
            events.append({"at": value, "what": what, "subject": "", "by": "case.toml"})
    return events


def _reasons(counts: dict[str, int]) -> list[dict[str, Any]]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"reason": reason, "responses": count} for reason, count in ordered]


def _mechanisms(found: list[Row]) -> list[dict[str, Any]]:
    """One entry per mechanism that was looked for: how many exchanges came to which status, and why."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        grouped[row["mechanism"]].append(row)
    statuses = ("established", "possible", "undetermined", "unrecorded", "excluded", "not_examined")
    return [
        {"mechanism": name, **{status: _sum(each, status) for status in statuses}, "by_reason": each}
        for name, each in grouped.items()
    ]


def _sum(found: list[Row], status: str) -> int:
    return sum(row["exchanges"] for row in found if row["status"] == status)


def _times(found: list[Row]) -> list[Row]:
    """Returns rows with each point in time (``…_ns``) as ISO text beside its integer; spans of time stay."""
    spans = ("skew_ns", "low_ns", "high_ns", "margin_ns")
    return [
        {
            **row,
            **{
                key[:-3]: iso(value)
                for key, value in row.items()
                if key.endswith("_ns") and key not in spans and key[:-3] not in row
            },
        }
        for row in found
    ]
