"""Raw captures of streamed answers as a client keeps them: response headers, request body, server-sent events."""

from datetime import UTC, datetime
from typing import Any

from forensics.scenario import tokens
from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.gateway import ROUTER_URL
from forensics.scenario.logs.lines import dumps

PIECES = 12


def headers(exchange: Exchange) -> str:
    """Returns the response headers (``curl -D``)."""
    date = f"{datetime.fromtimestamp(exchange.times.received, UTC):%a, %d %b %Y %H:%M:%S} GMT"
    rows = [
        "HTTP/1.1 200 OK",
        f"date: {date}",
        f"x-litellm-call-id: {exchange.call_id}",
        f"x-litellm-model-name: openai/{exchange.model}",
        f"x-litellm-model-api-base: {ROUTER_URL}",
        "x-litellm-version: 1.92.3",
        f"llm_provider-x-request-id: {exchange.router_id}",
        f"x-litellm-model-group: {exchange.model}",
        "cache-control: no-cache",
        "content-type: text/event-stream; charset=utf-8",
        "Transfer-Encoding: chunked",
    ]
    return "".join(f"{row}\r\n" for row in [*rows, ""])


def request(exchange: Exchange) -> str:
    """Returns the request body."""
    asked = {
        "model": exchange.model,
        "messages": [dict(message) for message in exchange.prompt.messages],
        "max_tokens": exchange.plan.max_tokens,
        "temperature": 0.7,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return dumps(asked)


def events(exchange: Exchange) -> str:
    """Returns the event stream: role, pieces of reasoning, content or call arguments, finish, usage, end mark."""
    response = exchange.response
    if response is None:
        return ""
    chunks = [_chunk(exchange, {"role": "assistant", "content": ""})]
    chunks += [_chunk(exchange, {"reasoning_content": piece}) for piece in _pieces(response.reasoning)]
    chunks += [_chunk(exchange, {"content": piece}) for piece in _pieces(response.content)]
    if response.tool:
        name, arguments = response.tool
        first: dict[str, Any] = {"index": 0, "id": f"call_{exchange.trace_id[:12]}", "type": "function"}
        chunks.append(_chunk(exchange, {"tool_calls": [{**first, "function": {"name": name, "arguments": ""}}]}))
        for piece in _pieces(arguments):
            part = {"index": 0, "id": None, "function": {"name": None, "arguments": piece}}
            chunks.append(_chunk(exchange, {"tool_calls": [part]}))
    chunks.append(_chunk(exchange, {}, finish="tool_calls" if response.tool else response.finish))
    usage = {
        "prompt_tokens": exchange.prompt_tokens,
        "completion_tokens": response.tokens,
        "total_tokens": exchange.prompt_tokens + response.tokens,
    }
    chunks.append({**_chunk(exchange, {}), "choices": [], "usage": usage})
    texts = [dumps(chunk, separators=(",", ":")) for chunk in chunks]
    return "".join(f"data: {text}\n\n" for text in [*texts, "[DONE]"])


def _chunk(exchange: Exchange, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": exchange.decode_rid,
        "object": "chat.completion.chunk",
        "created": int(exchange.times.first_token),
        "model": exchange.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _pieces(text: str) -> list[str]:
    spans = tokens.spans(text)
    return [text[part[0][0] : part[-1][1]] for part in (spans[at : at + PIECES] for at in range(0, len(spans), PIECES))]
