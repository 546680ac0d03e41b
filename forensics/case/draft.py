"""Writes ``case.toml``: all keys with what they mean, and what a look at the files suggests.

Every suggestion stands with what suggests it. Values come from evidence, so they are quoted as TOML strings and
comments are kept to one line.
"""

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from forensics.case.config import Notice, Resources, Thresholds


@dataclass(frozen=True)
class SourceDraft:
    """One ``[[source]]`` block: its keys and values, and why."""

    values: dict[str, str | int]
    why: str


@dataclass(frozen=True)
class RuleDraft:
    """One ``[[tenant_rule]]``: where the name stands, and why."""

    name: str
    path: str
    why: str
    pattern: str | None = None
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelDraft:
    """One ``[[model]]``: the name that clients use, the engines' names, and figures seen in logs (tokens)."""

    name: str
    aliases: tuple[str, ...]
    why: str
    context_tokens: int | None = None
    pool_tokens: int | None = None


@dataclass(frozen=True)
class BackendDraft:
    """One ``[[backend]]`` that is not disaggregated, and why."""

    model: str
    why: str


@dataclass
class Suggestions:
    """All that a look at the files suggests; ``start`` and ``end`` are ISO 8601 in UTC."""

    start: str | None = None
    end: str | None = None
    sources: list[SourceDraft] = field(default_factory=list)
    rules: list[RuleDraft] = field(default_factory=list)
    tenants: list[tuple[str, int]] = field(default_factory=list)
    models: list[ModelDraft] = field(default_factory=list)
    backends: list[BackendDraft] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


MAX_TENANTS = 500
"""More names than that are not listed; the rules name them all the same."""


def template(title: str, found: Suggestions | None = None) -> str:
    """Returns a commented ``case.toml`` that ``load_config`` accepts as it is."""
    found = found or Suggestions()
    lines = [
        "# Declarations of this case. Every key is shown; what stands behind # is an example or a default.",
        "# A misspelt key is an error, since a rule that silently never fires would make a wrong number.",
        "",
        f"title = {quoted(title)}",
        'purpose = ""  # why the texts of tenants are looked at, and who ordered it; printed in the reports',
        "",
        "# Whose records these are: provider (all sides), gateway (one alone), or one-tenant (a customer's or a",
        "# researcher's own, which never show that a response was not affected).",
        'scope = "provider"',
        "",
        "# Files of public or shared text (licences, manuals): spans found there are no leaks.",
        "public_text = []",
        *_window(found),
        *_sources(found),
        *_rules(found),
        *_tenants(found),
        *_models(found),
        *_backends(found),
        *_tail(),
    ]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Returns ``text`` as a TOML basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def comment(text: str) -> str:
    """Returns ``text`` as a comment of one line, without control characters."""
    return "# " + "".join(" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)


def _window(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# The incident's window. Affected responses outside it are counted and said all the same.",
        "[window]",
    )
    if found.start and found.end:
        yield "# From the first to the last client record in the files, to the hour: narrow it to the incident."
        yield f"start = {found.start}"
        yield f"end = {found.end}"
    else:
        yield "# start = 2026-08-27T00:00:00Z"
        yield "# end = 2026-09-09T12:00:00Z"


def _sources(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# What wrote which files. `files` is a shell pattern on the whole path, where * also crosses /. The first",
        "# block that matches and sets a key decides. Keys: worker, role (prefill, decode, unified, router, gateway,",
        "# client), dp_rank, zone (needed where stamps are local time), address (host:port, as other logs name it),",
        "# format (instead of detecting it), year (where dates have none).",
    )
    if not found.sources:
        yield from _commented(
            "[[source]]", 'files = "*/decode-0/*"', 'worker = "decode-0"', 'role = "decode"', 'zone = "Europe/Berlin"',
            'address = "10.0.4.7:30001"', "dp_rank = 0", 'format = "sglang_request_log"', "year = 2026",
        )  # fmt: skip
    for source in found.sources:
        yield from ("", comment(source.why), "[[source]]")
        yield from (f"{key} = {_value(value)}" for key, value in source.values.items())


def _rules(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# How a record names its tenant: ordered, the first rule that gives a name decides. path is a JSON path into",
        "# the record without its bodies (forensics sql CASE \"SELECT identity FROM record WHERE kind = 'client'\"),",
        "# `pattern` a regular expression whose first group is the name, `ignore` values that name nobody, `format`",
        "# limits the rule to one format. Collapsing tenants behind one shared key would turn leaks into own history.",
    )
    if not found.rules:
        yield from _commented(
            "[[tenant_rule]]", 'name = "team"', 'path = "$.metadata.user_api_key_team_alias"', 'ignore = ["Shared"]',
            "", "[[tenant_rule]]", 'name = "user prefix"', 'path = "$.end_user"', "pattern = '^([^:]+):'",
            'format = "litellm_payload"',
        )  # fmt: skip
    for rule in found.rules:
        yield from (
            "",
            comment(rule.why),
            "[[tenant_rule]]",
            f"name = {quoted(rule.name)}",
            f"path = {quoted(rule.path)}",
        )
        if rule.pattern is not None:
            yield f"pattern = {quoted(rule.pattern)}"
        if rule.ignore:
            yield f"ignore = [{', '.join(quoted(value) for value in rule.ignore)}]"


def _tenants(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# Tenants: class is customer, internal (own traffic and probes) or researcher; each class is counted apart.",
        "# aliases are other names that the rules may find for the same tenant.",
    )
    if not found.tenants or len(found.tenants) > MAX_TENANTS:
        yield from _commented(
            "[[tenant]]",
            'name = "acme"',
            'class = "customer"',
            'contact = "privacy@acme.example"',
            'aliases = ["Acme Ltd"]',
        )
        return
    for name, records in found.tenants:
        yield from ("", comment(f"{records:,} client records"), "[[tenant]]", f"name = {quoted(name)}")
        yield from ('class = "customer"', 'contact = ""')


def _models(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# Models: name as clients know it, aliases as engines do. Declared figures (tokens) serve where no engine log",
        "# says better, and the reports say so.",
    )
    if not found.models:
        yield from _commented(
            "[[model]]", 'name = "glm-5"', 'aliases = ["glm-5-fp8"]', "context_tokens = 1048576", "pool_tokens = 681280"
        )
    for model in found.models:
        yield from ("", comment(model.why), "[[model]]", f"name = {quoted(model.name)}")
        yield f"aliases = [{', '.join(quoted(alias) for alias in model.aliases)}]"
        if model.context_tokens is not None:
            yield f"# context_tokens = {model.context_tokens}  # as the logs say themselves"
        if model.pool_tokens is not None:
            yield f"# pool_tokens = {model.pool_tokens}  # the smallest prefill pool in the logs"


def _backends(found: Suggestions) -> Iterator[str]:
    yield from (
        "",
        "# Backends that serve prompt and answer on one node have no hand-over: that excludes what needs one.",
        "# Where its engines' logs are not held, `detectors = false` says that none of them checks its own KV.",
    )
    if not found.backends:
        yield from _commented("[[backend]]", 'model = "osprey"', "disaggregated = false", 'why = "one vLLM server"')
    for backend in found.backends:
        yield from ("", comment(backend.why), "[[backend]]", f"model = {quoted(backend.model)}")
        yield from ("disaggregated = false", f"why = {quoted(backend.why)}")


def _commented(*lines: str) -> Iterator[str]:
    yield from (f"# {line}".rstrip() for line in lines)


def _value(value: str | float) -> str:
    return quoted(value) if isinstance(value, str) else str(value)


def _tail() -> Iterator[str]:
    yield from (
        "",
        "# Margins in bits over log2(candidates) for a match; seconds (_s) after which silence or a late write counts.",
    )
    yield "[thresholds]"
    yield from _defaults(Thresholds())
    yield from ("", "# Bounds of the database engine.", "[resources]")
    yield from _defaults(Resources())
    yield from (
        "",
        "# What letters and the incident report say about the provider and the clock; nothing here is derived.",
    )
    yield "[notice]"
    yield from _defaults(Notice())


def _defaults(table: Thresholds | Resources | Notice) -> Iterator[str]:
    for item in fields(table):
        value = getattr(table, item.name) or _EXAMPLES.get(item.name, "")
        shown = json.dumps(value) if isinstance(value, bool) else _value(value)
        yield f"# {item.name} = {shown}"


_EXAMPLES = {
    "provider": "Example Inference Ltd",
    "service": "Example API",
    "contact": "incident@example.com",
    "dpo": "dpo@example.com",
    "first_signal": "2026-09-08T14:02:00Z",
    "awareness": "2026-09-09T08:30:00Z",
    "awareness_by": "incident commander",
    "contained": "2026-09-09T09:10:00Z",
    "measures": "The model was taken off; the pool was raised; the engine was patched.",
    "next_update": "2026-09-11T12:00:00Z",
}
"""Of the keys of ``[notice]`` that have no default."""
