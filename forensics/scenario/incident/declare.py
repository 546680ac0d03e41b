"""The ``case.toml`` of the incident's investigator: what the provider knows without reading a log."""

from collections.abc import Iterator

from forensics.scenario.declare import quoted, tenants
from forensics.scenario.incident import deployment as site
from forensics.scenario.incident.figures import DECLARED, LAUNCH, MODEL, REPORTED, UNLISTED, Figures
from forensics.scenario.world import World


def case_toml(world: World, figures: Figures) -> str:
    """Returns the declarations for the incident as TOML, with the keys of ``forensics.case.config``."""
    return "\n".join(
        [
            f"title = {quoted('Answers of ' + MODEL + ' that hold other customers’ data')}",
            'purpose = "Count affected responses and prepare notices; ordered by the incident lead on 2026-09-09."',
            "",
            "[window]",
            f"start = {LAUNCH:%Y-%m-%d}T00:00:00Z",
            f"end = {UNLISTED:%Y-%m-%d}T23:59:59Z",
            "",
            "[thresholds]",
            "# Engines answer a health check every quarter of an hour; at night nobody else may ask.",
            "silence_s = 1900.0",
            *_models(figures),
            *_sources(world),
            *tenants(world),
            *_notice(),
            "",
        ]
    )


def _models(figures: Figures) -> Iterator[str]:
    yield from (
        "",
        "# As advertised and as planned before the launch; logs say better where they can.",
        "[[model]]",
        f"name = {quoted(MODEL)}",
        f"context_tokens = {figures.context}",
        f"pool_tokens = {figures.pool}",
    )
    for model, handed_over, why in (
        (MODEL, "true", "prefill and decode workers apart, KV sent by Mooncake"),
        (site.OTHER_PD, "true", "one prefill and one decode worker, equal pools beyond the context"),
        (site.OTHER_WHOLE, "false", "one vLLM server that does both phases"),
    ):
        yield from (
            "",
            "[[backend]]",
            f"model = {quoted(model)}",
            f"disaggregated = {handed_over}",
            f"why = {quoted(why)}",
        )


def _sources(world: World) -> Iterator[str]:
    yield from ("", "# Which machine wrote which files, and in which time zone.")
    for name in sorted({worker.name for worker in world.workers}):
        worker = world.worker(name)
        folder = "*/vllm/*" if worker.role == "unified" else f"*/sglang/{name}/*"
        yield from ("", "[[source]]", f"files = {quoted(folder)}", f"worker = {quoted(name)}")
        yield from (f"role = {quoted(worker.role)}", f"zone = {quoted(worker.zone)}")
        yield f"address = {quoted(worker.address)}"
        if worker.role == "unified":
            yield f"year = {LAUNCH.year}"
            continue
        info = quoted(f"*/server_info/{name}.json")
        yield from ("", "[[source]]", f"files = {info}", f"worker = {quoted(name)}", f"role = {quoted(worker.role)}")
    for folder, role in (("router", "router"), ("litellm", "gateway"), ("sse", "client")):
        yield from ("", "[[source]]", f"files = {quoted(f'*/{folder}/*')}", f"role = {quoted(role)}", 'zone = "UTC"')


def _notice() -> Iterator[str]:
    yield from (
        "",
        "[notice]",
        'provider = "Larkfield Inference"',
        'service = "Larkfield chat completions"',
        'contact = "security@larkfield.example"',
        'dpo = "privacy@larkfield.example"',
        f'first_signal = "{REPORTED:%Y-%m-%dT%H:%M:%SZ}"',
        f'awareness = "{DECLARED:%Y-%m-%dT%H:%M:%SZ}"',
        'awareness_by = "incident lead"',
        f'contained = "{UNLISTED:%Y-%m-%dT%H:%M:%SZ}"',
        'measures = "The model was unlisted and came back with a KV pool beyond its context and a patched engine."',
        'next_update = "2026-09-16"',
        'phase = "initial"',
    )
