"""What really happened in a story, and the verdicts that complete logs allow. Analysis never reads this."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from forensics.scenario import faults
from forensics.scenario.exchanges import NEVER, Exchange

HORIZON_S = 120.0
CLASSES = ("customer", "internal", "researcher")


@dataclass(frozen=True)
class Expected:
    """The verdict to expect for one exchange.

    ``disclosure`` lists every acceptable value, best first (``None`` stands for none at all). ``decode_worker`` and
    ``dp_rank`` are what the logs can show: none for a backend that is not disaggregated, no rank where the worker has
    one only or the request has no finish record. ``eligible`` marks exchanges that a late write could have hit, judged
    by metadata alone. ``pages`` says, in tokens, whose stale KV the response was computed from.
    """

    key: str
    request_id: str
    call_id: str
    tenant: str
    tenant_class: str
    model: str
    outcome: str
    prompt_tokens: int
    delivered: bool
    integrity: str
    mechanism: str | None
    disclosure: tuple[str | None, ...]
    over_pool: str | None
    eligible: bool
    source_request_id: str | None
    source_tenant: str | None
    source_request_ids: tuple[str, ...]
    decode_worker: str | None
    dp_rank: int | None
    prefill_worker: str | None
    pages: Mapping[str, int]
    words: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class StoryTruth:
    """The expected verdicts of a story and its totals, as ``summary.json`` names them."""

    logs: Path
    exchanges: tuple[Expected, ...]
    totals: Mapping[str, Any]

    def of(self, key: str) -> Expected:
        """Returns the expectation for the exchange that the plan calls ``key``."""
        return next(item for item in self.exchanges if item.key == key)


def truth_of(exchanges: Iterable[Exchange], logs: Path) -> StoryTruth:
    """Returns what is to be expected of ``exchanges`` when the logs in ``logs`` are complete."""
    met = list(exchanges)
    by_key = {exchange.key: exchange for exchange in met}
    hanging = [exchange for exchange in met if exchange.plan.stalls]
    expected = tuple(_expected(exchange, by_key, hanging) for exchange in met)
    return StoryTruth(logs, expected, _totals(expected))


def write_truth(truth: StoryTruth, path: Path) -> None:
    """Writes ``truth`` as JSON, without the place of the logs."""
    rows = [asdict(item) for item in truth.exchanges]
    document = {"totals": truth.totals, "exchanges": rows}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _expected(exchange: Exchange, by_key: Mapping[str, Exchange], hanging: Iterable[Exchange]) -> Expected:
    delivered = exchange.outcome in ("answered", "left") and not exchange.unseen
    affected = delivered and (bool(exchange.stale) or faults.struck(exchange, by_key))
    mechanism = None
    disclosure: tuple[str | None, ...] = (None,)
    sources = _sources(exchange, by_key) if affected else []
    if affected:
        late = "over_pool" if exchange.over_pool else "late_write"
        mechanism = faults.MECHANISMS[exchange.fault.kind] if exchange.fault else late
        disclosure = ("none_found",)
        if sources:
            reworded = exchange.plan.style == "paraphrased"
            disclosure = ("probable", "confirmed") if reworded else ("confirmed", "probable")
    served = exchange.outcome not in ("bad_key", "too_long")
    ranked = exchange.decode.dp > 1 and exchange.outcome == "answered"
    first = sources[0] if sources else None
    return Expected(
        key=exchange.key,
        request_id=exchange.request_id,
        call_id=exchange.call_id,
        tenant=exchange.tenant.name if exchange.plan.known_key else "",
        tenant_class=exchange.tenant.tenant_class if exchange.plan.known_key else "unresolved",
        model=exchange.model,
        outcome=exchange.outcome,
        prompt_tokens=exchange.prompt_tokens,
        delivered=delivered,
        integrity="affected" if affected else "not_affected",
        mechanism=mechanism,
        disclosure=disclosure,
        over_pool=_shown_over_pool(exchange),
        eligible=delivered and not exchange.over_pool and any(_could_hit(one, exchange) for one in hanging),
        source_request_id=first.request_id if first else None,
        source_tenant=first.tenant.name if first else None,
        source_request_ids=tuple(source.request_id for source in sources),
        decode_worker=exchange.decode.name if served and exchange.prefill else None,
        dp_rank=exchange.rank if ranked else None,
        prefill_worker=exchange.prefill.name if served and exchange.prefill else None,
        pages=_pages(exchange, by_key) if affected else {},
        words=tuple(asdict(word) | {"source": by_key[word.source].request_id} for word in _words(exchange)),
    )


def _shown_over_pool(exchange: Exchange) -> str | None:
    """Returns the over-pool outcome where a log counts the prompt's tokens.

    Rejects are logged on rank 0 alone, and where the client gave up neither decode nor the gateway counts anything.
    """
    uncounted = exchange.outcome == "timeout" and exchange.prefill_rank != 0
    return None if uncounted else exchange.over_pool


def _words(exchange: Exchange) -> tuple[Any, ...]:
    return exchange.response.words if exchange.response and exchange.outcome == "answered" else ()


def _sources(exchange: Exchange, by_key: Mapping[str, Exchange]) -> list[Exchange]:
    """Returns the exchanges of other tenants whose words the response carries, most characters first."""
    said: Counter[str] = Counter()
    for word in _words(exchange):
        if by_key[word.source].tenant != exchange.tenant:
            said[word.source] += len(word.output_text)
    return [by_key[key] for key, _ in sorted(said.items(), key=lambda item: (-item[1], item[0]))]


def _pages(exchange: Exchange, by_key: Mapping[str, Exchange]) -> dict[str, int]:
    read: Counter[str] = Counter()
    for run in exchange.stale:
        read[by_key[run.owner].request_id if run.owner else ""] += run.tokens
    return dict(sorted(read.items()))


def _could_hit(source: Exchange, exchange: Exchange) -> bool:
    """Whether ``exchange`` reserved pages while a released transfer of ``source`` was not shown to have ended."""
    place = (source.decode.name, source.rank) == (exchange.decode.name, exchange.rank)
    if not source.plan.stalls or not place or exchange.times.reserved == NEVER:
        return False
    released = source.times.released
    if released >= source.times.landed:
        return False
    until = source.times.landed + 0.3 if source.plan.lands_seen else released + HORIZON_S
    return released <= exchange.times.reserved <= until


def _totals(expected: Iterable[Expected]) -> dict[str, Any]:
    rows = list(expected)
    affected = [row for row in rows if row.integrity == "affected"]
    counted = [row for row in affected if row.tenant_class in ("customer", "unresolved")]
    over_pool = Counter(row.over_pool for row in rows if row.over_pool)
    classes = sorted({*CLASSES, *(row.tenant_class for row in affected)})
    leaking = [row for row in counted if row.source_request_id]
    return {
        "affected": len(counted),
        "affected_by_mechanism": dict(sorted(Counter(row.mechanism for row in counted if row.mechanism).items())),
        "affected_by_class": {name: sum(row.tenant_class == name for row in affected) for name in classes},
        "disclosure": {"with_foreign_text": len(leaking), "none_found": len(counted) - len(leaking)},
        "over_pool": {
            "total": sum(over_pool.values()),
            **{name: over_pool[name] for name in ("refused", "no_output", "truncated", "answered")},
        },
        "exchanges": len(rows),
        "tenants": {
            "recipients": len({row.tenant for row in counted}),
            "sources": len({row.source_tenant for row in affected if row.source_tenant}),
        },
    }
