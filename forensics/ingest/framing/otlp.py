"""OTLP as JSON, one batch per line or one document, taken apart into spans and log records with plain attributes.

Both spellings are read: the file exporter's (hex ids, camelCase) and protobuf's ``MessageToJson`` (base64 ids, enum
names, snake_case if asked for). An attribute's ``AnyValue`` becomes the value that it holds.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from typing import Any

from forensics.ingest.framing.clean import decode, dump
from forensics.ingest.framing.records import Context, Frame, Line, Reject, lines
from forensics.ingest.framing.spread import spread

_SIGNALS = (
    ("resourceSpans", "scopeSpans", "spans", "span"),
    ("resourceLogs", "scopeLogs", "logRecords", "log"),
    ("resourceMetrics", "scopeMetrics", "metrics", "metric"),
)
_HEX = frozenset("0123456789abcdefABCDEF")


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per span or log record: ``signal``, ``resource``, ``scope``, ``attributes``, its own fields."""
    for line in spread(lines(chunks, context), context):
        yield from _batch(line, context)


def _batch(line: Line, context: Context) -> Iterator[Frame | Reject]:
    try:
        batch = json.loads(decode(line.data, context), parse_constant=lambda _: None)
        items = [item for one in (batch if isinstance(batch, list) else [batch]) for item in _items(one)]
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        yield context.incomplete(line, "malformed_json")
        return
    if not items:
        yield context.reject(line, "not_otlp")
    for number, item in enumerate(items):
        yield Frame(line.number, line.offset, number, context.shape, dump(item, context))


def _items(batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resources, scopes, records, signal in _SIGNALS:
        for resource in _get(batch, resources) or []:
            about = _attributes(_get(_get(resource, "resource") or {}, "attributes"))
            for scope in _get(resource, scopes) or []:
                name = _get(_get(scope, "scope") or {}, "name")
                for record in _get(scope, records) or []:
                    yield {"signal": signal, "resource": about, "scope": name, **_record(record)}


def _record(record: dict[str, Any]) -> dict[str, Any]:
    fields = {_camel(key): value for key, value in record.items()}
    fields["attributes"] = _attributes(fields.get("attributes"))
    for key in ("traceId", "spanId", "parentSpanId"):
        if key in fields:
            fields[key] = _identifier(fields[key])
    if "body" in fields:
        fields["body"] = _value(fields["body"])
    fields["events"] = [
        {"name": _get(event, "name"), "time": _get(event, "timeUnixNano"), **_nested(event)}
        for event in fields.get("events") or []
    ]
    return fields


def _nested(event: dict[str, Any]) -> dict[str, Any]:
    return {"attributes": _attributes(_get(event, "attributes"))}


def _attributes(pairs: Any) -> dict[str, Any]:
    return {str(pair["key"]): _value(pair.get("value")) for pair in pairs or []}


def _value(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        return None
    kind, held = next(iter(value.items()))
    kind = _camel(kind)
    if kind == "intValue":
        return int(held)
    if kind == "arrayValue":
        return [_value(item) for item in _get(held, "values") or []]
    if kind == "kvlistValue":
        return _attributes(_get(held, "values"))
    return held


def _identifier(value: Any) -> str | None:
    """Returns a trace or span id in lower-case hex, whichever way it was written; all-zero ids are none."""
    text = str(value or "")
    if len(text) not in (16, 32) or not _HEX.issuperset(text):
        try:
            text = base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return text or None
    return text.lower() if text.strip("0") else None


def _get(holder: Any, key: str) -> Any:
    """Returns ``holder[key]``, or the same key in protobuf's snake_case."""
    if key in holder:
        return holder[key]
    return holder.get("".join("_" + c.lower() if c.isupper() else c for c in key))


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest) if rest else key
