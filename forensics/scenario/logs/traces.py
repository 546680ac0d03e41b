"""OTLP GenAI traces of clients' own instrumentation, in both JSON spellings: the exporter's and protobuf's."""

import base64
import json
from typing import Any

from forensics.scenario import tokens
from forensics.scenario.exchanges import Exchange

Json = dict[str, Any]


def span_batch(exchange: Exchange, *, protobuf: bool) -> Json:
    """Returns one exported batch with one span; ``protobuf`` writes ids in base64 and kinds by name."""
    trace, span = exchange.trace_id, exchange.trace_id[:16]
    attributes: list[Json] = [
        _text("gen_ai.operation.name", "chat"),
        _text("gen_ai.provider.name", "openai"),
        _text("gen_ai.request.model", exchange.model),
        _text("server.address", "10.31.0.6"),
        _number("server.port", 4000),
        _number("gen_ai.request.max_tokens", exchange.plan.max_tokens),
    ]
    response = exchange.response
    if response:
        attributes += [
            {
                "key": "gen_ai.response.finish_reasons",
                "value": {"arrayValue": {"values": [{"stringValue": response.finish}]}},
            },
            _text("gen_ai.response.model", exchange.model),
            _text("gen_ai.response.id", exchange.decode_rid),
            _number("gen_ai.usage.input_tokens", exchange.prompt_tokens),
            _number("gen_ai.usage.output_tokens", response.tokens),
        ]
    attributes.append(_text("gen_ai.input.messages", json.dumps([_turn(m) for m in exchange.prompt.messages])))
    if response:
        said = [{"role": "assistant", "parts": [_part(response.content)], "finish_reason": response.finish}]
        attributes.append(_text("gen_ai.output.messages", json.dumps(said)))
    record = {
        "traceId": _id(trace, protobuf=protobuf),
        "spanId": _id(span, protobuf=protobuf),
        "name": f"chat {exchange.model}",
        "kind": "SPAN_KIND_CLIENT" if protobuf else 3,
        "startTimeUnixNano": _nano(exchange.times.received - 0.02),
        "endTimeUnixNano": _nano(exchange.times.ended + 0.06),
        "attributes": attributes,
    }
    resource = [_text("service.name", "tenant-agents"), _text("telemetry.sdk.name", "opentelemetry")]
    scope = {"name": "opentelemetry.instrumentation.genai.openai", "version": "1.1b0"}
    return {
        "resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [{"scope": scope, "spans": [record]}]}]
    }


def _turn(message: Any) -> Json:
    return {"role": message["role"], "parts": [_part(tokens.content_text(message))], "name": None}


def _part(text: str) -> Json:
    return {"type": "text", "content": text}


def _text(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def _number(key: str, value: int) -> Json:
    return {"key": key, "value": {"intValue": str(value)}}


def _nano(at: float) -> str:
    return str(round(at * 1_000_000) * 1_000)


def _id(digits: str, *, protobuf: bool) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode() if protobuf else digits
