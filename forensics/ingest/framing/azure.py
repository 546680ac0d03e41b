"""Azure API Management's log of language-model calls: bodies beyond 32 KB stand on several rows, which are joined here.

Read are the storage export (JSON lines with ``properties``) and a Log Analytics result (CSV or JSON rows). Rows of one
``CorrelationId`` become one record, its messages joined in the order of ``SequenceNumber``.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

from forensics.ingest.framing import documents, tables
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.clean import dump
from forensics.ingest.framing.records import EXCERPT, MAX_LINE, Context, Frame, Reject

_MESSAGES = ("RequestMessages", "ResponseMessages")


@dataclass
class _Call:
    """The rows of one call, and where the first of them stands."""

    place: Frame
    rows: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    """Yields one frame per call: its rows' fields (the first that is set), joined messages, ``_rows`` and ``_gap``."""
    calls: dict[str, _Call] = {}
    held = 0
    for found in _rows(chunks, context):
        if not isinstance(found, Frame):
            yield found
            continue
        try:
            row = _flat(json.loads(found.raw))
        except (ValueError, RecursionError, AttributeError):
            reason = "cut_short" if found.last else "malformed_json"
            yield Reject(found.line, found.offset, reason, len(found.raw), found.raw[:EXCERPT])
            context.cut |= found.last
            continue
        key = str(row.get("CorrelationId") or f"\n{found.line}:{found.item}")
        call = calls.setdefault(key, _Call(found))
        call.rows.append(row)
        call.size += len(found.raw)
        held += len(found.raw)
        while held > MAX_LINE and len(calls) > 1:
            oldest = calls.pop(next(iter(calls)))
            held -= oldest.size
            yield _joined(oldest, context)
    for call in calls.values():
        yield _joined(call, context)


def _rows(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject | Block]:
    source = iter(chunks)
    first = next(source, b"")
    header = first.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    is_table = b"CorrelationId" in header and not header.startswith((b"{", b"["))
    framer = tables.frame_csv if is_table else documents.frame_members
    return framer(chain([first], source), context)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the row's fields, those of ``properties`` among them, each beginning with a capital."""
    inner = row.get("properties")
    if isinstance(inner, str):
        inner = _parsed(inner)
    outer = {name: value for name, value in row.items() if name != "properties"}
    fields = {**outer, **(inner if isinstance(inner, dict) else {})}
    return {_name(name): value for name, value in fields.items()}


def _name(name: str) -> str:
    plain = name.removesuffix(" [UTC]")
    return plain[:1].upper() + plain[1:]


def _joined(call: _Call, context: Context) -> Frame:
    rows = sorted(call.rows, key=_sequence)
    numbers = [_sequence(row) for row in rows]
    record: dict[str, Any] = {}
    for row in rows:
        record.update({name: value for name, value in row.items() if record.get(name) in (None, "", 0, "0")})
    for name in _MESSAGES:
        record[name] = _messages([row[name] for row in rows if row.get(name) not in (None, "")])
    record["_rows"] = len(rows)
    record["_gap"] = numbers[0] > 1 or any(after - before > 1 for before, after in pairwise(numbers))
    context.count("joined_rows", len(rows) - 1)
    place = call.place
    return Frame(place.line, place.offset, place.item, context.shape, dump(record, context))


def _sequence(row: dict[str, Any]) -> int:
    try:
        return int(row.get("SequenceNumber") or 0)
    except (TypeError, ValueError):
        return 0


def _messages(pieces: list[Any]) -> Any:
    """Returns the pieces as one list of messages, or as one text where they are no JSON."""
    parsed = [_parsed(piece) if isinstance(piece, str) else piece for piece in pieces]
    if any(isinstance(piece, str) for piece in parsed):
        return (
            _parsed("".join(piece if isinstance(piece, str) else json.dumps(piece) for piece in pieces))
            if pieces
            else None
        )
    messages: list[Any] = []
    for piece in parsed:
        members = piece if isinstance(piece, list) else [piece]
        if messages and members and _goes_on(messages[-1], members[0]):
            messages[-1] = {**messages[-1], "content": messages[-1]["content"] + members[0]["content"]}
            members = members[1:]
        messages += members
    return messages or None


def _goes_on(before: Any, after: Any) -> bool:
    """Whether a row begins with the rest of the message that the row before it ended in."""
    if not isinstance(before, dict) or not isinstance(after, dict) or before.get("role") != after.get("role"):
        return False
    return isinstance(before.get("content"), str) and isinstance(after.get("content"), str)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
