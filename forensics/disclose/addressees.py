"""Who gets a letter, and what it is filled with: rows of the report's queries, grouped by tenant."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from forensics import __version__
from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.disclose.inert import file_name
from forensics.disclose.keys import Keys
from forensics.disclose.letters import (
    FIELDS,
    SIDES,
    STATES,
    Letter,
    Owned,
    OwnRange,
    OwnRequest,
    OwnResponse,
    Possible,
    Received,
    Why,
)
from forensics.disclose.places import Commitments, Place
from forensics.disclose.tables import Row, one, rows


@dataclass(frozen=True)
class Addressee:
    """A tenant, its class, its letter, and the folder (relative to the run) that the letter goes into."""

    tenant: str
    tenant_class: str
    letter: Letter

    @property
    def folder(self) -> str:
        """The letter's folder: by class, since only customers' letters add up to the headline."""
        return f"letters/{self.tenant_class}/{file_name(self.tenant)}"


@dataclass(frozen=True)
class _Parts:
    """The rows of all letters, by tenant."""

    affected: dict[str, list[Row]]
    ranges: dict[str, list[Row]]
    counts: dict[str, list[Row]]
    possible: dict[str, list[Row]]
    undetermined: dict[str, list[Row]]


def addressees(
    con: duckdb.DuckDBPyConnection, case: Case, *, summary_hash: str, commitments: Commitments, keys: Keys, date: str
) -> list[Addressee]:
    """Returns one letter for each tenant that received, owned or may have owned foreign content, by tenant's name.

    ``summary_hash`` is the manifest's, ``date`` the run's day (``2026-09-10``). Tenants of whom only the integrity of
    some responses is undetermined get none; ``untold`` names them.
    """
    told_possible = case.config.notice.tell_possible_sources
    parts = _Parts(
        affected=_by_tenant(rows(con, case, "affected")),
        ranges=_by_tenant(rows(con, case, "told_range")),
        counts=_by_tenant(rows(con, case, "told_count")),
        possible=_by_tenant(rows(con, case, "possible_source") if told_possible else []),
        undetermined=_by_tenant(rows(con, case, "tenant_undetermined")),
    )
    frame = _frame(con, case, keys, summary_hash=summary_hash, date=date)
    found = []
    for row in rows(con, case, "tenant"):
        tenant = row["tenant"]
        if tenant in parts.affected or tenant in parts.counts or tenant in parts.possible:
            letter = _letter(tenant, parts, commitments, keys, frame)
            found.append(Addressee(tenant, row["tenant_class"], letter))
    return found


def untold(con: duckdb.DuckDBPyConnection, case: Case, told: Iterable[Addressee]) -> list[Row]:
    """Returns the tenants without a letter that have undetermined responses or may be sources, with the counts."""
    names = {each.tenant for each in told}
    return [
        {key: row[key] for key in ("tenant", "tenant_class", "undetermined", "is_possible_source")}
        for row in rows(con, case, "tenant")
        if row["tenant"] not in names and (row["undetermined"] or row["is_possible_source"])
    ]


def _by_tenant(found: list[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        grouped[row["tenant"]].append(row)
    return grouped


def _frame(con: duckdb.DuckDBPyConnection, case: Case, keys: Keys, *, summary_hash: str, date: str) -> dict[str, str]:
    """What stands in every letter. Without a declared window its period is that of the evidence, by whole days."""
    notice, window, span = case.config.notice, case.config.window, one(con, case, "examined_window")
    declared = {name: getattr(notice, name) for name in (
        "provider", "service", "contact", "dpo", "first_signal", "awareness", "contained", "measures", "next_update",
        "phase",
    )}  # fmt: skip
    return declared | {
        "reference": keys.reference,
        "date": date,
        "window_start": f"{window.start:%Y-%m-%dT%H:%M:%SZ}" if window.start else iso(span["first_ns"])[:10],
        "window_end": f"{window.end:%Y-%m-%dT%H:%M:%SZ}" if window.end else iso(span["last_ns"])[:10],
        "detector": __version__,
        "manifest_hash": summary_hash,
    }


def _letter(tenant: str, parts: _Parts, commitments: Commitments, keys: Keys, frame: dict[str, str]) -> Letter:
    return Letter(
        tenant=tenant,
        key=keys.of(tenant).hex(),
        undetermined_why=_why(parts.undetermined.get(tenant, [])),
        received=_received(parts.affected.get(tenant, []), commitments),
        owned=_owned(parts.counts.get(tenant, []), parts.ranges.get(tenant, []), commitments),
        possible=_possible(parts.possible.get(tenant, [])),
        **frame,
    )


def _received(found: list[Row], commitments: Commitments) -> Received | None:
    if not found:
        return None
    reasons: dict[str, int] = defaultdict(int)
    for row in found:
        if row["disclosure"] == "undetermined":
            reasons[row["disclosure_reason"] or "unknown"] += 1
    responses = tuple(
        OwnResponse(
            request_id=row["request_id"] or "",
            received_at=iso(row["received_ns"]),
            state=row["disclosure"] if row["disclosure"] in STATES else "not_examined",
            hmac=commitments.responses.get(row["exchange_id"], ""),
        )
        for row in found
    )
    return Received(responses, _why([{"reason": each, "responses": reasons[each]} for each in sorted(reasons)]))


def _owned(counts: list[Row], ranges: list[Row], commitments: Commitments) -> Owned | None:
    if not counts:
        return None
    (count,) = counts
    return Owned(
        responses=count["responses"],
        confirmed=count["confirmed"],
        recipients=count["recipients"],
        ranges=tuple(_range(row, commitments) for row in ranges),
    )


def _range(row: Row, commitments: Commitments) -> OwnRange:
    located = row["source_start"] is not None and row["source_side"] in SIDES
    return OwnRange(
        request_id=row["source_request_id"] or "",
        received_at=iso(row["source_received_ns"]),
        side=row["source_side"] if located else "prompt",
        message_index=row["source_message_index"] if located else None,
        field=row["source_field"] if row["source_field"] in FIELDS else "text",
        start=row["source_start"] if located else None,
        end=row["source_end"] if located else None,
        hmac=commitments.places.get(Place.of(row), "") if located else "",
    )


def _possible(found: list[Row]) -> Possible | None:
    if not found:
        return None
    listed = tuple(
        OwnRequest(row["source_request_id"] or "", iso(row["source_received_ns"]))
        for row in found
        if row["source_exchange_id"]
    )
    return Possible(found[0]["responses"], listed)


def _why(found: list[Row]) -> tuple[Why, ...]:
    return tuple(Why(row["reason"], row["responses"]) for row in found)
