"""What goes wrong beside limits and aborts, planned for one exchange; each kind is one mechanism's.

``short``: prefill counts and transfers only some tokens. ``broken``: the transfer fails midway, and decode answers all
the same. ``checksum``: other pages arrive than were sent. ``collision``: another room's metadata arrives. ``freed``:
the pages are given to another exchange while they are in use. ``replay``: the gateway answers from its cache, under a
wrong key. ``marker``: a marker planted in its source's prompt is said, by a way that no log shows.
``swapped``: the answer to a question that was asked beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from forensics.scenario.pool import StaleRun

if TYPE_CHECKING:
    from forensics.scenario.exchanges import Exchange, Response

MECHANISMS: Final = {
    "short": "transfer_mismatch",
    "broken": "transfer_mismatch",
    "checksum": "kv_checksum",
    "collision": "metadata_collision",
    "freed": "page_lifetime",
    "replay": "gateway_mixup",
    "marker": "canary",
    "swapped": "answer_mismatch",
}


@dataclass(frozen=True)
class Fault:
    """A fault of one ``kind``. ``source`` is the key of the exchange whose content arrives instead, if any does;
    ``tokens`` how many tokens a transfer moved; ``failed`` whether the engine notices and fails the request;
    ``said`` how the response spells a marker.
    """

    kind: str
    source: str = ""
    tokens: int = 0
    failed: bool = False
    said: str = ""


def misread(exchange: Exchange, served: Mapping[str, Exchange]) -> list[StaleRun]:
    """Returns what of its source's sequence stands in the pages that ``exchange`` reads, none without such a fault."""
    fault = exchange.fault
    if not fault or fault.kind not in ("checksum", "freed") or fault.source not in served:
        return []
    return [StaleRun(fault.source, 0, served[fault.source].prompt_tokens, 0)]


def struck(exchange: Exchange, served: Mapping[str, Exchange]) -> bool:
    """Whether the records alone show that another exchange's content was taken for this one's."""
    fault = exchange.fault
    if not fault:
        return False
    if fault.kind in ("replay", "marker", "swapped"):
        return served[fault.source].tenant != exchange.tenant
    return fault.kind in ("short", "collision")


def strayed(exchange: Exchange, served: Mapping[str, Exchange], own: Response) -> Response:
    """Returns what the client got by a way that no log shows: a marker in ``own``, or another's answer."""
    from forensics.scenario.exchanges import Words  # noqa: PLC0415 - they hold faults themselves

    fault = exchange.fault
    if fault and fault.kind == "swapped":
        record = served[fault.source].prompt.dossiers[0]
        said = tuple(Words(fault.source, sentence, sentence, "swapped") for sentence in record.sentences)
        return replace(own, content=" ".join(record.sentences), words=said)
    if not fault or fault.kind != "marker":
        return own
    words = Words(fault.source, fault.said, fault.said, "marker")
    return replace(own, content=f"{own.content} Reference {fault.said}.", words=(words,))


def replayed(exchange: Exchange, served: Mapping[str, Exchange]) -> bool:
    """Answers ``exchange`` with what the gateway kept of its source, if that is its fault; no engine hears of it."""
    from forensics.scenario.exchanges import Response, Words  # noqa: PLC0415 - they hold faults themselves

    fault = exchange.fault
    if not fault or fault.kind != "replay":
        return False
    kept = served[fault.source]
    said = kept.response.content if kept.response else ""
    exchange.kept_rid = kept.decode_rid
    exchange.decode_rid = f"{kept.decode_rid}_cache_hit{exchange.times.received:.6f}"
    exchange.response = Response(said, words=(Words(fault.source, said, said, "replayed"),))
    exchange.prefill = None
    exchange.times.first_token = exchange.times.received + 0.004
    exchange.times.ended = exchange.times.received + 0.006
    return True
