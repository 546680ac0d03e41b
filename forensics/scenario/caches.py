"""Many tenants on prefill workers with prefix caches, shared or kept apart: waiting times, and all that blurs them.

Six hours of a morning, in bursts and at a rate as fitted to public traces (``arrivals``): 250 tenants make about 0.8
requests a second, which one worker serves. Passes of prefill take several prompts and are slower than linear in what is
not cached; there are queues, jitter, stalls, and caches that forget. Some tenants send before dawn what they share with
others, so that a rule which overlooks load accuses them. No text: prefixes have names.
"""

import math
import random
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from forensics.scenario.arrivals import FITTED, HOUR, day_and_night

START_NS: Final = 1_788_000_000_000_000_000
CHARS_PER_TOKEN: Final = 4
TENANTS_PER_WORKER: Final = 250
PASS_TOKENS: Final = 16_384
FIRST_HOUR: Final = 4
HOURS: Final = 6
_LENGTHS: Final = FITTED["mooncake_conversation"]
_TAILS: Final = FITTED["azure_2023_conversation"]


@dataclass(frozen=True)
class Service:
    """Who has a salt, and how busy and exact the service is.

    ``salted`` is the share of tenants whose cache entries serve themselves alone (or, with ``by_organization``, their
    organization); the entries of the others serve all of those others. ``load`` is the mean share of time that prefill
    would compute, were nothing cached; ``jitter`` the deviation of the logarithm of its speed; ``stalls`` the share of
    passes that are held up; ``cache_tokens`` what one worker's cache holds.
    """

    salted: float = 1.0
    by_organization: bool = False
    load: float = 0.6
    jitter: float = 0.15
    stalls: float = 0.01
    cache_tokens: int = 12_000_000


@dataclass(frozen=True)
class Habits:
    """What one tenant asks in a morning: new prompts, its own again, first uses of prefixes that others send too."""

    new: int = 30
    again: int = 25
    first: int = 15
    tenants_per_organization: int = 1
    night_workers: float = 0.2


@dataclass
class Use:
    """One request: whose, when (s), which prefix of how many tokens, how many more tokens, and what came of it."""

    tenant: int
    at: float
    prefix: str
    prefix_tokens: int
    more: int
    worker: int = 0
    waited: float = 0.0
    hit: bool = False
    sender_waited: float | None = None

    @property
    def tokens(self) -> int:
        return self.prefix_tokens + self.more


def play(service: Service, habits: Habits, tenants: int, *, seed: int, public: int = 60) -> list[Use]:
    """Returns a morning's requests in the order of their arrival, with the time each waited for its first token (s)."""
    rng = random.Random(f"caches/{seed}")
    uses = sorted(_planned(rng, habits, tenants, public), key=lambda use: (use.at, use.tenant, use.prefix))
    workers = max(1, tenants // TENANTS_PER_WORKER)
    speed = sum(_seconds(use.tokens) for use in uses) / (service.load * workers * HOURS * HOUR)
    for use in uses:
        use.worker = use.tenant % workers if rng.random() < 0.7 else rng.randrange(workers)
    for number in range(workers):
        _work(rng, service, habits, [use for use in uses if use.worker == number], speed)
    first_senders: dict[str, tuple[int, float]] = {}
    for use in uses:
        sender, waited = first_senders.setdefault(use.prefix, (use.tenant, use.waited))
        use.sender_waited = waited if sender != use.tenant else None
    return uses


def organization(habits: Habits, tenant: int) -> int:
    """Returns the organization that a tenant belongs to."""
    return tenant // habits.tenants_per_organization


def load_tables(con: duckdb.DuckDBPyConnection, uses: list[Use], habits: Habits) -> None:
    """Writes ``timing_use`` and ``timing_prefix`` as ``forensics.timing`` reads them out of logs of these requests."""
    several = habits.tenants_per_organization > 1
    table = pl.DataFrame([_row(number, use, habits, several=several) for number, use in enumerate(uses)])
    rungs = pl.DataFrame([rung for number, use in enumerate(uses) for rung in _rungs(number, use)])
    for name, rows in (("timing_use", table), ("timing_prefix", rungs)):
        con.register("rows_of_it", rows.to_arrow())
        con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM rows_of_it")  # noqa: S608 - names of our own
        con.unregister("rows_of_it")


def _row(number: int, use: Use, habits: Habits, *, several: bool) -> dict[str, object]:
    name = f"t{use.tenant:04d}"
    return {
        "exchange_id": f"x{number:07d}",
        "tenant": name,
        "tenant_class": "customer",
        "organization": f"o{organization(habits, use.tenant):04d}" if several else name,
        "party": "",
        "model": "kestrel",
        "place": f"prefill-{use.worker}",
        "received_ns": START_NS + round(use.at * 1e9),
        "finished_ns": START_NS + round((use.at + use.waited) * 1e9) + 4_000_000_000,
        "waited_ns": round(use.waited * 1e3) * 1_000_000,  # logs tell milliseconds
        "measured_by": "decode",
        "cached_tokens": None,
        "salt": None,
        "prompt_tokens": use.tokens,
        "completion_tokens": 100,
        "prompt_chars": use.tokens * CHARS_PER_TOKEN,
        "known_from_ns": START_NS,
    }


def _rungs(number: int, use: Use) -> Iterator[dict[str, object]]:
    for name, tokens, top in ((use.prefix, use.prefix_tokens, False), (f"{use.prefix}/{number}", use.tokens, True)):
        yield {
            "exchange_id": f"x{number:07d}",
            "step": tokens * CHARS_PER_TOKEN,
            "digest": name,
            "cut": False,
            "is_top": top,
        }


def _planned(rng: random.Random, habits: Habits, tenants: int, public: int) -> Iterator[Use]:
    moments = _moments(rng, tenants * (habits.new + habits.first))
    sizes = {f"public-{n}": _length(rng) for n in range(public)}
    quiet = sorted(moments)[: len(moments) // 5]  # before dawn
    for tenant in range(tenants):
        nightly = rng.random() < habits.night_workers
        for name in rng.sample(sorted(sizes), habits.first):
            at = rng.choice(quiet if nightly else moments)
            yield Use(tenant, at, name, sizes[name], _more(rng, sizes[name]))
        news = [(rng.choice(moments), f"own-{tenant}-{n}", _length(rng)) for n in range(habits.new)]
        for at, name, size in news:
            yield Use(tenant, at, name, size, _more(rng, size))
        for _ in range(habits.again):
            at, name, size = rng.choice(news)
            yield Use(tenant, at + 15 + rng.expovariate(1 / 180), name, size, _more(rng, size))


def _moments(rng: random.Random, number: int) -> list[float]:
    """Times (s) whose gaps are as uneven as the burstiest fitted conversation's, thinned by day and night."""
    shape = _LENGTHS.gap_shape
    gaps = [rng.gammavariate(shape, 1 / shape) for _ in range(2 * number)]
    weights = day_and_night(FIRST_HOUR, HOURS)
    scale, at, found = HOURS * HOUR / sum(gaps), 0.0, []
    for gap in gaps:
        at += gap * scale
        if rng.random() < weights[min(int(at / HOUR), HOURS - 1)] / max(weights):
            found.append(at)
    return found


def _length(rng: random.Random) -> int:
    return min(max(round(rng.lognormvariate(_LENGTHS.input_mu, _LENGTHS.input_sigma)), 1_024), _LENGTHS.input_max)


def _more(rng: random.Random, prefix: int) -> int:
    return min(max(round(rng.lognormvariate(_TAILS.input_mu, _TAILS.input_sigma)), 16), prefix // 2)


def _seconds(tokens: int) -> float:
    """Prefill's time for so many tokens, on a machine of speed 1: twice as long per token at a hundred thousand."""
    return 0.02 + tokens / 10_000 * (1 + tokens / 100_000)


def _work(rng: random.Random, service: Service, habits: Habits, uses: list[Use], speed: float) -> None:
    """Plays one worker: each pass of prefill takes, in order, what waits and fits; all of it ends together."""
    cache = _Cache(service)
    free_at, queue = 0.0, deque(uses)
    while queue:
        began = max(free_at, queue[0].at)
        taken: list[Use] = []
        room = PASS_TOKENS
        while queue and queue[0].at <= began and (not taken or room >= queue[0].tokens):
            use = queue.popleft()
            use.hit = cache.holds(_key(service, habits, use))
            room -= use.more if use.hit else use.tokens
            taken.append(use)
        seconds = sum(_seconds(use.more if use.hit else use.tokens) for use in taken) / speed
        free_at = began + seconds * math.exp(rng.gauss(0, service.jitter))
        if rng.random() < service.stalls:
            free_at += rng.uniform(0.5, 3.0)
        for use in taken:
            use.waited = free_at - use.at + rng.lognormvariate(math.log(0.015), 0.5)
            cache.keep(_key(service, habits, use), use.prefix_tokens)


def is_salted(service: Service, habits: Habits, tenant: int) -> bool:
    """Says whether a tenant's (or its organization's) cache entries are kept apart."""
    number = organization(habits, tenant) if service.by_organization else tenant
    return number % 100 < service.salted * 100


def _key(service: Service, habits: Habits, use: Use) -> tuple[str, str]:
    if not is_salted(service, habits, use.tenant):
        return "", use.prefix
    owner = f"o{organization(habits, use.tenant)}" if service.by_organization else f"t{use.tenant}"
    return owner, use.prefix


class _Cache:
    """One worker's prefixes, the least lately used of which go first."""

    def __init__(self, service: Service) -> None:
        self.kept: OrderedDict[tuple[str, str], int] = OrderedDict()
        self.room = service.cache_tokens

    def holds(self, key: tuple[str, str]) -> bool:
        if key not in self.kept:
            return False
        self.kept.move_to_end(key)
        return True

    def keep(self, key: tuple[str, str], tokens: int) -> None:
        if key not in self.kept:
            self.kept[key] = tokens
            self.room -= tokens
        while self.room < 0:
            self.room += self.kept.popitem(last=False)[1]
