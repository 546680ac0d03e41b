"""Compares an analysed case with the truth of its world, for tests and benchmarks; no stage reads truth."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from forensics.case.database import connect, dicts
from forensics.case.folder import Case
from forensics.scenario.truth import Expected, StoryTruth

FOUND = ("confirmed", "probable")


@dataclass
class Scorecard:
    """What an analysis got wrong, and how many of the visible leaks it found.

    ``visible`` counts affected responses that carry another tenant's words; ``found`` those of them that are confirmed
    or probable with a tenant whose words they carry. ``faults`` are sentences, one per wrong verdict: integrity,
    mechanism, over-pool outcome, a false confirmed, or an exchange that never was.
    """

    exchanges: int = 0
    affected: int = 0
    visible: int = 0
    found: int = 0
    missed: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of visible leaks that were found with the right source tenant."""
        return self.found / self.visible if self.visible else 1.0


def verdicts(case: Case) -> list[dict[str, Any]]:
    """Returns the rows of ``verdict``."""
    with connect(case, read_only=True) as con:
        return dicts(con.execute("SELECT * FROM verdict ORDER BY exchange_id"))


def score(rows: Iterable[Mapping[str, Any]], truth: StoryTruth) -> Scorecard:
    """Returns how well ``rows`` of ``verdict`` agree with ``truth``."""
    card = Scorecard()
    left = by_key(rows, truth)
    tenant_of = {item.request_id: item.tenant for item in truth.exchanges}
    for item in truth.exchanges:
        card.exchanges += 1
        row = left.pop(item.key, None)
        if row is None:
            card.faults.append(f"{item.key}: no verdict")
            continue
        card.affected += row["integrity"] == "affected"
        card.faults += [
            f"{item.key} ({item.outcome}, {item.prompt_tokens} tokens): {fault}" for fault in _wrong(row, item)
        ]
        _disclosure(card, row, item, {tenant_of[request] for request in item.source_request_ids})
    card.faults += [f"{row['request_id']}: an exchange that never was" for row in left.values()]
    return card


def by_key(rows: Iterable[Mapping[str, Any]], truth: StoryTruth) -> dict[str, Mapping[str, Any]]:
    """Returns verdicts by the plan's key of their exchange; those that belong to none by their own id.

    Two tenants may carry one request id, so the tenant decides where it is known.
    """
    known = {(item.request_id, item.tenant): item.key for item in truth.exchanges}
    loose = {item.request_id: item.key for item in truth.exchanges}
    found: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        request, unknown = row["request_id"], row["tenant_class"] == "unresolved"
        key = loose.get(request) if unknown else known.get((request, row["tenant"]))
        found[key if key and key not in found else row["exchange_id"]] = row
    return found


def _wrong(row: Mapping[str, Any], item: Expected) -> Iterable[str]:
    if row["integrity"] != item.integrity:
        yield f"{row['integrity']} ({row['integrity_reason']}) instead of {item.integrity}"
    elif row["mechanism"] != item.mechanism and item.mechanism:
        yield f"by {row['mechanism']} instead of {item.mechanism}"
    if row["over_pool"] != item.over_pool:
        yield f"over-pool outcome {row['over_pool']} instead of {item.over_pool}"


def _disclosure(card: Scorecard, row: Mapping[str, Any], item: Expected, owners: set[str]) -> None:
    """A leak is visible where another tenant's words were said; several owners may be named, any of them is right."""
    right = row["disclosure"] in FOUND and row["source_tenant"] in owners
    if item.integrity == "affected" and owners:
        card.visible += 1
        card.found += right
        if not right:
            how = item.words[0]["how"] if item.words else ""
            card.missed.append(f"{item.key} ({how}): {row['disclosure']}, {row['source_tenant']}")
    if row["disclosure"] == "confirmed" and not right and (row["source_tenant"] or not owners):
        card.faults.append(f"{item.key}: confirmed as {row['source_tenant']}'s, which it is not")
