"""Writes the control world as its machines log it, in those of the case's formats that can be written."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from forensics.case.config import Backend, Canary, CaseConfig, Model, Source, Tenant, TenantRule
from forensics.controls import world as site
from forensics.scenario.exchanges import Exchange
from forensics.scenario.logs import engine, gateway, requests, router, streams, traces, vllm
from forensics.scenario.logs.lines import Line, dumps, ordered, write_bytes, write_lines
from forensics.scenario.world import Worker, World

ENGINE: Final = frozenset({"sglang_engine_log", "sglang_request_log", "sglang_request_metrics", "sglang_server_info"})
FRONT: Final = frozenset(
    {"litellm_payload", "router_smg", "otlp_genai", "sse_stream", "http_headers", "vllm_request_log"}
)
WRITABLE: Final = ENGINE | FRONT
FOLDER: Final = "forensics-control"


@dataclass(frozen=True)
class Wording:
    """In which ``formats`` controls are written; which of the case's those are, and which ``cannot`` be written."""

    formats: frozenset[str]
    written: tuple[str, ...]
    cannot: tuple[str, ...]


def wording(of_case: Collection[str]) -> Wording:
    """Returns the formats for a case that holds ``of_case``.

    The hand-over shows in engines' logs and the texts at the gateway, so both are written in any case: where the case
    has no log of that side that can be written, in the commonest one.
    """
    have = frozenset(of_case)
    formats = have & WRITABLE
    if not formats & {"sglang_engine_log", "sglang_request_log", "sglang_request_metrics"}:
        formats |= {"sglang_engine_log", "sglang_request_log"}
    formats |= {"litellm_payload"}
    return Wording(formats, tuple(sorted(formats & have)), tuple(sorted(have - WRITABLE)))


def write(logs: Path, world: World, exchanges: list[Exchange], formats: Collection[str], *, start: float) -> None:
    """Writes the logs of ``exchanges`` below ``logs/forensics-control``; ``start`` is when the first can have come."""
    folder = logs / FOLDER
    for worker in world.workers:
        if worker.role != "unified":
            logged = [] if worker.name == site.QUIET_WORKER else exchanges
            _engine(folder, worker, logged, formats, start - site.BEFORE)
    posted = [each for each in gateway.posted(exchanges) if each.plan.client != "none"]
    write_lines(folder / "litellm" / "standard_logging.jsonl", (dumps(gateway.payload(each)) for each in posted))
    _front(folder, world, exchanges, formats, start - site.BEFORE)


def _engine(folder: Path, worker: Worker, exchanges: list[Exchange], formats: Collection[str], start: float) -> None:
    end = max((each.times.ended for each in exchanges), default=start) + 60
    printed: list[Line] = []
    if "sglang_engine_log" in formats:
        printed += engine.server_log(worker, exchanges, start=start, end=end, seed=1)
    asked = list(requests.request_log(worker, exchanges)) if worker.request_log != "none" else []
    if worker.request_log == "stdout":
        printed += asked
    elif asked:
        write_lines(folder / worker.name / "req" / "requests.log", (line.text for line in ordered(asked)))
    if printed:
        write_lines(folder / worker.name / "server.log", (line.text for line in ordered(printed)))
    if worker.metrics and (rows := requests.metrics_export(worker, exchanges)):
        write_lines(folder / worker.name / "metrics" / "metrics.log", (line.text for line in ordered(rows)))
    if "sglang_server_info" in formats:
        info = json.dumps(engine.server_info(worker))
        write_bytes(folder / "server_info" / f"{worker.name}.json", info.encode())


def _front(folder: Path, world: World, exchanges: list[Exchange], formats: Collection[str], start: float) -> None:
    if "router_smg" in formats:
        lines = ordered(router.router_log(world, site.MODEL, exchanges, start=start + 30))
        write_lines(folder / "router" / "smg.log", (line.text for line in lines))
    answered = [each for each in exchanges if each.outcome == "answered" and each.plan.client != "none"]
    if "otlp_genai" in formats:
        batches = (json.dumps(traces.span_batch(each, protobuf=False)) for each in answered[:4])
        write_lines(folder / "otel" / "traces.jsonl", batches)
    if "sse_stream" in formats:
        for number, each in enumerate([each for each in answered if each.plan.stream][:2]):
            stem = folder / "sse" / f"{number:02}-capture"
            write_bytes(stem.with_suffix(".headers"), streams.headers(each).encode())
            write_bytes(stem.with_suffix(".sse"), streams.events(each).encode())
    if "vllm_request_log" in formats:
        for worker in world.workers:
            if worker.role == "unified":
                lines = ordered(vllm.vllm_log(worker, exchanges, start=start))
                write_lines(folder / "vllm" / f"{worker.name}.log", (line.text for line in lines))


def declared(world: World, config: CaseConfig, *, year: int, public: str) -> CaseConfig:
    """Returns the case's own declarations behind those that the control world needs.

    ``public`` is the path of the text that the world declares as public. What the case declares of margins, horizons
    and silence holds for controls too: a margin that nothing can pass must be heard.
    """
    values = {name: getattr(config, name) for name in CaseConfig.__dataclass_fields__}
    ours = tuple(_sources(world, year))
    values["source"] = (*ours, *(each for each in config.source if not _touches(each, ours)))
    values["tenant_rule"] = (
        TenantRule("$.metadata.requester_metadata.tenant", "control", "^(control-[0-9]{2})$", format="litellm_payload"),
        *config.tenant_rule,
    )
    values["tenant"] = (*(Tenant(each.name) for each in world.tenants), *config.tenant)
    values["model"] = (*(Model(name) for name in (site.MODEL, site.EVEN, site.PLAIN)), *config.model)
    values["backend"] = (
        Backend(site.MODEL, disaggregated=True, why="control"),
        Backend(site.EVEN, disaggregated=True, why="control"),
        Backend(site.PLAIN, disaggregated=False, why="control"),
        *config.backend,
    )
    values["canary"] = (Canary(site.MARKED, (site.MARKER,)),)
    values["public_text"] = (public,)
    return CaseConfig(**values)


def _touches(declared: Source, ours: Sequence[Source]) -> bool:
    """Whether a block of the case's would say something of planted files too, as ``files = "*"`` does."""
    places = (each.files.replace("*/", "/logs/", 1) for each in ours)
    return any(fnmatchcase(name, declared.files) for place in places for name in (place, place[1:]))


def _sources(world: World, year: int) -> Iterator[Source]:
    for each in world.workers:
        about = Source("", worker=each.name, role=each.role, zone="UTC", address=each.address, year=year)
        logs = {
            f"vllm/{each.name}.log": "vllm_request_log",
            f"{each.name}/server.log": "sglang_engine_log",
            f"{each.name}/req/*": "sglang_request_log",
            f"{each.name}/metrics/*": "sglang_request_metrics",
            f"server_info/{each.name}.json": "sglang_server_info",
        }
        for files, name in logs.items():
            yield replace(about, files=f"*/{FOLDER}/{files}", format=name)
    for files, role, name in (
        ("litellm/*", "gateway", "litellm_payload"),
        ("router/*", "router", "router_smg"),
        ("otel/*", "client", "otlp_genai"),
        ("sse/*.headers", "client", "http_headers"),
        ("sse/*.sse", "client", "sse_stream"),
    ):
        yield Source(f"*/{FOLDER}/{files}", role=role, format=name, zone="UTC")
