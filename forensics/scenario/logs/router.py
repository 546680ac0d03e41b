"""The SMG router's log: UTC, whole seconds, one line when a request comes, one when it is done, no worker at INFO."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs.lines import Line
from forensics.scenario.world import World

LISTEN = "10.31.0.7:30080"


def router_log(world: World, model: str, exchanges: Iterable[Exchange], *, start: float) -> list[Line]:
    """Returns the lines of the router in front of ``model``'s workers."""
    prefills = ", ".join(
        f'("http://{worker.address}", Some({worker.bootstrap_port}))' for worker in world.engines("prefill", model)
    )
    decodes = ", ".join(f'"http://{worker.address}"' for worker in world.engines("decode", model))
    urls = f"prefill_urls: [{prefills}], decode_urls: [{decodes}]"
    mode = f"PrefillDecode {{ {urls}, prefill_policy: None, decode_policy: None }}"
    lines = [
        _line(
            start,
            " INFO",
            "smg::server: src/server.rs:794",
            f"Starting router on {LISTEN} | mode: {mode} | policy: RoundRobin | max_payload: 512MB",
        )
    ]
    for exchange in exchanges:
        if exchange.prefill and exchange.model == model and exchange.outcome != "bad_key":
            lines += _exchange(exchange)
    return lines


def _exchange(exchange: Exchange) -> Iterator[Line]:
    times = exchange.times
    span = f'method=POST uri=/v1/chat/completions version=HTTP/1.1 module="smg" request_id="{exchange.router_id}"'
    yield _line(
        times.routed,
        " INFO",
        f"http_request{{{span}}}: smg::request: src/middleware.rs:310",
        "started processing request",
    )
    status = {"too_long": 400, "refused": 400, "transfer_failed": 500}.get(exchange.outcome, 200)
    if exchange.outcome == "timeout":
        return
    reason = {400: "Bad Request", 500: "Internal Server Error"}.get(status, "")
    if status != 200:
        yield _line(
            times.ended + 0.004,
            "ERROR",
            f"http_request{{{span}}}: smg::routers::http::pd_router: src/routers/http/pd_router.rs:590",
            f"Decode server returned error status decode_url=http://{exchange.decode.address} status={status} {reason}",
        )
    level, word = {
        200: (" INFO", "finished processing request"),
        400: (" WARN", "request failed with client error"),
        500: ("ERROR", "request failed with server error"),
    }[status]
    # Headers of a stream go out with the first byte; that is when the router calls a request done.
    done = times.first_token if exchange.plan.stream and status == 200 else times.ended
    latency = round((done + 0.01 - times.routed) * 1_000_000)
    yield _line(
        done + 0.01,
        level,
        f"http_request{{{span} status_code={status} latency={latency}}}: smg::response: src/middleware.rs:359",
        word,
    )


def _line(at: float, level: str, where: str, text: str) -> Line:
    return Line(at, f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} {level} {where}: {text}")
