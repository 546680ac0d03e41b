"""``case.toml``: what the investigator declares, checked and typed.

Every unknown key is an error with its line and the nearest known key, since a misspelt rule that silently never
fires would make a wrong number.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, date, datetime, time
from fnmatch import fnmatchcase
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo, available_timezones

from forensics.case.moments import nanoseconds
from forensics.errors import ForensicsError

TENANT_CLASSES = ("customer", "internal", "researcher")
SCOPES = ("provider", "gateway", "one-tenant")
SHORTEST_MARKER = 12
Declared = TypeVar("Declared")
ROLES = ("prefill", "decode", "unified", "router", "gateway", "client")


@dataclass(frozen=True)
class Window:
    """The declared window of the incident; affected responses outside it are still counted and said."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True)
class Source:
    """What files matching ``files`` are: which worker wrote them, in what role and time zone.

    ``files`` is a shell pattern on the whole path, where ``*`` also crosses ``/``, and the ``!`` before a member of an
    archive may be matched as ``/``. ``year`` serves formats whose dates have none. ``address`` is the worker's
    ``host:port`` (or host), as other logs name it.
    """

    files: str
    worker: str | None = None
    role: str | None = None
    dp_rank: int | None = None
    zone: str | None = None
    address: str | None = None
    format: str | None = None
    year: int | None = None


@dataclass(frozen=True)
class TenantRule:
    """One ordered rule: the value at JSON ``path`` of a record's identity names its tenant.

    ``pattern`` is a regular expression whose first group (or whole match) is the name; ``ignore`` lists values that
    name nobody, as the alias of a shared key; ``format`` limits the rule to one format.
    """

    path: str
    name: str = ""
    pattern: str | None = None
    ignore: tuple[str, ...] = ()
    format: str | None = None


@dataclass(frozen=True)
class Tenant:
    """A tenant's class, contact, the other names it goes by, and the organization that it is a part of."""

    name: str
    tenant_class: str = "customer"
    contact: str = ""
    aliases: tuple[str, ...] = ()
    organization: str = ""


@dataclass(frozen=True)
class Model:
    """Declared figures of a model (tokens): they serve where no engine log says better, and the report says so."""

    name: str
    aliases: tuple[str, ...] = ()
    context_tokens: int | None = None
    pool_tokens: int | None = None


@dataclass(frozen=True)
class Backend:
    """Whether the backend that serves ``model`` is disaggregated; one that is not excludes hand-over mechanisms.

    ``detectors = false`` says that its engines run no detector of their own (KV checksum, canary, metadata check), so
    that nothing is missed where their logs are not held.
    """

    model: str
    disaggregated: bool
    why: str = ""
    detectors: bool = True


@dataclass(frozen=True)
class Canary:
    """Markers that were planted in prompts of one tenant, a test tenant as a rule, and stand nowhere else.

    Each has at least 12 letters or digits; random ones, so that nobody else can have written them.
    """

    tenant: str
    markers: tuple[str, ...]


@dataclass(frozen=True)
class Thresholds:
    """Margins in bits; how long (seconds) a late write may strike where no end of the transfer is shown; how long
    (seconds) a log may be silent before it counts as missing there; and how far (seconds) a worker's clock may be off
    where no pair of records bounds it."""

    late_write_horizon_s: float = 120.0
    confirmed_margin_bits: float = 30.0
    probable_margin_bits: float = 12.0
    silence_s: float = 300.0
    clock_s: float = 1.0


@dataclass(frozen=True)
class Timing:
    """Prefix-cache timing: for how long (seconds) a prefix may stay cached unseen; with which confidence it is said
    that caches are shared or are not; and the JSON paths in a record's identity that name the user within a tenant."""

    cache_memory_s: float = 3600.0
    confidence: float = 0.999
    users: tuple[str, ...] = (
        "$.user",
        "$.end_user",
        "$.metadata.user_api_key_end_user_id",
        "$.metadata.user_api_key_user_id",
    )


@dataclass(frozen=True)
class Signs:
    """Signs of use: when the defect was reported in public, and the JSON paths in a record's identity that name the
    key."""

    public_report: datetime | None = None
    keys: tuple[str, ...] = (
        "$.metadata.user_api_key_alias",
        "$.metadata.user_api_key_hash",
        "$.api_key",
        "$.key_alias",
    )

    @property
    def public_report_ns(self) -> int | None:
        """The time of the public report in nanoseconds UTC."""
        return nanoseconds(self.public_report) if self.public_report else None


@dataclass(frozen=True)
class Resources:
    """Bounds of a run: memory of the database engine and its threads."""

    memory: str = "4GB"
    threads: int = 2


@dataclass(frozen=True)
class Notice:
    """What letters and the incident report say about the provider and the clock; nothing here is derived."""

    provider: str = ""
    service: str = ""
    contact: str = ""
    dpo: str = ""
    first_signal: str = ""
    awareness: str = ""
    awareness_by: str = ""
    contained: str = ""
    measures: str = ""
    next_update: str = ""
    phase: str = "initial"
    tell_possible_sources: bool = True


@dataclass(frozen=True)
class CaseConfig:
    """All of ``case.toml``.

    ``scope`` says whose records these are: ``provider`` (all sides), ``gateway`` (one alone), or ``one-tenant`` (a
    customer's or researcher's own, which never show that a response was not affected).
    """

    title: str = "Untitled case"
    purpose: str = ""
    scope: str = "provider"
    window: Window = field(default_factory=Window)
    source: tuple[Source, ...] = ()
    tenant_rule: tuple[TenantRule, ...] = ()
    tenant: tuple[Tenant, ...] = ()
    model: tuple[Model, ...] = ()
    backend: tuple[Backend, ...] = ()
    public_text: tuple[str, ...] = ()
    canary: tuple[Canary, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    timing: Timing = field(default_factory=Timing)
    signs: Signs = field(default_factory=Signs)
    resources: Resources = field(default_factory=Resources)
    notice: Notice = field(default_factory=Notice)

    def source_for(self, path: str) -> Source:
        """Returns the merged declarations for one evidence path: the first matching block that sets a field wins."""
        merged: dict[str, Any] = {"files": path}
        names = {name for each in (path, path.replace("!", "/")) for name in (each, "/" + each.lstrip("/"))}
        for block in self.source:
            if any(fnmatchcase(name, block.files) for name in names):
                for item in fields(Source)[1:]:
                    value = getattr(block, item.name)
                    if value is not None:
                        merged.setdefault(item.name, value)
        return Source(**merged)


def load_config(path: Path) -> CaseConfig:
    """Reads and checks ``case.toml``. Raises ``ForensicsError`` naming file, line and remedy."""
    config = read_toml(path, CaseConfig, "`forensics init CASE` makes a case folder with a commented case.toml")
    _check(config, path)
    return config


def read_toml(path: Path, kind: type[Declared], remedy: str) -> Declared:
    """Reads a TOML file into the dataclass ``kind``; an unknown key or a wrong type is an error with its line.

    ``remedy`` says what to do if there is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ForensicsError(f"cannot read the declarations ({error})", where=str(path), fix=remedy) from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ForensicsError(f"not valid TOML: {error}", where=str(path), fix="Correct that line") from error
    built: Declared = _Reader(path, text).build(kind, raw, "")
    return built


class _Reader:
    """Builds dataclasses from TOML tables, by their type hints."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.lines = path, text.splitlines()

    def build(self, kind: type[Any], table: Mapping[str, Any], label: str) -> Any:
        hints = get_type_hints(kind)
        known = {self.toml_name(item.name): item for item in fields(kind)}
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"Did you mean {near[0]!r}" if near else f"Known here: {', '.join(known)}"
                raise self.error(key, f"unknown key {key!r}{label and f' in {label}'}", hint)
        values = {}
        for name, item in known.items():
            if name in table:
                values[item.name] = self.value(hints[item.name], table[name], name)
            elif item.default is MISSING and item.default_factory is MISSING:
                raise self.error(label.strip("[]") or name, f"{label or 'the file'} lacks {name!r}", f"Add {name} = …")
        return kind(**values)

    def value(self, hint: Any, raw: Any, key: str) -> Any:
        if get_origin(hint) is UnionType:
            hint = next(arg for arg in get_args(hint) if arg is not type(None))
        if get_origin(hint) is tuple:
            if not isinstance(raw, list):
                raise self.error(key, f"{key!r} must be a list", f"Write {key} = [ … ] or [[{key}]]")
            return tuple(self.value(get_args(hint)[0], each, key) for each in raw)
        if hasattr(hint, "__dataclass_fields__"):
            if not isinstance(raw, dict):
                raise self.error(key, f"{key!r} must be a table", f"Write [{key}]")
            return self.build(hint, raw, f"[{key}]")
        if hint is datetime:
            return self.moment(raw, key)
        if hint is float and isinstance(raw, int) and not isinstance(raw, bool):
            return float(raw)
        if not isinstance(raw, hint) or (hint is int and isinstance(raw, bool)):
            raise self.error(key, f"{key!r} must be a {hint.__name__}, not {type(raw).__name__}", "Correct the value")
        return raw

    def moment(self, raw: Any, key: str) -> datetime:
        if isinstance(raw, date) and not isinstance(raw, datetime):
            raw = datetime.combine(raw, time(), UTC)
        if not isinstance(raw, datetime) or raw.tzinfo is None:
            raise self.error(key, f"{key!r} must be a time with a zone", f"Write {key} = 2026-09-02T00:00:00Z")
        return raw.astimezone(UTC)

    def error(self, key: str, what: str, fix: str) -> ForensicsError:
        pattern = re.compile(rf"^\s*(\[+\s*)?{re.escape(key)}\b")
        line = next((n for n, text in enumerate(self.lines, 1) if pattern.match(text)), None)
        return ForensicsError(what, where=f"{self.path}:{line}" if line else str(self.path), fix=fix)

    @staticmethod
    def toml_name(name: str) -> str:
        return "class" if name == "tenant_class" else name


def _check(config: CaseConfig, path: Path) -> None:
    faults = (_wrong_scope, _wrong_sources, _wrong_tenants, _wrong_canaries, _wrong_window, _wrong_timing)
    for fault in (each for wrong in faults for each in wrong(config)):
        what, fix = fault
        raise ForensicsError(what, where=str(path), fix=fix)


def _wrong_scope(config: CaseConfig) -> Iterator[tuple[str, str]]:
    if config.scope not in SCOPES:
        near = difflib.get_close_matches(config.scope, SCOPES, n=1)
        yield (
            f"unknown scope {config.scope!r}",
            f"Did you mean {near[0]!r}" if near else f"Use one of {', '.join(SCOPES)}",
        )


def _wrong_sources(config: CaseConfig) -> Iterator[tuple[str, str]]:
    zones = available_timezones()
    for source in config.source:
        if source.zone is not None and source.zone not in zones:
            near = difflib.get_close_matches(source.zone, zones, n=1)
            yield (
                f"unknown time zone {source.zone!r} for files {source.files!r}",
                f"Did you mean {near[0]!r}" if near else "Use a name such as 'UTC' or 'Europe/Berlin'",
            )
        if source.role is not None and source.role not in ROLES:
            yield f"unknown role {source.role!r} for files {source.files!r}", f"Use one of {', '.join(ROLES)}"


def _wrong_tenants(config: CaseConfig) -> Iterator[tuple[str, str]]:
    for tenant in config.tenant:
        if tenant.tenant_class not in TENANT_CLASSES:
            yield (
                f"tenant {tenant.name!r} has the unknown class {tenant.tenant_class!r}",
                f"Use one of {', '.join(TENANT_CLASSES)}",
            )
    for rule in config.tenant_rule:
        label = rule.name or rule.path
        try:
            re.compile(rule.pattern or "")
        except re.error as error:
            yield f"the pattern of tenant rule {label!r} is no regular expression: {error}", "Correct the pattern"
        if not rule.path.startswith("$"):
            yield f"the path of tenant rule {label!r} must start with $", f'Write path = "$.{rule.path}"'


def _wrong_canaries(config: CaseConfig) -> Iterator[tuple[str, str]]:
    for canary in config.canary:
        for marker in canary.markers:
            if sum(char.isalnum() for char in marker) < SHORTEST_MARKER:
                yield (
                    f"a canary marker of {canary.tenant!r} has fewer than {SHORTEST_MARKER} letters or digits",
                    "Use random markers, long enough that nobody else can have written them",
                )


def _wrong_window(config: CaseConfig) -> Iterator[tuple[str, str]]:
    window = config.window
    if window.start and window.end and window.start >= window.end:
        yield "the window ends before it starts", "Correct [window] start and end"


def _wrong_timing(config: CaseConfig) -> Iterator[tuple[str, str]]:
    if not 0.5 <= config.timing.confidence < 1:
        yield f"[timing] confidence is {config.timing.confidence}", "Give a probability such as 0.99, below 1"
    if config.timing.cache_memory_s <= 0:
        yield f"[timing] cache_memory_s is {config.timing.cache_memory_s}", "Give a time in seconds, above 0"
    for path in (*config.timing.users, *config.signs.keys):
        if not path.startswith("$"):
            yield f"the path {path!r} of [timing] users or [signs] keys must start with $", f'Write "$.{path}"'


def zone_of(name: str) -> ZoneInfo:
    """Returns the time zone called ``name``; names were checked when the file was read."""
    return ZoneInfo(name)
