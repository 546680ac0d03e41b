"""The ``case.toml`` that an investigator of the story would write: what the provider knows without reading a log."""

import json
from collections.abc import Iterator

from forensics.scenario.world import (
    CONTEXT_TOKENS,
    MAIN,
    PLAIN,
    PREFILL_POOL,
    RESELLER_KEY,
    SHARED_KEY,
    SMALL,
    STORY_START,
    STORY_WORLD,
    World,
)


def case_toml(world: World = STORY_WORLD) -> str:
    """Returns the declarations for ``world`` as TOML, with the keys of ``forensics.case.config``."""
    return "\n".join(
        [
            f"title = {quoted('Foreign text in answers of ' + MAIN)}",
            'purpose = "Find affected responses and prepare notices; ordered by the security lead on 2026-10-07."',
            "",
            "[window]",
            f"start = {STORY_START:%Y-%m-%d}T07:30:00Z",
            f"end = {STORY_START:%Y-%m-%d}T09:30:00Z",
            *_models(),
            *_sources(world),
            *tenants(world),
            *_canaries(world),
            *_notice(),
            "",
        ]
    )


def _models() -> Iterator[str]:
    yield from ("", "# Declared figures; logs say better where they can.")
    yield from (
        "[[model]]",
        f"name = {quoted(MAIN)}",
        f"context_tokens = {CONTEXT_TOKENS}",
        f"pool_tokens = {PREFILL_POOL}",
    )
    yield from (
        "",
        "[[model]]",
        f"name = {quoted(SMALL)}",
        f"context_tokens = {CONTEXT_TOKENS}",
        f"pool_tokens = {PREFILL_POOL}",
    )
    for model, handed_over, why in (
        (MAIN, "true", "two prefill and two decode workers behind the router"),
        (SMALL, "true", "one prefill and one decode worker, equal pools"),
        (PLAIN, "false", "one vLLM server that does both phases"),
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
    for worker in world.workers:
        folder = "*/vllm/*" if worker.engine == "vllm" else f"*/sglang/{worker.name}/*"
        yield from ("", "[[source]]", f"files = {quoted(folder)}", f"worker = {quoted(worker.name)}")
        yield from (
            f"role = {quoted(worker.role)}",
            f"zone = {quoted(worker.zone)}",
            f"address = {quoted(worker.address)}",
        )
        if worker.engine == "vllm":
            yield f"year = {STORY_START.year}"
        else:
            info = quoted(f"*/server_info/{worker.name}.json")
            yield from (
                "",
                "[[source]]",
                f"files = {info}",
                f"worker = {quoted(worker.name)}",
                f"role = {quoted(worker.role)}",
            )
    for folder, role in (("router", "router"), ("litellm", "gateway"), ("otel", "client"), ("sse", "client")):
        yield from ("", "[[source]]", f"files = {quoted(f'*/{folder}/*')}", f"role = {quoted(role)}", 'zone = "UTC"')


def tenants(world: World) -> Iterator[str]:
    """Yields the tenant rules and the tenants of ``world``."""
    yield from ("", "# How tenants are told apart, in this order; two keys are shared by several.")
    rules = (
        ("reseller's header", '$.metadata.requester_custom_headers."x-tenant-id"', ""),
        ("tenant in the request body", "$.metadata.requester_metadata.tenant", ""),
        ("end user TENANT:USER", "$.end_user", "^([^:]+):"),
        ("team of the key", "$.metadata.user_api_key_team_alias", ""),
    )
    for name, path, pattern in rules:
        yield from (
            "",
            "[[tenant_rule]]",
            f"name = {quoted(name)}",
            f"path = {quoted(path)}",
            'format = "litellm_payload"',
        )
        if pattern:
            yield f"pattern = {quoted(pattern)}"
        if "team" in path:
            yield f"ignore = [{quoted(SHARED_KEY)}, {quoted(RESELLER_KEY)}]"
    for tenant in world.tenants:
        yield from ("", "[[tenant]]", f"name = {quoted(tenant.name)}", f"class = {quoted(tenant.tenant_class)}")
        yield f"aliases = [{quoted(tenant.alias)}]"
        yield f"contact = {quoted(tenant.contact or 'privacy@' + _host(tenant.name) + '.example')}"


def _canaries(world: World) -> Iterator[str]:
    for tenant, marker in world.markers:
        yield from ("", "[[canary]]", f"tenant = {quoted(tenant)}", f"markers = [{quoted(marker)}]")


def _notice() -> Iterator[str]:
    yield from (
        "",
        "[notice]",
        'provider = "Larkfield Inference"',
        'service = "Larkfield chat completions"',
        'contact = "security@larkfield.example"',
        'dpo = "privacy@larkfield.example"',
        'first_signal = "2026-10-06T09:05:00Z"',
        'awareness = "2026-10-06T10:40:00Z"',
        'awareness_by = "head of security"',
        'contained = "2026-10-06T11:20:00Z"',
        'measures = "The model was taken offline; prompts beyond the prefill pool are refused at the gateway."',
        'next_update = "2026-10-13"',
        'phase = "initial"',
    )


def _host(name: str) -> str:
    return "".join(char for char in name.lower() if char.isascii() and char.isalnum()) or "tenant"


def quoted(text: str) -> str:
    """Returns ``text`` as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
