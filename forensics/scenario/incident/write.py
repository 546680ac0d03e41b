"""Plays the incident and writes what its machines logged, one exchange's text at a time."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from forensics.scenario.exchanges import Exchange
from forensics.scenario.incident import deployment as site
from forensics.scenario.incident.author import IncidentAuthor
from forensics.scenario.incident.declare import case_toml
from forensics.scenario.incident.figures import AFFECTED, END, FULL, LAUNCH, MODEL, SMALL, Figures
from forensics.scenario.incident.plan import Planner
from forensics.scenario.logs import engine, gateway, requests, router, streams, vllm
from forensics.scenario.logs.lines import (
    Line,
    append_lines,
    dumps,
    ordered,
    streamed,
    write_bytes,
    write_lines,
)
from forensics.scenario.serve import Serving
from forensics.scenario.truth import StoryTruth, truth_of, write_truth
from forensics.scenario.world import Worker, World

HEALTH_EVERY: Final = 900.0
SLACK: Final = 2 * 3_600.0  # no exchange lives longer
HOUR: Final = 3_600.0


def write_incident(folder: Path, *, seed: int = 1, small: bool = False, fixed_engine: bool = False) -> StoryTruth:
    """Writes ``folder/logs``, ``folder/case.toml`` and ``folder/truth.json``; returns the truth.

    ``small`` is the same world with pools, context and long prompts at a hundredth of their length. ``fixed_engine``
    plays the same plan on engines that end a rejected prompt. Raises ``ValueError`` if the published number of
    customers' responses, each from another tenant's pages, does not come about.
    """
    figures = SMALL if small else FULL
    world = site.deployment(figures)
    exchanges = play(world, figures, seed=seed, fixed_engine=fixed_engine)
    logs = folder / "logs"
    for name in sorted({worker.name for worker in world.workers if worker.role != "unified"}):
        _engine(logs, world, name, exchanges, seed)
    _front(logs, world, exchanges)
    (folder / "case.toml").write_text(case_toml(world, figures), encoding="utf-8")
    truth = truth_of(exchanges, logs)
    write_truth(truth, folder / "truth.json")
    return truth


def play(world: World, figures: Figures, *, seed: int, fixed_engine: bool = False) -> list[Exchange]:
    """Returns every exchange of the two weeks, and makes sure that the world is the one that was published."""
    serving = Serving(
        world, seed=seed, start=LAUNCH.timestamp(), fixed_engine=fixed_engine, author=IncidentAuthor(world)
    )
    exchanges = serving.play(Planner(world, figures, seed).plans())
    by_key = {exchange.key: exchange for exchange in exchanges}
    read = [
        exchange
        for exchange in exchanges
        if exchange.tenant.tenant_class == "customer"
        and exchange.outcome in ("answered", "left")
        and any(run.owner and by_key[run.owner].tenant != exchange.tenant for run in exchange.stale)
    ]
    if not fixed_engine and len(read) != AFFECTED:
        raise ValueError(f"{len(read)} customers' responses read another tenant's pages, not {AFFECTED}")
    return exchanges


def _engine(logs: Path, world: World, name: str, exchanges: list[Exchange], seed: int) -> None:
    """One host's logs: what each of its processes printed, and its request log."""
    lives = world.lives(name)
    ends = [*(life.started - 30 for life in lives[1:]), END.timestamp()]
    printed: list[Line] = []
    folder = logs / "sglang" / name
    for life, end in zip(lives, ends, strict=True):
        printed += engine.server_log(life, exchanges, start=life.started, end=end, seed=seed, health_every=HEALTH_EVERY)
    write_lines(folder / "server.log", (line.text for line in ordered(printed)))
    if lives[0].request_log != "none":
        asked = streamed((line for life in lives for line in requests.request_log(life, exchanges)), SLACK)
        if name == "decode-a":
            lost = quiet_hour(lives, exchanges)
            asked = (line for line in asked if not lost <= line.at < lost + HOUR)
        append_lines(folder / "req" / f"{lives[0].hostname}_0.log", (line.text for line in asked))
    if lives[0].metrics:
        rows = (line for life in lives for line in requests.metrics_export(life, exchanges))
        append_lines(folder / "metrics" / "sglang-request-metrics.log", (line.text for line in streamed(rows, SLACK)))
    info = json.dumps(engine.server_info(lives[-1]))
    write_bytes(logs / "sglang" / "server_info" / f"{name}.json", info.encode())


def quiet_hour(lives: tuple[Worker, ...], exchanges: Iterable[Exchange]) -> float:
    """Returns the start of an hour with ordinary traffic on a decode worker, and nothing else: its log loses that."""
    ordinary: dict[int, int] = {}
    eventful: set[int] = set()
    for exchange in exchanges:
        if exchange.decode not in lives:
            continue
        hour = int(exchange.times.received // HOUR)
        if exchange.outcome == "answered" and exchange.over_pool is None and not exchange.stale:
            ordinary[hour] = ordinary.get(hour, 0) + 1
        else:
            eventful |= {hour - 1, hour, hour + 1}
    calm = [hour for hour in ordinary if hour not in eventful]
    return max(calm, key=lambda hour: (ordinary[hour], hour)) * HOUR


def _front(logs: Path, world: World, exchanges: list[Exchange]) -> None:
    start = site.STARTED.timestamp() + 30
    for model in (MODEL, site.OTHER_PD):
        lines = ordered(router.router_log(world, model, exchanges, start=start))
        name = "router-" + model.rsplit("/", 1)[1].split("-")[0]
        write_lines(logs / "router" / name / f"smg.{LAUNCH:%Y-%m-%d}.gz", (line.text for line in lines))
    for day, texts in _payloads(exchanges):
        append_lines(logs / "litellm" / f"standard_logging_{day}.jsonl", texts)
    captured = [exchange for exchange in exchanges if exchange.plan.tenant == site.PLATFORM and exchange.response]
    for number, exchange in enumerate(captured, 1):
        stem = logs / "sse" / f"reproduction-{number}"
        write_bytes(stem.with_suffix(".headers"), streams.headers(exchange).encode())
        write_bytes(stem.with_suffix(".sse"), streams.events(exchange).encode("utf-8", "surrogatepass"))
    for worker in world.workers:
        if worker.role == "unified":
            lines = ordered(vllm.vllm_log(worker, exchanges, start=worker.started))
            write_lines(logs / "vllm" / "linnet.log.gz", (line.text for line in lines))


def _payloads(exchanges: list[Exchange]) -> Iterator[tuple[str, Iterator[str]]]:
    days: dict[str, list[Exchange]] = {}
    for exchange in gateway.posted(exchanges):
        days.setdefault(f"{datetime.fromtimestamp(exchange.times.ended, UTC):%Y%m%d}", []).append(exchange)
    for day, met in days.items():
        yield day, (dumps(gateway.payload(exchange)) for exchange in met)
