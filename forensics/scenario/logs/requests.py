"""SGLang's request log (JSON and text, levels 0 to 3) and its request-metrics export.

Level 0 keeps ids and routing, 1 adds sampling parameters, 2 adds texts and token ids cut to the first and last 1,024
characters or elements, 3 keeps all. Prompt text stands on the *finished* record: the server fills it in after the
*received* one was written.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from forensics.scenario import tokens
from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.engine import decode_failure, prefill_failure, reject_text
from forensics.scenario.logs.lines import Line, dumps, stamp
from forensics.scenario.world import Worker

HALF = 1_024
WIDEST = 12  # code points of the longest piece, a special token
Record = dict[str, Any]


def request_log(worker: Worker, exchanges: Iterable[Exchange]) -> Iterator[Line]:
    """Yields the request log's lines of one worker, each with the ``[time] `` prefix of 0.5.12 and later."""
    for exchange in exchanges:
        if worker not in (exchange.prefill, exchange.decode) or exchange.outcome in ("bad_key", "too_long"):
            continue
        for at, event, record in _records(worker, exchange):
            text = _json(worker, at, event, record) if worker.request_log == "json" else _text(worker, event, record)
            yield Line(at, f"[{stamp(worker, at)}] {text}")


def metrics_export(worker: Worker, exchanges: Iterable[Exchange]) -> list[Line]:
    """Returns the lines of ``sglang-request-metrics-*.log``: one JSON object per finished request, no response text."""
    lines = []
    for exchange in exchanges:
        if worker not in (exchange.prefill, exchange.decode) or exchange.outcome in ("bad_key", "too_long"):
            continue
        ended = _ended(worker, exchange)
        if ended:
            parameters = {key: value for key, value in _obj(worker, exchange, 1, None).items() if value is not None}
            row = {"request_parameters": json.dumps(parameters), **_meta(worker, exchange)}
            lines.append(Line(ended, json.dumps(row)))
    return lines


def _records(worker: Worker, exchange: Exchange) -> Iterator[tuple[float, str, Record]]:
    level, decode = worker.request_level, worker.role == "decode"
    at = exchange.times.engine if decode else exchange.times.prefill_entry
    if level >= 2:
        yield at - 0.03, "request.received.openai", {"obj": _openai(exchange, level)}
    rid = exchange.decode_rid if decode else exchange.prefill_rid
    yield at, "request.received", {"rid": rid, "obj": _obj(worker, exchange, level, None)}
    ended = _ended(worker, exchange)
    if ended:
        out: Record = {}
        if level >= 2:
            said = exchange.response.raw if exchange.response and exchange.outcome == "answered" else ""
            out = {"text": _cut_text(said, level), "output_ids": _ids(said, level)}
        out["meta_info"] = _meta(worker, exchange)
        finished = _obj(worker, exchange, level, exchange.prompt.text if level >= 2 else None)
        yield ended, "request.finished", {"rid": rid, "obj": finished, "out": out}


def _ended(worker: Worker, exchange: Exchange) -> float:
    """Returns when the engine finished the request on this side, or 0 where it logged no finish."""
    times = exchange.times
    if worker.role == "prefill":
        if exchange.plan.stalls:
            return times.landed + 0.3 if exchange.plan.lands_seen else 0.0
        return times.ended if exchange.outcome == "transfer_failed" else times.prefill_done + 0.07
    return times.ended + 0.01 if exchange.outcome in ("answered", "refused", "transfer_failed") else 0.0


def _meta(worker: Worker, exchange: Exchange) -> Record:
    times, decode = exchange.times, worker.role == "decode"
    ended, began = _ended(worker, exchange), times.engine if decode else times.prefill_entry
    finish, said, prompt = _finish(worker, exchange)
    meta: Record = {
        "id": exchange.decode_rid if decode else exchange.prefill_rid,
        "finish_reason": finish,
        "prompt_tokens": prompt,
        "weight_version": "default",
        "num_retractions": 0,
        "reasoning_tokens": 0,
        "completion_tokens": said,
        "cached_tokens": 0 if decode else exchange.cached_tokens,
        "cached_tokens_details": None if decode else {"device": exchange.cached_tokens, "host": 0},
        "dp_rank": exchange.rank if worker.dp > 1 else None,
        "e2e_latency": round(ended - began, 6),
    }
    if worker.metrics:
        meta["request_received_ts"] = round(began + worker.skew, 6)
        meta["request_finished_ts"] = round(ended + worker.skew, 6)
        meta["first_token_latency"] = round((times.first_token or ended) - began, 6)
        meta["queue_time"] = 0.000021
    meta["response_sent_to_client_ts"] = round(ended + worker.skew + 0.002, 6)
    return meta


def _finish(worker: Worker, exchange: Exchange) -> tuple[Record, int, int]:
    """Returns finish reason, generated tokens and prompt tokens as this side saw them."""
    if exchange.outcome == "transfer_failed":
        message = decode_failure(exchange) if worker.role == "decode" else prefill_failure(exchange)
        failed = {"type": "abort", "message": message, "status_code": 500, "err_type": None}
        return failed, 0, exchange.prompt_tokens
    if worker.role == "prefill":
        return {"type": "length", "length": 0}, 1, exchange.prefill_tokens
    if exchange.outcome == "refused":
        message = reject_text(exchange.prompt_tokens, exchange.refused_at)
        return {"type": "abort", "message": message, "status_code": 400, "err_type": "BadRequestError"}, 0, 1
    said = exchange.response.tokens if exchange.response else 0
    stopped = not exchange.response or exchange.response.finish == "stop"
    finish = {"type": "stop", "matched": tokens.END_OF_TURN} if stopped else {"type": "length", "length": said}
    return finish, said, exchange.prompt_tokens


def _obj(worker: Worker, exchange: Exchange, level: int, text: str | None) -> Record:
    prefill = exchange.prefill or exchange.decode
    obj: Record = {
        "rid": exchange.decode_rid if worker.role == "decode" else exchange.prefill_rid,
        "session_id": None,
    }
    if level >= 2:
        obj["text"] = None if text is None else _cut_text(text, level)
        obj["input_ids"] = _ids(exchange.prompt.text, level)
    if level >= 1:
        obj["sampling_params"] = {
            "temperature": 0.7,
            "max_new_tokens": exchange.plan.max_tokens,
            "stop": None,
            "top_p": 0.8,
            "top_k": 20,
            "n": 1,
            "ignore_eos": False,
        }
    return obj | {
        "return_logprob": False,
        "logprob_start_len": -1,
        "stream": exchange.plan.stream,
        "log_metrics": True,
        "modalities": [],
        "lora_id": None,
        "bootstrap_host": prefill.host,
        "bootstrap_port": prefill.bootstrap_port,
        "bootstrap_room": exchange.room,
        "routed_dp_rank": None,
        "disagg_prefill_dp_rank": None,
        "routing_key": None,
        "conversation_id": None,
        "priority": None,
        "extra_key": None,
        "no_logs": False,
        "custom_labels": None,
        "received_time": round(exchange.times.engine % 100_000, 6),
        "cache_salt": None,
    }


def _openai(exchange: Exchange, level: int) -> Record:
    prefill = exchange.prefill or exchange.decode
    messages = [_cut_message(dict(message), level) for message in exchange.prompt.messages]
    return {
        "bootstrap_host": prefill.host,
        "bootstrap_port": prefill.bootstrap_port,
        "bootstrap_room": exchange.room,
        "messages": messages,
        "model": exchange.model,
        "max_completion_tokens": exchange.plan.max_tokens,
        "n": 1,
        "stream": exchange.plan.stream,
        "temperature": 0.7,
        "tool_choice": "none",
        "separate_reasoning": True,
    }


def _cut_message(message: Record, level: int) -> Record:
    content = message.get("content")
    if isinstance(content, str):
        message["content"] = _cut_text(content, level)
    elif isinstance(content, list):
        message["content"] = [{**part, "text": _cut_text(part["text"], level)} for part in content]
    return message


class _Halves(str):
    """A text cut in the middle: the text format shows its halves as two literals."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{str(self[:HALF])!r} ... {str(self[-HALF:])!r}"


def _cut_text(text: str, level: int) -> str:
    return text if level >= 3 or len(text) <= 2 * HALF else _Halves(f"{text[:HALF]}...{text[-HALF:]}")


@lru_cache(maxsize=2)
def _ids(text: str, level: int) -> list[Any]:
    """Returns the text's token ids, cut as the level says; the middle of a long text is not even counted."""
    if level >= 3 or len(text) <= 16 * WIDEST * HALF:
        return _cut_list(tokens.ids(text), level)
    tail = text[-2 * WIDEST * HALF :]
    return [*tokens.ids(text[: WIDEST * HALF])[:HALF], "...", *tokens.ids(tail[tail.index("\n") :])[-HALF:]]


def _cut_list(items: list[int], level: int) -> list[Any]:
    return items if level >= 3 or len(items) <= 2 * HALF else [*items[:HALF], "...", *items[-HALF:]]


def _json(worker: Worker, at: float, event: str, record: Record) -> str:
    timestamp = worker.local(at).replace(tzinfo=None).isoformat(timespec="microseconds")
    return dumps({"timestamp": timestamp, "event": event, **record})


def _text(_worker: Worker, event: str, record: Record) -> str:
    if event == "request.received.openai":
        return f"Receive OpenAI: obj={record['obj']!r}"
    fields = ", ".join(f"{name}={value!r}" for name, value in record["obj"].items())
    if event == "request.received":
        return f"Receive: obj=GenerateReqInput({fields})"
    return f"Finish: obj=GenerateReqInput({fields}), out={record['out']!r}"
