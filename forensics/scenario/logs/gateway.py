"""LiteLLM's StandardLoggingPayload: one JSON document per call, full prompts, tenants told apart four ways."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.engine import decode_failure, reject_text
from forensics.scenario.world import RESELLER_KEY, SHARED_KEY

AGENTS = {"sdk": "AsyncOpenAI/Python 2.9.0", "otel": "AsyncOpenAI/Python 2.9.0", "curl": "curl/8.9.1"}
ROUTER_URL = "http://10.31.0.7:30080/v1"
Json = dict[str, Any]


def payload(exchange: Exchange) -> Json:
    """Returns the payload that the gateway posted for ``exchange``."""
    times, plan = exchange.times, exchange.plan
    seen = exchange.outcome in ("answered", "left")
    said = exchange.response.tokens if exchange.response and seen else 0
    first = times.first_token + 0.03 if seen and plan.stream else times.ended + 0.04
    error = _error(exchange)
    count = exchange.prompt_tokens if seen else 0
    return {
        "id": exchange.request_id,
        "litellm_call_id": exchange.call_id,
        "trace_id": exchange.trace_id,
        "session_id": plan.session,
        "call_type": "acompletion",
        "cache_hit": True if exchange.kept_rid else None if not plan.stream else False,
        "stream": True if plan.stream else None,
        "status": "success" if seen else "failure",
        "status_fields": {
            "llm_api_status": "success" if seen else "failure",
            "guardrail_status": "not_run",
        },
        "custom_llm_provider": "openai",
        "startTime": round(times.received, 6),
        "endTime": round(times.ended + plan.lingers + 0.04, 6),
        "completionStartTime": round(first, 6),
        "response_time": round(first - times.received, 6),
        "model": f"openai/{exchange.model}",
        "metadata": _metadata(exchange),
        "cache_key": _digest(f"key {exchange.kept_rid}") if exchange.kept_rid else None,
        "response_cost": 0.0,
        "total_tokens": count + said,
        "prompt_tokens": count,
        "completion_tokens": said,
        "request_tags": [f"User-Agent: {AGENTS[plan.client]}"],
        "end_user": _end_user(exchange),
        "api_base": "" if exchange.outcome == "bad_key" else _api_base(exchange),
        "model_group": exchange.model,
        "model_id": _digest(exchange.model),
        "requester_ip_address": "10.31.9.14",
        "user_agent": AGENTS[plan.client],
        "messages": [dict(message) for message in exchange.prompt.messages],
        "response": body(exchange) if seen else {},
        "model_parameters": {"temperature": 0.7, "stream": plan.stream, "max_tokens": plan.max_tokens},
        "hidden_params": {
            "model_id": _digest(exchange.model),
            "cache_key": None,
            "api_base": _api_base(exchange) if seen else None,
            "additional_headers": {"llm_provider-x-request-id": exchange.router_id} if seen else None,
            "litellm_overhead_time_ms": 31.5,
        },
        "error_str": error.get("error_message"),
        "error_information": error,
    }


def body(exchange: Exchange) -> Json:
    """Returns the OpenAI response body as the client got it (a stream's chunks put together)."""
    response = exchange.response
    if response is None:
        return {}
    message: Json = {"content": response.content or None, "role": "assistant", "tool_calls": None}
    finish = response.finish if exchange.outcome == "answered" else "stop"
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    if response.tool:
        name, arguments = response.tool
        call = {
            "id": f"call_{exchange.trace_id[:12]}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        message["tool_calls"] = [call]
        finish = "tool_calls"
    return {
        "id": exchange.kept_rid or exchange.decode_rid,
        "created": int(exchange.times.first_token),
        "model": exchange.model,
        "object": "chat.completion",
        "choices": [{"finish_reason": finish, "index": 0, "message": message}],
        "usage": {
            "completion_tokens": response.tokens,
            "prompt_tokens": exchange.prompt_tokens,
            "total_tokens": exchange.prompt_tokens + response.tokens,
        },
    }


def payloads_by_hour(exchanges: Iterable[Exchange], hour: Callable[[float], str]) -> dict[str, list[Json]]:
    """Returns payloads by ``hour(epoch)``, in the order they were posted."""
    hours: dict[str, list[Json]] = {}
    for exchange in posted(exchanges):
        hours.setdefault(hour(exchange.times.ended), []).append(payload(exchange))
    return hours


def posted(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Returns the calls of which the gateway posted a payload, in that order."""
    seen = (exchange for exchange in exchanges if not exchange.unseen)
    return sorted(seen, key=lambda item: (item.times.ended, item.key))


def _metadata(exchange: Exchange) -> Json:
    tenant = exchange.tenant
    alias = {"team": tenant.alias, "header": RESELLER_KEY}.get(tenant.known_by, SHARED_KEY)
    key = f"{tenant.name}-prod" if tenant.known_by == "team" else alias.lower().replace(" ", "-")
    agent = {"user-agent": AGENTS[exchange.plan.client], "host": "10.31.0.6:4000", "content-type": "application/json"}
    requester: Json = {"headers": agent}
    headers = {"x-stainless-lang": "python"} if exchange.plan.client != "curl" else {}
    if tenant.known_by == "metadata":
        requester = {"tenant": tenant.name, "session_id": f"s-{exchange.trace_id[:10]}", **requester}
    if tenant.known_by == "header":
        headers["x-tenant-id"] = tenant.name
    known = exchange.plan.known_key
    return {
        "user_api_key_hash": _digest(key if known else exchange.call_id),
        "user_api_key_alias": key if known else None,
        "user_api_key_team_id": f"team-{_digest(alias)[:12]}" if known else None,
        "user_api_key_org_id": None,
        "user_api_key_user_id": f"svc-{_digest(key)[:8]}" if known else None,
        "user_api_key_team_alias": alias if known else None,
        "user_api_key_end_user_id": _end_user(exchange),
        "user_api_key_request_route": "/v1/chat/completions",
        "spend_logs_metadata": None,
        "requester_ip_address": "10.31.9.14" if known else None,
        "requester_metadata": requester if known else None,
        "requester_custom_headers": headers if known else None,
        "usage_object": body(exchange).get("usage") or {},
    }


def _end_user(exchange: Exchange) -> str | None:
    tenant = exchange.tenant
    if not exchange.plan.known_key:
        return None
    user = tenant.users[exchange.room % len(tenant.users)]
    if tenant.known_by == "end_user":
        return f"{tenant.name}:{user}"
    return user if exchange.room % 5 == 0 else None


def _error(exchange: Exchange) -> Json:
    """Returns LiteLLM's error information, empty for a call that went well."""
    plan, worker = exchange.plan, exchange.decode
    waited = exchange.times.ended - exchange.times.received
    code, kind, message = {
        "left": ("499", "", "Client disconnected the request"),
        "bad_key": ("401", "ProxyException", "Authentication Error, Invalid proxy server token passed."),
        "timeout": (
            "408",
            "Timeout",
            (
                "litellm.Timeout: APITimeoutError - Request timed out. Error_str: Request timed out. - "
                f"timeout value={plan.patience}, time taken={waited:.2f} seconds"
            ),
        ),
        "too_long": (
            "400",
            "ContextWindowExceededError",
            (
                "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: "
                f"OpenAIException - The input ({exchange.prompt_tokens} tokens) is longer than the model's context "
                f"length ({worker.context} tokens)."
            ),
        ),
        "refused": (
            "decode_bad_request",
            "BadRequestError",
            f"litellm.BadRequestError: OpenAIException - {reject_text(exchange.prompt_tokens, exchange.refused_at)}",
        ),
        "transfer_failed": (
            "decode_internal_error",
            "InternalServerError",
            f"litellm.InternalServerError: InternalServerError: OpenAIException - {decode_failure(exchange)}",
        ),
    }.get(exchange.outcome, ("", "", None))
    return {
        "error_code": code,
        "error_class": kind,
        "llm_provider": "openai" if kind and kind != "ProxyException" else "",
        "traceback": "",
        "error_message": message,
        "error_provider_request_id": exchange.router_id if exchange.outcome in ("refused", "transfer_failed") else None,
    }


def _api_base(exchange: Exchange) -> str:
    if exchange.kept_rid:
        return ""
    return ROUTER_URL if exchange.prefill else f"http://{exchange.decode.address}/v1"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
