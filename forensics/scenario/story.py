"""The bundled story: about an hour of small traffic on a vulnerable deployment, written as its machines log it.

``write_story`` plays ``plan.STORY`` on ``world.STORY_WORLD`` and leaves ``logs/`` for an investigator and
``truth.json``, which analysis never reads, beside it. The same seed gives the same bytes.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from forensics.scenario.exchanges import Exchange, Plan
from forensics.scenario.logs import engine, gateway, requests, router, streams, traces, vllm
from forensics.scenario.logs.lines import by_hour, dumps, ordered, write_bytes, write_lines, write_rotated
from forensics.scenario.plan import STORY
from forensics.scenario.serve import Serving
from forensics.scenario.truth import StoryTruth, truth_of, write_truth
from forensics.scenario.world import CAPTURE_END, ENGINE_START, MAIN, SMALL, STORY_START, STORY_WORLD, Worker, World


def write_story(
    folder: Path,
    *,
    seed: int = 1,
    world: World = STORY_WORLD,
    plans: Iterable[Plan] = STORY,
    fixed_engine: bool = False,
) -> StoryTruth:
    """Writes the story's logs to ``folder/logs`` and its truth to ``folder/truth.json``; returns the truth.

    ``fixed_engine`` plays the same hour on engines that end a rejected prompt instead of handing over its stub, and
    keep an aborted request's pages until its transfer has ended.
    """
    serving = Serving(world, seed=seed, start=STORY_START.timestamp(), fixed_engine=fixed_engine)
    exchanges = serving.play(plans)
    logs = folder / "logs"
    _engines(logs / "sglang", world, exchanges, seed)
    _front(logs, world, exchanges)
    _damage(logs / "sglang")
    truth = truth_of(exchanges, logs)
    write_truth(truth, folder / "truth.json")
    return truth


def _engines(folder: Path, world: World, exchanges: list[Exchange], seed: int) -> None:
    start, end = ENGINE_START.timestamp(), CAPTURE_END.timestamp()
    for worker in world.workers:
        if worker.role == "unified":
            continue
        printed = engine.server_log(worker, exchanges, start=start, end=end, seed=seed)
        asked = list(requests.request_log(worker, exchanges))
        if worker.request_log == "stdout":
            printed += asked
        else:
            write_rotated(folder / worker.name / "req", worker, asked)
        write_lines(folder / worker.name / "server.log", (line.text for line in ordered(printed)))
        if worker.metrics:
            for hour, texts in by_hour(worker, requests.metrics_export(worker, exchanges)).items():
                name = f"sglang-request-metrics-{hour.replace('-', '')}.log"
                write_lines(folder / worker.name / "metrics" / name, texts)
        info = json.dumps(engine.server_info(worker))
        write_bytes(folder / "server_info" / f"{worker.name}.json", info.encode())


def _front(logs: Path, world: World, exchanges: list[Exchange]) -> None:
    start = ENGINE_START.timestamp() + 30
    for model in (MAIN, SMALL):
        packed = ".gz" if model == SMALL else ""
        lines = ordered(router.router_log(world, model, exchanges, start=start))
        name = f"smg.{STORY_START:%Y-%m-%d}{packed}"
        write_lines(logs / "router" / f"router-{model.split('-')[0]}" / name, (line.text for line in lines))
    hours = gateway.payloads_by_hour(exchanges, lambda at: f"{datetime.fromtimestamp(at, UTC):%Y%m%dT%H}")
    for number, (hour, payloads) in enumerate(hours.items(), 1):
        name = f"standard_logging_{hour}.jsonl" + ("" if number == len(hours) else ".gz")
        write_lines(logs / "litellm" / name, (dumps(item) for item in payloads))
    traced = [exchange for exchange in exchanges if exchange.plan.client == "otel"]
    batches = [json.dumps(traces.span_batch(item, protobuf=False), separators=(",", ":")) for item in traced]
    write_lines(logs / "otel" / "traces.otlp.jsonl", batches)
    batches = [json.dumps(traces.span_batch(item, protobuf=True)) for item in traced]
    write_lines(logs / "otel" / "traces.messagetojson.jsonl.gz", batches)
    captured = [item for item in exchanges if item.plan.client == "curl" and item.plan.stream]
    for number, exchange in enumerate(captured):
        stem = logs / "sse" / f"{number:02}-capture"
        write_bytes(stem.with_suffix(".headers"), streams.headers(exchange).encode())
        write_bytes(stem.with_suffix(".request.json"), streams.request(exchange).encode("utf-8", "surrogatepass"))
        write_bytes(stem.with_suffix(".sse"), streams.events(exchange).encode("utf-8", "surrogatepass"))
    for worker in _unified(world):
        lines = ordered(vllm.vllm_log(worker, exchanges, start=ENGINE_START.timestamp()))
        write_lines(logs / "vllm" / f"{worker.model}.log", (line.text for line in lines))


def _unified(world: World) -> list[Worker]:
    return [worker for worker in world.workers if worker.role == "unified"]


def _damage(sglang: Path) -> None:
    """A rotated log kept twice, a foreign line between two records, a last line cut short: nothing that is needed."""
    requests_a = sglang / "decode-a" / "req"
    rotated = next(path for path in sorted(requests_a.iterdir()) if path.suffix == ".gz")
    write_bytes(requests_a / "old" / f"{rotated.stem}.copy.gz", b"")
    (requests_a / "old" / f"{rotated.stem}.copy.gz").write_bytes(rotated.read_bytes())
    text_b = sglang / "decode-b" / "req" / "pd-decode-b_0.log"
    lines = text_b.read_text(encoding="utf-8", errors="surrogatepass").splitlines(keepends=True)
    lines.insert(2, "rsync: [receiver] write failed, retrying (attempt 2)\n")
    text_b.write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
    cut = sglang / "prefill-a" / "req" / "pd-prefill-a_0.log"
    data = cut.read_bytes()
    cut.write_bytes(data[: data.rstrip(b"\n").rfind(b"\n") + 200])
