"""What the incident report draws: the rows of each chart, from the report's queries."""

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

import duckdb
from markupsafe import Markup

from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.disclose import inert
from forensics.disclose.charts import Rows, draw
from forensics.disclose.coverage import cells, step_ns
from forensics.disclose.tables import Row, one, rows

LIMITS_SHOWN: Final = 32
BAND: Final = {"below": 8, "above": 14}  # tokens around the first length that the engine rejects
_SECOND: Final = 1_000_000_000
_BINS: Final = 80
_STACKED: Final = ("confirmed", "probable", "none_found", "undetermined", "not_examined", "apart")
_OUTCOMES: Final = ("answered", "refused", "no_output", "truncated", "below")
_LENGTHS: Final = tuple(sorted({round(10 ** (step / 8)) for step in range(65)}))  # 1 to 100 million tokens


def pictures(con: duckdb.DuckDBPyConnection, case: Case, lanes: list[dict[str, Any]], boundary: Row) -> dict[str, Any]:
    """Returns the report's charts by name, ``lane`` being a list in the order of ``lanes``; empty where none is apt."""
    suspects = [each for lane in lanes for each in lane["suspects"]]
    states = [row for row in rows(con, case, "limit_state") if row["mismatch"] is not None]
    return {
        "timeline": _timeline(con, case),
        "limits": draw("limits", limits=_limits(states)),
        "lanes": draw("lanes", marks=_marks(lanes)),
        "lane": [draw("lane", **_lane(lane["suspects"])) for lane in lanes],
        "sizes": _sizes(con, case, states),
        "over_pool": _over_pool(con, case, [each["prompt_tokens"] for each in suspects if each["outcome"]], boundary),
        "boundary": _boundary(con, case),
        "coverage": _coverage(con, case),
    }


def _coverage(con: duckdb.DuckDBPyConnection, case: Case) -> Markup:
    found, step = cells(con, case, _BINS)
    return draw("coverage", cells=[_bin(row, step) | {"log": row["log"], "state": row["state"]} for row in found])


def _timeline(con: duckdb.DuckDBPyConnection, case: Case) -> Markup:
    span = one(con, case, "examined_window")
    length = (span["last_ns"] or 0) - (span["first_ns"] or 0)
    step = step_ns(0, length, _BINS)
    found = rows(con, case, "over_time", bin_ns=step)
    bins = [_bin(row, step) | {"kind": row["kind"], "responses": row["responses"]} for row in found]
    totals: dict[tuple[int, int], int] = {}
    for each in bins:
        key = each["start"], each["end"]
        totals[key] = totals.get(key, 0) + each["responses"]
    gap = max(int(case.config.thresholds.silence_s * _SECOND), length // 600)
    recorded = rows(con, case, "recorded", gap_ns=gap)
    starts = [row for row in rows(con, case, "timeline") if row["what"] == "process start" and row["subject"]]
    return draw(
        "timeline",
        declared=_declared(case),
        affected=[each | {"order": _STACKED.index(each["kind"])} for each in bins if each["kind"] in _STACKED],
        exchanges=[{"start": start, "end": end, "responses": count} for (start, end), count in totals.items()],
        recorded=[
            {"source": _name(row["source"]), "start": _ms(row["first_ns"]), "end": _ms(row["last_ns"])}
            for row in recorded
        ],
        starts=[{"source": _name(row["subject"]), "at": _ms(row["at_ns"])} for row in starts],
    )


def _declared(case: Case) -> Rows:
    """Declared points in time, as far as they are written as such; the table beside the chart holds them all."""
    window, notice = case.config.window, case.config.notice
    shown: Rows = []
    if window.start and window.end:
        shown.append({"what": "window", "at": _epoch_ms(window.start), "end": _epoch_ms(window.end)})
    for key in ("first_signal", "awareness", "contained"):
        if (moment := _moment(getattr(notice, key))) is not None:
            shown.append({"what": key.replace("_", " "), "at": _epoch_ms(moment)})
    return shown


def _limits(states: list[Row]) -> Rows:
    """One row per worker and pair of figures, those with too small a pool first."""
    figures: dict[tuple[str, int, int], Row] = {}
    for row in states:
        figures.setdefault((_name(row["worker"]), row["pool_tokens"], row["context_tokens"]), row)
    changed = {name for name, count in Counter(worker for worker, _, _ in figures).items() if count > 1}
    shown = sorted(figures.items(), key=lambda each: (not each[1]["mismatch"], each[0][0], each[1]["start_ns"] or 0))
    return [
        {
            "worker": f"{worker} from {iso(row['start_ns'])[:16]}" if worker in changed else worker,
            "pool": pool,
            "context": context,
            "mismatch": row["mismatch"],
            "widest": max(pool, context),
            "said": f"pool {pool:,}, {context - pool:,} short" if row["mismatch"] else f"pool {pool:,}",
        }
        for (worker, pool, context), row in shown[:LIMITS_SHOWN]
    ]


def _marks(lanes: list[dict[str, Any]]) -> Rows:
    """One mark per exchange of a lane; of several the one that says more."""
    order = ("candidate", "source", "other", "undetermined", "affected")
    marks: dict[tuple[str, int, str], str] = {}
    for lane in lanes:
        shown = [(source, _source_kind(source)) for each in lane["suspects"] for source in each["sources"]]
        shown += [(each, _kind(each)) for each in lane["suspects"]]
        for row, kind in shown:
            if row["received_ns"] is not None:
                key = lane["name"], _ms(row["received_ns"]), row["request_id"] or ""
                marks[key] = max(marks.get(key, kind), kind, key=order.index)
    place = {lane["name"]: number for number, lane in enumerate(lanes)}
    return [{"lane": lane, "order": place[lane], "at": at, "kind": kind} for (lane, at, _), kind in marks.items()]


def _lane(suspects: list[Row]) -> dict[str, Rows]:
    """The suspects that have candidate sources, numbered in order of time, and how long before each source ended."""
    shown = [each for each in suspects if each["sources"]]
    ages = [
        {"number": number, "seconds": _seconds_before(each, source), "found": source["found"]}
        for number, each in enumerate(shown, 1)
        for source in each["sources"]
    ]
    numbered = [{"number": number, "kind": _kind(each)} for number, each in enumerate(shown, 1)]
    return {"suspects": numbered, "ages": [each for each in ages if each["seconds"] is not None]}


def _seconds_before(suspect: Row, source: Row) -> int | None:
    began = suspect["reserved_ns"] or suspect["received_ns"]
    ended = source["released_ns"] or source["received_ns"]
    return None if began is None or ended is None else max(1, (began - ended) // _SECOND)


def _sizes(con: duckdb.DuckDBPyConnection, case: Case, states: list[Row]) -> Markup:
    found = rows(con, case, "prompt_size", edges=list(_LENGTHS))
    highs = dict(pairwise(_LENGTHS))
    counts: dict[tuple[int, bool], int] = {}
    for row in found:
        if row["low"] in highs:
            key = row["low"], row["outcome"] != "below"
            counts[key] = counts.get(key, 0) + row["requests"]
    short = [row for row in states if row["mismatch"]]
    rules = []
    if short:
        pool, context = min(row["pool_tokens"] for row in short), max(row["context_tokens"] for row in short)
        rules = [
            {"what": "pool", "tokens": pool, "said": f"smallest pool {pool:,}"},
            {"what": "context", "tokens": context, "said": f"context {context:,}"},
        ]
    sizes = [{"low": low, "high": highs[low], "over": over, "requests": count} for (low, over), count in counts.items()]
    return draw("sizes", sizes=sizes, rules=rules) if sizes else Markup()


def _over_pool(con: duckdb.DuckDBPyConnection, case: Case, tokens: list[int | None], boundary: Row) -> Markup:
    known = [each for each in tokens if each is not None]
    if not known:
        return Markup()
    step = _round_up(max(1, (max(known) - min(known)) // 48))
    edges = list(range(min(known) // step * step, max(known) + step + 1, step))
    sizes = [
        {**row, "high": row["low"] + step, "order": _OUTCOMES.index(row["outcome"])}
        for row in rows(con, case, "prompt_size", edges=edges)
        if row["outcome"] != "below" and row["low"] is not None
    ]
    limit = boundary["lowest_limit"]
    rules = [{"tokens": limit}] if limit is not None else []
    return draw("over_pool", sizes=sizes, rules=rules) if sizes else Markup()


def _boundary(con: duckdb.DuckDBPyConnection, case: Case) -> Markup:
    found = rows(con, case, "boundary_length", **BAND)
    lengths = [row | {"order": _OUTCOMES.index(row["outcome"])} for row in found]
    rules = [{"distance": -0.5, "said": "limit"}, {"distance": 6.5, "said": "longer than the pool"}]
    return draw("boundary", lengths=lengths, rules=rules) if lengths else Markup()


def _kind(suspect: Row) -> str:
    return suspect["integrity"] if suspect["integrity"] in ("affected", "undetermined") else "other"


def _source_kind(source: Row) -> str:
    return "source" if source["found"] else "candidate"


def _bin(row: Row, step: int) -> dict[str, Any]:
    return {"start": _ms(row["start_ns"]), "end": _ms(row["start_ns"] + step)}


def _round_up(size: int) -> int:
    """Returns the next of 1, 2, 5, 10, 20, … that is not below ``size``."""
    unit = 1
    while True:
        for factor in (1, 2, 5):
            if unit * factor >= size:
                return unit * factor
        unit *= 10


def _moment(said: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat((said or "").replace(" UTC", "Z"))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _epoch_ms(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp()) * 1000


def _ms(ns: int) -> int:
    return ns // 1_000_000


def _name(name: str | None) -> str:
    return inert.text(name or "") or "unknown"
