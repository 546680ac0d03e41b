"""The whole chain behind one verdict: records, joins, placement, limits, mechanisms, candidate sources, spans."""

from collections.abc import Iterator
from typing import Final

import duckdb

from forensics.case import texts
from forensics.case.folder import Case
from forensics.case.moments import iso
from forensics.disclose.inert import text as inert
from forensics.disclose.tables import Row, rows
from forensics.errors import ForensicsError

MOST_CANDIDATES: Final = 20
_IDS: Final = ("response_id", "call_id", "rid", "room", "router_request_id", "trace_id")
_FACTS: Final = (
    "prompt_tokens", "completion_tokens", "http_status", "outcome", "finish_type", "prompt_state", "response_state",
)  # fmt: skip


def find(con: duckdb.DuckDBPyConnection, case: Case, request: str) -> list[Row]:
    """Returns the exchanges that ``request`` means (an id of any kind). Raises if there are none.

    ``con`` must have been given to ``tables.prepare``.
    """
    found = rows(con, case, "explain_exchange", request=request)
    if not found:
        raise ForensicsError(
            f"no exchange carries the id {inert(request)!r}",
            where=str(case.root),
            fix=f"`forensics verdicts {case.root}` lists the ids",
        )
    return found


def explain(con: duckdb.DuckDBPyConnection, case: Case, exchange: Row, *, show_text: bool) -> Iterator[str]:
    """Yields the explanation of one exchange (a row of ``find``), line by line, without control characters.

    Matched text is masked (its first and last two characters, and its length) unless ``show_text``.
    """
    key = exchange["exchange_id"]
    texts.attach(con, case)
    yield from _verdict(exchange)
    yield from _records(rows(con, case, "explain_record", exchange=key))
    yield from _placement(exchange)
    yield from _limits(rows(con, case, "explain_limit", exchange=key))
    yield from _mechanisms(rows(con, case, "explain_mechanism", exchange=key))
    yield from _sightings(rows(con, case, "explain_sighting", exchange=key))
    yield from _candidates(rows(con, case, "explain_candidate", exchange=key))
    yield from _spans(rows(con, case, "explain_span", exchange=key), show_text=show_text)


def mask(text: str) -> str:
    """Returns the first and last two characters of ``text`` and its length; of a short text the length alone."""
    if len(text) < 12:
        return f"… [{len(text)} characters]"
    return f"{text[:2]}…{text[-2:]} [{len(text)} characters]"


def _verdict(row: Row) -> Iterator[str]:
    by_rule = f"{row['tenant_class']}, by rule {_say(row['tenant_rule'])}"
    yield f"Exchange {_say(row['request_id'])} of {_say(row['tenant'])} ({by_rule})"
    yield f"  model {_say(row['model'])}, received {iso(row['received_ns']) or 'at an unknown time'}"
    yield f"  delivered: {_say(row['delivered'])} ({_say(row['delivered_why'])})"
    yield ""
    yield "VERDICT"
    yield f"  integrity   {row['integrity']} ({_say(row['integrity_reason'])})"
    if row["disclosure"]:
        yield f"  disclosure  {row['disclosure']} ({_say(row['disclosure_reason'])})"
    yield f"  basis       {_say(row['basis'])}; grounds: {_say(row['grounds'])}"
    if row["mechanism"]:
        yield f"  mechanism   {row['mechanism']}"
    if row["scope"]:
        yield f"  scope       {inert(row['scope'])}"
    if row["source_tenant"]:
        source = f"{_say(row['source_request_id'])} of {inert(row['source_tenant'])}"
        yield f"  source      {source}, {_bits(row['bits_milli'])}"


def _records(found: list[Row]) -> Iterator[str]:
    yield ""
    yield f"RECORDS ({len(found)})"
    for row in found:
        phase = f" {row['phase']}" if row["phase"] else ""
        inferred = " (inferred)" if row["inferred"] else ""
        yield f"  {inert(row['path'])}:{row['line']} (byte {row['byte_offset']}, item {row['item']})"
        yield f"    {row['format']}, {row['kind']}{phase}, {iso(row['at_ns']) or 'no time'}"
        yield f"    joined by {_say(row['via'])}{inferred}; {_named(row, _IDS)}"
        if facts := _named(row, _FACTS):
            yield f"    {facts}"


def _named(row: Row, names: tuple[str, ...]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_say(row[name])}" for name in names if row[name] is not None)


def _placement(row: Row) -> Iterator[str]:
    yield ""
    yield "PLACEMENT"
    yield f"  decode worker {_say(row['decode_worker'])}, rank {_say(row['dp_rank'])} ({_say(row['placement_how'])})"
    yield f"  prefill worker {_say(row['prefill_worker'])}, room {_say(row['room'])}"
    yield f"  process start {iso(row['epoch_ns']) or 'not in the logs'}"
    yield f"  pages reserved {iso(row['reserved_ns']) or 'unknown'}, released {iso(row['released_ns']) or 'unknown'}"
    sides = f"prefill {_say(row['prefill_tokens'])}, decode {_say(row['decode_tokens'])}"
    yield f"  tokens: {sides}, prompt {_say(row['prompt_tokens'])}"
    yield f"  backend {_say(row['backend'])}"


def _limits(found: list[Row]) -> Iterator[str]:
    yield ""
    yield "LIMITS IN FORCE"
    for row in found:
        where = f"{inert(row['path'])}:{row['line']}" if row["path"] else "case.toml"
        yield (
            f"  {inert(row['worker'])}: limit {_say(row['limit_tokens'])}, pool {_say(row['pool_tokens'])}, "
            f"context {_say(row['context_tokens'])} ({row['how']}, {where}){'' if row['in_force'] else '; outranked'}"
        )
    if not found:
        yield "  none known"


def _mechanisms(found: list[Row]) -> Iterator[str]:
    yield ""
    yield "MECHANISMS EXAMINED"
    for row in found:
        reason = f" ({row['reason']})" if row["reason"] else ""
        outcome = f", {row['outcome']}" if row["outcome"] else ""
        yield f"  {row['mechanism']}: {row['status']}{reason}{outcome}. {inert(row['detail'] or '')}"
        if row["trigger_request_id"]:
            yield f"    triggered by {inert(row['trigger_request_id'])}"
    if not found:
        yield "  none"


def _sightings(found: list[Row]) -> Iterator[str]:
    """What outsiders reported; nothing where nobody did. An excerpt's words are not shown, only where they stand."""
    if not found:
        return
    yield ""
    yield "REPORTED FROM OUTSIDE"
    for key in dict.fromkeys(row["sighting"] for row in found):
        rows_of = [row for row in found if row["sighting"] == key]
        first = rows_of[0]
        seen = f", seen {iso(first['at_ns'])}" if first["at_ns"] is not None else ""
        meant = f"meant by {first['how']}" if first["how"] else "its excerpt stands in a text of this exchange"
        yield f"  {key} by {_say(first['reporter'])}, reference {_say(first['reference'])}{seen}; {meant}"
        if first["note"]:
            yield f"    note: {inert(first['note'])}"
        for row in rows_of:
            if row["side"]:
                yield (
                    f"    excerpt {row['excerpt_start']}-{row['excerpt_end']} of {first['excerpt_chars']} characters "
                    f"stands in the {row['side']}, {_say(row['field'])} {row['text_start']}-{row['text_end']}: "
                    f"{_bits(row['bits_milli'])}, similarity {row['similarity_milli']}/1000"
                )


def _candidates(found: list[Row]) -> Iterator[str]:
    yield ""
    yield f"CANDIDATE SOURCES ({len(found)})"
    matched = [row for row in found[MOST_CANDIDATES:] if row["bits_milli"]]
    for row in [*found[:MOST_CANDIDATES], *matched]:
        said = f", {_bits(row['bits_milli'])} found" if row["bits_milli"] else ""
        yield (
            f"  {row['mechanism']} {row['rank']}: {_say(row['request_id'])} of {_say(row['tenant'])}, "
            f"received {iso(row['received_ns']) or 'unknown'}, released {iso(row['released_ns']) or 'unknown'}{said}"
        )
    if len(found) > MOST_CANDIDATES + len(matched):
        yield f"  and {len(found) - MOST_CANDIDATES - len(matched)} older ones in which nothing was found"


def _spans(found: list[Row], *, show_text: bool) -> Iterator[str]:
    yield ""
    yield f"MATCHED SPANS ({len(found)})"
    for row in found:
        verdict = "finding" if row["is_finding"] else f"explained by {row['explained_by'] or 'placement'}"
        place = "" if row["source_message_index"] is None else f" message {row['source_message_index']}"
        yield (
            f"  {row['span']}: {row['kind']}, {_bits(row['bits_milli'])}, similarity {row['similarity_milli']}/1000, "
            f"{row['holders']} holder(s); {verdict}"
        )
        yield (
            f"    response {row['response_field']} {row['response_start']}-{row['response_end']}: "
            f"{_quote(row['response_text'], row['response_start'], row['response_end'], show_text=show_text)}"
        )
        yield (
            f"    {_say(row['source_request_id'])} of {_say(row['source_tenant'])}, {row['source_side']}{place} "
            f"{row['source_field']} {row['source_start']}-{row['source_end']}: "
            f"{_quote(row['source_text'], row['source_start'], row['source_end'], show_text=show_text)}"
        )


def _quote(text: str | None, start: int, end: int, *, show_text: bool) -> str:
    if text is None:
        return "(text not kept)"
    span = text[start:end]
    return inert(span) if show_text else inert(mask(span))


def _bits(milli: int | None) -> str:
    return "no weight" if milli is None else f"{milli // 1000}.{milli % 1000 // 100} bits"


def _say(value: object) -> str:
    return "unknown" if value is None or value == "" else inert(str(value))
