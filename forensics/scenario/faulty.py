"""Small worlds of the mechanisms beside over-pool and late write, one each; ``EVERY`` names these and all others."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from forensics.scenario.faults import Fault
from forensics.scenario.world import PLAIN, Worker, World
from forensics.scenario.worlds import A0, A1, B0, WORLDS, Plot, Script, machines

SOLO: Final = "solo"


def partial_transfers(seed: int) -> Script:
    """Fewer tokens are transferred than decode has pages for: counted so, or broken off and answered all the same."""
    plot = Plot("partial_transfers", seed)
    for place, fault in (
        (A0, Fault("short", tokens=plot.rng.randrange(300, 700))),
        (B0, Fault("broken", tokens=plot.rng.randrange(300, 700))),
    ):
        for who in range(4):  # together they use every page once
            plot.ask(who, place, plot.rng.randrange(2_500, 2_900))
        plot.ask(5, place, 3_000, fault=fault, style=plot.rng.choice(("verbatim", "garbled", "mixed")))
        plot.ask(6, place, 1_100)
    plot.ask(7, A1, 1_000, link_fails=True)
    return plot.script()


def checksums(seed: int) -> Script:
    """A checksum does not match: with another's text in the pages, with nobody's, and on a request that then fails."""
    plot = Plot("checksums", seed)
    first = plot.ask(0, A0, 1_200)
    plot.crowd(2, A0, first=1)
    plot.ask(3, A0, 1_100, fault=Fault("checksum", source=first), style=plot.rng.choice(("verbatim", "garbled")))
    plot.ask(4, A0, 1_000, fault=Fault("checksum"))
    plot.crowd(2, B0, first=5)
    plot.ask(7, B0, 1_000, fault=Fault("checksum", failed=True))
    plot.crowd(1, B0, first=8)
    return plot.script(_watched(machines(), checksum=True))


def collisions(seed: int) -> Script:
    """Two rooms share one metadata buffer: one is answered all the same, one is failed by its engine."""
    plot = Plot("collisions", seed)
    for place, failed in ((A0, False), (B0, True)):
        plot.crowd(2, place)
        other = plot.ask(3, place, 1_100, gap=0.4)
        plot.ask(4, place, 1_000, fault=Fault("collision", source=other, failed=failed))
        plot.crowd(1, place, first=5)
    return plot.script()


def freed_pages(seed: int) -> Script:
    """Pages are given on while they are in use: on workers that do both phases, and on a decode worker."""
    plot = Plot("freed_pages", seed)
    for place in (SOLO, A1):
        plot.ask(0, place, 1_100)
        alone = plot.ask(1, place, 1_300)
        plot.ask(2, place, 900, fault=Fault("freed", source=alone), style="verbatim")
        plot.crowd(1, place, first=3)
        beside = plot.ask(4, place, 1_200, gap=0.5, asks="quote")
        plot.ask(5, place, 1_000, fault=Fault("freed", source=beside), style=plot.rng.choice(("verbatim", "garbled")))
        plot.crowd(1, place, first=6)
    plot.crowd(2, B0, first=3)
    return plot.script(_watched(_with_solo(), canary="log"))


def mixed_up(seed: int) -> Script:
    """The gateway replays what it kept for another tenant's other question; a session id that two tenants use."""
    plot = Plot("mixed_up", seed)
    kept = plot.ask(0, A0, 1_100)
    plot.crowd(2, B0, first=1)
    plot.ask(3, A0, 1_000, fault=Fault("replay", source=kept))
    plot.ask(0, A0, 1_100, fault=Fault("replay", source=kept))
    plot.ask(4, A1, 900, session="s-4471")
    plot.ask(5, A1, 950, session="s-4471")
    plot.ask(6, B0, 950, session="default")
    for who in (7, 8, 1, 2):
        plot.ask(who, A0, 800, session="default")
    return plot.script()


def canaries(seed: int) -> Script:
    """Planted markers are said to other tenants, spelt right and garbled; others were told them, and may say them."""
    plot = Plot("canaries", seed)
    marker = "".join(plot.rng.choices("BCDFGHJKLMNPQRSTVWXZ23456789", k=26))
    at = plot.rng.randrange(8, 18)
    source = plot.ask(0, A0, 1_000, asks=f"marker:{marker}")
    plot.crowd(2, A1, first=1)
    plot.ask(3, A0, 1_000, fault=Fault("marker", source=source, said=f"{marker[:9]}-{marker[9:]}".lower()))
    plot.ask(
        4,
        B0,
        1_000,
        fault=Fault("marker", source=source, said=marker[:at] + marker[at + 1] + marker[at] + marker[at + 2 :]),
    )
    told = plot.ask(5, B0, 1_000, asks=f"marker:{marker}")
    plot.ask(5, B0, 1_000, fault=Fault("marker", source=told, said=marker))
    plot.crowd(2, A0, first=6)
    script = plot.script()
    return replace(script, world=replace(script.world, markers=((plot.tenant(0), marker),)))


def swapped_answers(seed: int) -> Script:
    """Answers that went to a client who had asked something else at the same time; others run beside and are sound."""
    plot = Plot("swapped_answers", seed)
    for place, other in ((A0, B0), (B0, A1)):
        first = plot.ask(0, place, 1_200, gap=0.6)
        plot.ask(1, other, 1_100, gap=0.7, fault=Fault("swapped", source=first))
        plot.ask(2, other, 1_000, gap=0.6, asks="quote")
        plot.ask(3, place, 1_000)
        plot.crowd(2, place, first=4)
    return plot.script()


def all_at_once(seed: int) -> Script:
    """Over-pool, a late write and every other fault in one deployment, an hour of it."""
    plot = Plot("all_at_once", seed)
    marker = "".join(plot.rng.choices("BCDFGHJKLMNPQRSTVWXZ23456789", k=26))
    kept = plot.ask(0, A0, 1_100, asks=f"marker:{marker}")
    plot.crowd(3, A0, first=1)
    plot.long(5, A0, style="verbatim")
    plot.ask(4, B0, 1_400, gap=9.0, patience=20.0, stalls=True, lands_after=5.8, lands_seen=True, stream=False)
    plot.long(5, B0, gap=46.0, style="verbatim")
    plot.ask(6, B0, 2_500, gap=75.0, style="verbatim")
    plot.at += 130
    plot.ask(7, A1, 1_000, fault=Fault("checksum", source=plot.ask(8, A1, 1_200)), style="verbatim")
    plot.ask(1, A1, 1_000, fault=Fault("collision", source=plot.ask(2, A1, 1_100, gap=0.5)))
    for who in range(4):
        plot.ask(who, A1, plot.rng.randrange(2_500, 2_900))
    plot.ask(5, A1, 3_000, fault=Fault("short", tokens=500), style="verbatim")
    beside = plot.ask(6, SOLO, 1_200, gap=0.5, asks="quote")
    plot.ask(7, SOLO, 1_000, fault=Fault("freed", source=beside), style="verbatim")
    plot.ask(3, B0, 1_000, fault=Fault("replay", source=kept))
    plot.ask(8, B0, 1_000, fault=Fault("marker", source=kept, said=marker))
    first = plot.ask(1, SOLO, 1_200, gap=0.6)
    plot.ask(2, B0, 1_100, fault=Fault("swapped", source=first))
    script = plot.script(_with_solo(canary="log"))
    return replace(script, world=replace(script.world, markers=((plot.tenant(0), marker),)))


def _watched(world: World, *, checksum: bool = False, canary: str = "") -> World:
    """Returns ``world`` with detectors of its engines switched on."""
    workers = tuple(replace(worker, checksum=checksum, canary=canary) for worker in world.workers)
    return replace(world, workers=workers)


def _with_solo(canary: str = "") -> World:
    """Returns the usual machines and one that serves another model by itself, both phases on one node."""
    world = machines()
    solo = Worker(SOLO, "unified", PLAIN, "10.31.3.51", 30000, 9_600, tp=1, request_log="none", canary=canary)
    routes = {f"{side}{SOLO}": (None, SOLO, 0) for side in "pq"}
    return replace(world, workers=(*world.workers, solo), routes={**world.routes, **routes})


_WORLDS: Final = (
    partial_transfers,
    checksums,
    collisions,
    freed_pages,
    mixed_up,
    canaries,
    swapped_answers,
    all_at_once,
)
FAULTY: Final[Mapping[str, Callable[[int], Script]]] = {each.__name__: each for each in _WORLDS}
EVERY: Final[Mapping[str, Callable[[int], Script]]] = {**WORLDS, **FAULTY}
