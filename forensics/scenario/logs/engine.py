"""An SGLang engine's stdout (``server.log``): start, limits, batches, rejects, failures, time stats, access lines.

Shapes after ``formats.md`` A1 for 0.5.12 and later. The stamp is local time without a zone; a rank appears only where
there are several; rejects are logged on TP rank 0 alone.
"""

import random
from collections.abc import Iterable, Iterator

from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.lines import Line, stamp
from forensics.scenario.world import Worker

BYTES_PER_TOKEN = 24_576
REASONS = {200: "OK", 400: "Bad Request", 500: "Internal Server Error"}


def server_log(
    worker: Worker, exchanges: Iterable[Exchange], *, start: float, end: float, seed: int, health_every: float = 300.0
) -> list[Line]:
    """Returns everything that ``worker`` printed between ``start`` and ``end`` (epoch seconds)."""
    dice = random.Random(f"{seed}/{worker.name}/server")
    lines = [*_start(worker, start, dice), *_health(worker, start + 60, end, health_every, dice)]
    for exchange in exchanges:
        if exchange.outcome == "bad_key":
            continue
        if worker == exchange.prefill:
            lines += _prefill(worker, exchange, dice)
        elif worker == exchange.decode:
            lines += _decode(worker, exchange, dice)
    return lines


def reject_text(tokens: int, limit: int) -> str:
    """Returns the engine's own words for a prompt that is too long for it."""
    return (
        f"Input length ({tokens} tokens) exceeds the maximum allowed length ({limit} tokens). "
        "Use a shorter input or enable --allow-auto-truncate."
    )


def prefill_failure(exchange: Exchange) -> str:
    """Returns prefill's words for a transfer that failed."""
    return (
        f"Prefill transfer failed for request rank=0 req.rid='{exchange.prefill_rid}' "
        f"req.bootstrap_room={exchange.room} with exception KVTransferError(bootstrap_room={exchange.room}): "
        f"Failed to send kv chunk of {exchange.room} to {exchange.decode.host}:{_session_port(exchange)}"
    )


def decode_failure(exchange: Exchange, rank: int = 0) -> str:
    """Returns decode's words for a transfer that failed; the client gets them too."""
    return (
        f"Decode transfer failed for request rank={rank} decode_req.req.rid='{exchange.decode_rid}' "
        f"decode_req.req.bootstrap_room={exchange.room} with exception "
        f"KVTransferError(bootstrap_room={exchange.room}): "
        "Failed to get kvcache from prefill instance, it might be dead"
    )


def _session_port(exchange: Exchange) -> int:
    return 15_000 + exchange.room % 9_000


def _line(worker: Worker, at: float, text: str, rank: str = "") -> Line:
    return Line(at, f"[{stamp(worker, at)}{rank and f' {rank}'}] {text}")


def _ranks(worker: Worker, rank: int = 0) -> list[str]:
    """Returns the rank prefixes of the schedulers that hold data-parallel rank ``rank``."""
    if worker.dp > 1:
        return [f"DP{rank} TP{rank}"]
    return [f"TP{number}" for number in range(worker.tp)] if worker.tp > 1 else [""]


def _access(
    worker: Worker, at: float, dice: random.Random, status: int, route: str = "POST /v1/chat/completions"
) -> Line:
    peer = f"10.31.0.5:{dice.randrange(34_000, 60_000)}"
    return _line(worker, at, f'INFO:     {peer} - "{route} HTTP/1.1" {status} {REASONS[status]}')


def _start(worker: Worker, start: float, dice: random.Random) -> Iterator[Line]:
    first = _ranks(worker)[0]
    if worker.role == "decode":
        yield _line(worker, start, "Radix cache is disabled for decode server")
    yield _line(worker, start, "Attention backend not specified. Use triton backend by default.")
    yield _line(worker, start + 1, f"server_args={server_args(worker)!r}")
    for rank in range(worker.dp):
        for name in _ranks(worker, rank):
            size = worker.pool * BYTES_PER_TOKEN / 2 / 2**30
            text = f"KV Cache is allocated. #tokens: {worker.pool}, K size: {size:.2f} GB, V size: {size:.2f} GB"
            yield _line(worker, start + 7, text, name)
    yield _line(
        worker,
        start + 9,
        f"max_total_num_tokens={worker.pool}, chunked_prefill_size=2048, max_prefill_tokens=16384, "
        f"max_running_requests=64, context_len={worker.context}, available_gpu_mem={dice.uniform(9, 30):.2f} GB",
        first,
    )
    if worker.role == "prefill":
        yield _line(
            worker, start + 10, f"CommonKVBootstrapServer started successfully on {worker.host}:{worker.bootstrap_port}"
        )
    yield _line(worker, start + 11, f"INFO:     Started server process [{dice.randrange(900, 4000)}]")
    yield _line(worker, start + 11, "INFO:     Application startup complete.")
    yield _line(worker, start + 11, f"INFO:     Uvicorn running on http://{worker.address} (Press CTRL+C to quit)")
    if worker.role == "unified":
        yield _line(worker, start + 14, "The server is fired up and ready to roll!")
        return
    yield _line(worker, start + 12, "Start of pd disaggregation warmup ...")
    yield _idle_stats(worker, start + 13, f"{dice.getrandbits(128):032x}", 4)
    yield _line(worker, start + 13, f"Disaggregation warmup requests completed for all {worker.dp} DP ranks")
    yield _line(worker, start + 14, "The server is fired up and ready to roll!")


def _health(worker: Worker, start: float, end: float, every: float, dice: random.Random) -> Iterator[Line]:
    at = start + dice.uniform(0, 20)
    while at < end:
        yield _idle_stats(worker, at, f"HEALTH_CHECK_{dice.getrandbits(128):032x}", 1)
        yield _access(worker, at + 0.4, dice, 200, "GET /health")
        at += every


def _idle_stats(worker: Worker, at: float, rid: str, length: int) -> Line:
    tail = (
        "transfer_speed=0.00 GB/s, transfer_total=0.00 MB"
        if worker.role == "prefill"
        else "alloc_wait_duration=0.01ms, transfer_duration=0.01ms"
    )
    text = (
        f"ReqTimeStats(rid={rid}, bootstrap_room=0, input_len={length}, cached_input_len=0, output_len=1, attempts=0, "
        f"type={worker.role}): bootstrap_duration=0.05ms, queue_duration=0.01ms, forward_duration=64.10ms, "
        f"entry_time={at + worker.skew - 0.07:.3f}, {tail}"
    )
    return _line(worker, at, text, _ranks(worker)[0])


def _prefill(worker: Worker, exchange: Exchange, dice: random.Random) -> Iterator[Line]:
    times, first = exchange.times, _ranks(worker, exchange.prefill_rank)[0]
    if exchange.outcome == "too_long":
        yield _access(worker, times.ended, dice, 400)
        return
    if exchange.rejected_by_prefill and exchange.prefill_rank == 0:
        # Tensor-parallel rank 0 alone logs it, and with several data-parallel ranks that is rank 0's.
        text = f"{reject_text(exchange.prompt_tokens, worker.limit)}, self.rid='{exchange.prefill_rid}'"
        yield _line(worker, times.prefill_entry, text, first if worker.dp > 1 or worker.tp > 1 else "")
    if exchange.plan.stalls:
        if exchange.plan.lands_seen:
            yield _prefill_stats(worker, exchange, times.landed + 0.2)
        return
    computed = exchange.prefill_tokens - exchange.cached_tokens
    yield _line(
        worker,
        times.prefill_done - 0.03,
        f"Prefill batch, #new-seq: 1, #new-token: {computed}, #cached-token: {exchange.cached_tokens}, "
        f"token usage: {exchange.prefill_tokens / worker.pool:.2f}, #running-req: 0, #queue-req: 0, #pending-token: 0, "
        f"#bootstrap-req: 0, #inflight-req: 0, cuda graph: False, "
        f"input throughput (token/s): {computed / dice.uniform(20, 90):.2f}",
        first,
    )
    if exchange.outcome == "transfer_failed" or (exchange.fault and exchange.fault.kind == "broken"):
        yield _line(worker, times.ended, f"Session {exchange.decode.host}:{_session_port(exchange)} failed.", first)
        yield _line(worker, times.ended, prefill_failure(exchange), first)
        yield _access(worker, times.ended + 0.02, dice, 500)
        return
    yield _prefill_stats(worker, exchange, times.prefill_done + 0.05)
    yield _access(worker, times.prefill_done + 0.06, dice, 200)


def _prefill_stats(worker: Worker, exchange: Exchange, at: float) -> Line:
    times = exchange.times
    moved = exchange.prefill_tokens * BYTES_PER_TOKEN / 2**20
    text = (
        f"ReqTimeStats(rid={exchange.prefill_rid}, bootstrap_room={exchange.room}, "
        f"input_len={exchange.prefill_tokens}, cached_input_len={exchange.cached_tokens}, output_len=1, attempts=0, "
        f"type=prefill): bootstrap_duration={60.2 + exchange.room % 23:.2f}ms, "
        f"queue_duration=0.4{exchange.room % 10}ms, "
        f"forward_duration={max(31.0, 1000 * (at - times.prefill_entry) - 70):.2f}ms, "
        f"entry_time={times.prefill_entry + worker.skew:.3f}, transfer_speed={0.2 + moved / 2000:.2f} GB/s, "
        f"transfer_total={moved:.2f} MB"
    )
    return _line(worker, at, text, _ranks(worker, exchange.prefill_rank)[0])


def _decode(worker: Worker, exchange: Exchange, dice: random.Random) -> Iterator[Line]:
    times = exchange.times
    ranks = _ranks(worker, exchange.rank)
    if exchange.outcome == "too_long":
        yield _access(worker, times.ended, dice, 400)
    elif exchange.outcome == "refused":
        text = f"{reject_text(exchange.prompt_tokens, exchange.refused_at)}, self.rid='{exchange.decode_rid}'"
        yield _line(worker, times.engine + 0.006, text, ranks[0])
        yield _access(worker, times.ended, dice, 400)
    elif exchange.outcome == "transfer_failed":
        yield from _detected(worker, exchange)
        for rank, name in enumerate(ranks):
            yield _line(worker, times.ended, decode_failure(exchange, rank), name)
        yield _access(worker, times.ended + 0.02, dice, 500)
    elif exchange.plan.stalls and times.released < times.landed:
        text = (
            f"Deferred KV release for room {exchange.room} timed out after 30.0s without a full drain ack "
            "from prefill; releasing anyway."
        )
        for name in ranks:
            yield _line(worker, times.released, text, name)
    elif exchange.response and exchange.outcome in ("answered", "left"):
        yield from _detected(worker, exchange)
        yield from _decoded(worker, exchange, exchange.response.tokens, dice)


def _detected(worker: Worker, exchange: Exchange) -> Iterator[Line]:
    """What the engine's own detectors printed; an engine that acts on it fails the request, this one goes on."""
    fault, at = exchange.fault, exchange.times.first_token or exchange.times.ended
    text = ""
    if fault and fault.kind == "checksum":
        text = (
            f"KV checksum mismatch req={exchange.decode_rid} bootstrap_room={exchange.room} "
            f"expected=0x{exchange.room % 2**32:08x} got=0x{exchange.room // 2**16 % 2**32:08x}"
        )
    elif fault and fault.kind == "collision":
        text = (
            f"Context corruption detected: Request {exchange.decode_rid} (bootstrap_room={exchange.room}) received "
            f"metadata from bootstrap_room={exchange.other_room}. Metadata buffer index: {exchange.room % 64}. "
            "This indicates metadata buffer index collision."
        )
    elif fault and fault.kind == "freed" and worker.canary:
        text = (
            "kv_canary violation: launch_tag=HEAD_K_FULL fail_reason=verify_chain_hash+verify_position "
            f"slot_idx={exchange.room % 4096} position={exchange.prompt_tokens // 3} "
            f"stored_token={exchange.room % 9000} expected_token=0 "
            "stored_chain_hash=0x1f3a5c7e9b2d4f60 expected_aux=0x60f4d2b9e7c5a3f1"
        )
    if text:
        yield _line(worker, at, text, _ranks(worker, exchange.rank)[0])


def _decoded(worker: Worker, exchange: Exchange, said: int, dice: random.Random) -> Iterator[Line]:
    times, rank = exchange.times, _ranks(worker, exchange.rank)[0]
    first = times.first_token if exchange.plan.stream else times.ended
    yield _access(worker, first + 0.01, dice, 200)
    held = exchange.prompt_tokens + min(said, 40)
    yield _line(
        worker,
        times.first_token + min(1.1, times.ended - times.first_token),
        f"Decode batch, #running-req: 1, #token: {held}, token usage: {held / worker.pool:.2f}, "
        "pre-allocated usage: 0.00, #prealloc-req: 0, #transfer-req: 0, #retracted-req: 0, cuda graph: True, "
        f"gen throughput (token/s): {dice.uniform(0.1, 38):.2f}, #queue-req: 0",
        rank,
    )
    if exchange.outcome == "left":
        return
    yield _line(
        worker,
        times.ended,
        f"ReqTimeStats(rid={exchange.decode_rid}, bootstrap_room={exchange.room if exchange.prefill else None}, "
        f"input_len={exchange.prompt_tokens}, "
        f"cached_input_len=0, output_len={said}, attempts=0, type={worker.role}): "
        f"bootstrap_duration={50 + dice.uniform(0, 30):.2f}ms, alloc_wait_duration=0.05ms, "
        f"transfer_duration={1000 * (times.transferred - times.reserved):.2f}ms, queue_duration=0.14ms, "
        f"forward_duration={1000 * (times.ended - times.first_token):.2f}ms, "
        f"entry_time={times.engine + worker.skew:.3f}",
        rank,
    )


def server_args(worker: Worker) -> dict[str, object]:
    """Returns the arguments an engine prints at its start and tells on ``/server_info``."""
    return {
        "model_path": f"/models/{worker.model}",
        "served_model_name": worker.model,
        "host": worker.host,
        "port": worker.port,
        "context_length": worker.context,
        "mem_fraction_static": 0.92,
        "max_total_tokens": worker.pool,
        "chunked_prefill_size": 2048,
        "page_size": worker.page_size,
        "tp_size": worker.tp,
        "dp_size": worker.dp,
        "ep_size": 1,
        "enable_dp_attention": worker.dp > 1,
        "load_balance_method": "follow_bootstrap_room" if worker.dp > 1 else "round_robin",
        "disable_radix_cache": worker.role == "decode",
        "disaggregation_mode": "null" if worker.role == "unified" else worker.role,
        "disaggregation_transfer_backend": "mooncake",
        "disaggregation_bootstrap_port": worker.bootstrap_port,
        "allow_auto_truncate": worker.allow_auto_truncate,
        "log_requests": True,
        "log_requests_level": worker.request_level,
        "log_requests_format": "json" if worker.request_log == "json" else "text",
        "enable_request_time_stats_logging": True,
        "export_metrics_to_file": worker.metrics,
        "kv_cache_dtype": "auto",
        "api_key": None,
        **({"disaggregation_enable_kv_checksum": True} if worker.checksum else {}),
        **({"kv_canary": worker.canary} if worker.canary else {}),
    }


def server_info(worker: Worker) -> dict[str, object]:
    """Returns what ``GET /server_info`` said: arguments and scheduler state, one internal state per dp rank."""
    args = server_args(worker)
    state = {
        **args,
        "last_gen_throughput": 38.41,
        "memory_usage": {
            "weight": 66.2,
            "kvcache": round(worker.pool * BYTES_PER_TOKEN / 2**30, 2),
            "token_capacity": worker.pool,
            "graph": 1.3,
        },
        "effective_max_running_requests_per_dp": 64,
    }
    return {
        **args,
        "status": "ready",
        "max_total_num_tokens": worker.pool,
        "max_req_input_len": worker.limit,
        "startup_time": {"load_weight": 7.3, "kv_cache_allocation": 0.4},
        "kv_events": None,
        "internal_states": [state for _ in range(worker.dp)],
        "version": worker.version,
    }
