"""The vLLM API server's log of requests and answers; the date has no year, the time no zone."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from forensics.scenario import tokens
from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.lines import Line
from forensics.scenario.world import Worker

ASKED, ANSWERED = "request_logger.py:79", "request_logger.py:133"


def vllm_log(worker: Worker, exchanges: Iterable[Exchange], *, start: float) -> list[Line]:
    """Returns the lines of ``worker``: its pool at the start, then every request with prompt and answer (DEBUG)."""
    per_request = worker.pool / worker.context
    lines = [
        Line(
            start,
            f"(EngineCore_DP0 pid=91) INFO {_stamp(start)} [kv_cache_utils.py:1147] GPU KV cache size: {worker.pool:,} "
            f"tokens, Maximum concurrency for {worker.context:,} tokens per request: {per_request:.2f}x",
        )
    ]
    for exchange in exchanges:
        if exchange.decode == worker:
            lines += _exchange(exchange)
    return lines


def _exchange(exchange: Exchange) -> Iterator[Line]:
    at, rid = exchange.times.received + 0.05, exchange.decode_rid
    ids = tokens.ids(exchange.prompt.text)
    details = f"prompt: {exchange.prompt.text!r}, prompt_token_ids: {ids}, prompt_embeds shape: None."
    yield _line(at, "DEBUG", ASKED, f"Request {rid} details: {details}")
    parameters = (
        f"SamplingParams(n=1, temperature=0.7, top_p=0.8, top_k=20, max_tokens={exchange.plan.max_tokens}, stop=[])"
    )
    yield _line(at, "INFO", ASKED, f"Received request {rid}: params: {parameters}, lora_request: None.")
    if exchange.response:
        said = exchange.response
        yield _line(
            exchange.times.ended,
            "INFO",
            ANSWERED,
            f"Generated response {rid}: output: {said.raw!r}, finish_reason: {said.finish}",
        )


def _line(at: float, level: str, where: str, text: str) -> Line:
    return Line(at, f"(APIServer pid=7) {level} {_stamp(at)} [{where}] {text}")


def _stamp(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%m-%d %H:%M:%S}"
