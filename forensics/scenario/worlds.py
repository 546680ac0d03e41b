"""Small worlds for tests, one difficulty each, drawn anew from every seed.

Every world has two prefill and two decode workers of one model and a dozen to thirty exchanges; what becomes of them
follows from the pages. ``WORLDS`` names them. A fixed twin is the same plan on engines that are not vulnerable.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from forensics.scenario.declare import case_toml
from forensics.scenario.exchanges import Exchange, Plan
from forensics.scenario.logs import engine, gateway, requests, router
from forensics.scenario.logs.lines import Line, dumps, ordered, write_bytes, write_lines
from forensics.scenario.serve import Serving
from forensics.scenario.truth import StoryTruth, truth_of, write_truth
from forensics.scenario.world import (
    CAPTURE_END,
    ENGINE_START,
    MAIN,
    PREFILL_POOL,
    STORY_START,
    STORY_WORLD,
    Route,
    Worker,
    World,
)

LIMIT: Final = PREFILL_POOL - 6
DECODE_POOL: Final = 9_600
LONGEST: Final = 8_900
CUSTOMERS: Final = tuple(tenant.name for tenant in STORY_WORLD.tenants if tenant.tenant_class == "customer")

A0, A1, B0 = "a0", "a1", "b0"


@dataclass(frozen=True)
class Script:
    """A world and what is planned in it."""

    world: World
    plans: tuple[Plan, ...]


def write_world(folder: Path, script: Script, *, seed: int, fixed_engine: bool = False) -> StoryTruth:
    """Writes ``folder/logs``, ``folder/case.toml`` and ``folder/truth.json``; returns the truth."""
    start = STORY_START.timestamp()
    exchanges = Serving(script.world, seed=seed, start=start, fixed_engine=fixed_engine).play(script.plans)
    logs = folder / "logs"
    served = [exchange for exchange in exchanges if not exchange.kept_rid]
    for worker in script.world.workers:
        _engine(logs / "sglang", worker, served, seed)
    lines = ordered(router.router_log(script.world, MAIN, served, start=ENGINE_START.timestamp() + 30))
    write_lines(logs / "router" / "smg.log", (line.text for line in lines))
    payloads = (dumps(gateway.payload(exchange)) for exchange in gateway.posted(exchanges))
    write_lines(logs / "litellm" / "standard_logging.jsonl", payloads)
    (folder / "case.toml").write_text(case_toml(script.world), encoding="utf-8")
    truth = truth_of(exchanges, logs)
    write_truth(truth, folder / "truth.json")
    return truth


def _engine(folder: Path, worker: Worker, exchanges: Iterable[Exchange], seed: int) -> None:
    start, end = ENGINE_START.timestamp(), CAPTURE_END.timestamp()
    printed: list[Line] = engine.server_log(worker, exchanges, start=start, end=end, seed=seed)
    asked = list(requests.request_log(worker, exchanges)) if worker.request_log != "none" else []
    if worker.request_log == "stdout":
        printed += asked
    elif asked:
        write_lines(folder / worker.name / "req" / f"{worker.hostname}_0.log", (line.text for line in ordered(asked)))
    write_lines(folder / worker.name / "server.log", (line.text for line in ordered(printed)))
    write_bytes(folder / "server_info" / f"{worker.name}.json", json.dumps(engine.server_info(worker)).encode())


def machines(*, prefill_dp: int = 1, decode_pool: int = DECODE_POOL, prefill_log: str = "json") -> World:
    """Returns the usual two prefill and two decode workers, three decode ranks in all."""
    workers = (
        Worker("prefill-a", "prefill", MAIN, "10.31.1.11", 30000, PREFILL_POOL, dp=prefill_dp, request_log=prefill_log),
        Worker("prefill-b", "prefill", MAIN, "10.31.1.12", 30000, PREFILL_POOL, dp=prefill_dp, request_log="none"),
        Worker("decode-a", "decode", MAIN, "10.31.2.21", 30001, decode_pool, dp=2, request_level=2),
        Worker("decode-b", "decode", MAIN, "10.31.2.22", 30001, decode_pool, request_log="stdout", skew=0.7),
    )
    routes: dict[str, Route] = {
        f"{prefill}{name}": (f"prefill-{prefill}", decode, rank)
        for prefill in "pq"
        for name, decode, rank in ((A0, "decode-a", 0), (A1, "decode-a", 1), (B0, "decode-b", 0))
    }
    routes = {name: ("prefill-a" if name[0] == "p" else "prefill-b", *route[1:]) for name, route in routes.items()}
    return replace(STORY_WORLD, workers=workers, routes=routes)


class Plot:
    """Makes plans one after the other, with gaps wide enough for each to end."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = random.Random(f"{name}/{seed}")
        self.at = self.rng.uniform(5, 20)
        self.plans: list[Plan] = []
        self._tenants = self.rng.sample(CUSTOMERS, len(CUSTOMERS))

    def tenant(self, number: int) -> str:
        """The same number is the same tenant throughout a world; which one differs by seed."""
        return self._tenants[number % len(self._tenants)]

    def ask(self, who: int, place: str, size: int, *, gap: float = 0.0, **more: Any) -> str:
        """Plans an exchange of tenant ``who`` and returns its key."""
        key = f"k{len(self.plans):02}"
        route = self.rng.choice("pq") + place
        settings: dict[str, Any] = {"stream": self.rng.random() < 0.5, **more}
        self.plans.append(Plan(key, round(self.at, 3), self.tenant(who), size, route, **settings))
        self.at += gap or self.rng.uniform(35, 60)
        return key

    def crowd(self, number: int, place: str, *, first: int = 0) -> None:
        """Plans ``number`` ordinary exchanges, of the tenants from ``first`` on."""
        for at in range(number):
            layout = self.rng.choice(("notes", "mail", "parts"))
            self.ask(first + at, place, self.rng.randrange(900, 1_500), layout=layout)

    def long(self, who: int, place: str, **more: Any) -> str:
        """Plans a prompt that prefill cannot hold and decode can."""
        return self.ask(who, place, self.rng.randrange(LIMIT, LONGEST), **more)

    def script(self, world: World | None = None) -> Script:
        """Returns what was planned, in ``world`` or on the usual machines."""
        return Script(world or machines(), tuple(self.plans))


def shared_source(seed: int) -> Script:
    """One long record is read by five recipients, one after the other: each overwrites almost none of it."""
    plot = Plot("shared_source", seed)
    plot.ask(0, A0, 3_600)
    plot.crowd(1, A0, first=1)
    plot.crowd(4, B0)
    for who in (2, 3, 4, 5, 6):
        plot.long(who, A0, style=plot.rng.choice(("verbatim", "garbled", "truncated", "mixed")))
    return plot.script()


def several_sources(seed: int) -> Script:
    """The words of up to three owners in one response."""
    plot = Plot("several_sources", seed)
    for place in (A0, B0):
        plot.crowd(5, place, first=plot.rng.randrange(4))
        plot.long(8, place, style="chorus")
        plot.crowd(1, place, first=3)
        plot.long(7, place, style="mixed")
    return plot.script()


def sources_running(seed: int) -> Script:
    """Others run on while the long prompt is answered, and slow clients still read what the pages' owners were told."""
    plot = Plot("sources_running", seed)
    for place in (A1, B0):
        for who in range(4):
            plot.ask(who, place, plot.rng.randrange(1_000, 1_400), lingers=plot.rng.uniform(60, 400), stream=True)
        plot.ask(4, place, 900, gap=0.4, asks="quote")
        plot.ask(5, place, 800, gap=0.5, asks="quote")
        plot.long(6, place, style="verbatim")
        plot.crowd(1, place, first=7)
    return plot.script()


def sent_again(seed: int) -> Script:
    """A contaminated answer comes back as history, in a prompt that fits and in one that does not."""
    plot = Plot("sent_again", seed)
    plot.crowd(5, A0)
    heard = plot.ask(6, A0, plot.rng.randrange(LIMIT, 6_800), style="verbatim")
    plot.ask(6, A1, 1_500, asks=f"forward:{heard}")
    plot.crowd(4, B0, first=1)
    plot.ask(6, B0, LONGEST, asks=f"again:{heard}", style="verbatim")
    plot.crowd(2, A0, first=2)
    plot.long(5, A0, style="garbled")
    return plot.script()


def travels_on(seed: int) -> Script:
    """A leaked text goes on through its recipient's later prompt to a third tenant: its first owner is its source."""
    plot = Plot("travels_on", seed)
    plot.crowd(5, A0)
    heard = plot.long(6, A0, style="verbatim")
    plot.ask(6, B0, 1_800, asks=f"forward:{heard}")
    plot.crowd(3, B0, first=7)
    plot.long(2, B0, style="passed_on")
    return plot.script()


def own_and_nobody(seed: int) -> Script:
    """Pages that were the recipient's own, and pages that nobody ever wrote: affected, and nothing foreign to find."""
    plot = Plot("own_and_nobody", seed)
    for _ in range(4):
        plot.ask(0, A0, plot.rng.randrange(1_000, 1_400))
    plot.long(0, A0, style="verbatim")
    plot.long(1, A1)
    plot.crowd(3, B0, first=2)
    return plot.script()


def quiet_ranks(seed: int) -> Script:
    """Prefill has four data-parallel ranks, of which only the first logs what it rejects."""
    plot = Plot("quiet_ranks", seed)
    for place in (A0, A1, B0):
        plot.crowd(4, place, first=plot.rng.randrange(8))
        plot.long(5, place, style="verbatim")
        plot.long(6, place, style="garbled")
    return plot.script(machines(prefill_dp=4, prefill_log="none"))


def unseen_retry(seed: int) -> Script:
    """The first attempt of a call leaks on the engine, but another attempt answers it: no client saw the first."""
    plot = Plot("unseen_retry", seed)
    plot.crowd(4, A0)
    plot.crowd(4, B0, first=4)
    lost = plot.long(6, A0, gap=9.0, unseen=True, stream=False)
    size = plot.plans[-1].size
    plot.ask(6, B0, size, asks=f"retry:{lost}", stream=False, style="verbatim")
    plot.crowd(1, A0, first=1)
    lost = plot.ask(7, A0, 1_200, gap=6.0, unseen=True, stream=False)
    plot.ask(7, B0, 1_200, asks=f"retry:{lost}", stream=False)
    return plot.script()


def forged(seed: int) -> Script:
    """Callers set rooms and request ids that others have, at the same time and later."""
    plot = Plot("forged", seed)
    plot.crowd(4, A0)
    plot.crowd(4, B0, first=3)
    first = plot.long(5, A0, style="verbatim", gap=70.0)
    second = plot.ask(6, A0, 1_100)
    third = plot.ask(7, A0, 1_000)
    fourth = plot.long(8, B0, style="verbatim")
    fifth = plot.ask(2, B0, 950)
    room, rid = plot.rng.getrandbits(60) * 2, f"{plot.rng.getrandbits(128):032x}"
    world = replace(
        machines(),
        forged_rooms=((first, room), (second, room), (third, room)),
        forged_rids=((fourth, rid), (fifth, rid)),
    )
    return plot.script(world)


def late_writes(seed: int) -> Script:
    """Transfers of aborted requests land in pages that were given on; most of the exchanges around stay clean."""
    plot = Plot("late_writes", seed)
    plot.crowd(4, A0, first=plot.rng.randrange(6))
    for place in (A1, B0):
        seen = plot.rng.random() < 0.5
        plot.ask(4, place, 1_400, gap=9.0, patience=20.0, stalls=True, lands_after=5.8, lands_seen=seen, stream=False)
        plot.ask(5, place, plot.rng.randrange(LIMIT, 7_600), gap=46.0, style="verbatim")
        plot.ask(6, place, 2_500, gap=75.0, style="verbatim")
        plot.ask(7, place, 700)
        plot.at += 130
        plot.crowd(1, place, first=8)
        plot.long(1, place, style="verbatim")
    return plot.script()


def equal_pools(seed: int) -> Script:
    """Decode can hold no more than prefill: what is too long gets a clean error from both."""
    plot = Plot("equal_pools", seed)
    for place in (A0, B0):
        plot.crowd(4, place)
        plot.long(5, place)
        plot.ask(6, place, LIMIT - 1)
        plot.crowd(1, place, first=7)
    return plot.script(machines(decode_pool=PREFILL_POOL))


WORLDS: Final[Mapping[str, Callable[[int], Script]]] = {
    each.__name__: each
    for each in (
        shared_source,
        several_sources,
        sources_running,
        sent_again,
        travels_on,
        own_and_nobody,
        quiet_ranks,
        unseen_retry,
        forged,
        late_writes,
        equal_pools,
    )
}


def twins(seed: int) -> Iterator[tuple[str, Script, bool]]:
    """Yields every world of a seed as it is and on fixed engines: name, script, and whether fixed."""
    for name, make in WORLDS.items():
        for fixed in (False, True):
            yield name, make(seed), fixed
