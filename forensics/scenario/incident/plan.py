"""Two weeks of planned exchanges: ordinary traffic by the fitted figures, and the prompts that no pool could hold.

What is planned is who asks what, how long, when, and where the router sends it. Long prompts are drawn until the
published number of them can be answered; whether they are, and from whose pages, shows when they are served.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from forensics.scenario import arrivals
from forensics.scenario.exchanges import Plan
from forensics.scenario.incident import deployment as site
from forensics.scenario.incident.figures import AFFECTED, END, LAUNCH, REPORTED, REPRODUCED, RESTORED, UNLISTED, Figures
from forensics.scenario.world import World

ORDINARY, AFTER, WREN, LINNET = 3_000, 50, 220, 120
STYLES: Final = {
    "verbatim": 30,
    "garbled": 21,
    "truncated": 11,
    "mixed": 13,
    "paraphrased": 7,
    "reasoning": 6,
    "tool": 3,
    "incoherent": 9,
}
LAYOUTS: Final = {"notes": 6, "mail": 2, "tool": 1, "parts": 1}
QUIET: Final = 300.0  # seconds between two long prompts on one rank, so that its pages hold one at a time
TRIMMED, GIVES_UP = 0.035, 0.045


@dataclass
class Rank:
    """What the plan has sent to one decode rank: tokens since its process started, and the last long prompt."""

    filled: list[tuple[float, int]] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)


class Planner:
    """Draws one world's plans from one seed."""

    def __init__(self, world: World, figures: Figures, seed: int) -> None:
        self._world, self._figures = world, figures
        self._rng = random.Random(f"plan/{seed}")
        self._number = count(1)
        self._ranks = {rank: Rank() for rank in site.RANKS}
        weights = [1 / (place + 4) for place in range(len(site.CUSTOMERS))]
        order = self._rng.sample(site.CUSTOMERS, len(site.CUSTOMERS))
        self._tenants = dict(zip(order, weights, strict=True))

    def plans(self) -> list[Plan]:
        """Returns every plan, in the order of arrival."""
        ordinary = list(self._ordinary())
        long = list(self._long())
        others = [*self._after(), *self._other("wren", WREN), *self._other("linnet", LINNET)]
        return sorted((*ordinary, *long, *others), key=lambda plan: (plan.at, plan.key))

    def _plan(self, letter: str, at: float, tenant: str, size: int, route: str, **more: object) -> Plan:
        return Plan(f"{letter}{next(self._number):05}", at, tenant, size, route, **more)  # type: ignore[arg-type]

    def _ordinary(self) -> Iterator[Plan]:
        hours = arrivals.day_and_night(LAUNCH.hour, int(_seconds(UNLISTED) // 3600))
        hours[:14] = [3.5 * weight for weight in hours[:14]]  # a launch is busy
        asked: dict[str, Plan] = {}
        for at in arrivals.moments(self._rng, ORDINARY, hours):
            plan = self._one(at)
            earlier = asked.get(plan.tenant)
            if earlier and earlier.at > at - 3600 and self._rng.random() < arrivals.SEEN_BEFORE:
                route = earlier.route if self._rng.random() < 0.7 else plan.route
                plan = replace(plan, asks=f"again:{earlier.key}", layout="notes", route=route)
            elif plan.size < 6_000 and plan.patience is None and not plan.link_fails:
                asked[plan.tenant] = plan
            self._note(plan)
            yield plan
        for rank in site.RANKS:
            self._ranks[rank].filled.sort()

    def _one(self, at: float) -> Plan:
        rng = self._rng
        tenant = self._tenant()
        tokens, _ = arrivals.lengths(rng)
        least, most = self._figures.least + rng.randrange(40), self._figures.limit // 5
        size = min(most, max(least, round(tokens * self._scaled())))
        prefill, (decode, rank) = rng.choice(site.PREFILLS), rng.choice(site.RANKS)
        more: dict[str, object] = {"stream": rng.random() < 0.5}
        dice = rng.random()
        if dice < 0.012:
            more = {"stream": True, "leaves_after": rng.randrange(6, 30)}
        elif dice < 0.018:
            more["patience"] = round(2.0 + tokens / 5_000, 1)
        elif dice < 0.022:
            more["link_fails"] = True
        asks = rng.choices(
            ("plain", "boilerplate", "quote", "public:0", "public:1", "name", "reasoning"), (70, 6, 8, 3, 3, 3, 7)
        )
        layout = rng.choices(list(LAYOUTS), list(LAYOUTS.values()))[0]
        return self._plan("m", at, tenant, size, site.route(prefill, decode, rank), asks=asks[0], layout=layout, **more)

    def _scaled(self) -> float:
        """Ordinary lengths shrink less than pools do: a prompt needs its question and a record."""
        return 1.0 if self._figures.scale == 1.0 else 0.06

    def _tenant(self) -> str:
        return self._rng.choices(list(self._tenants), list(self._tenants.values()))[0]

    def _note(self, plan: Plan) -> None:
        _, decode, rank = self._world.routes[plan.route]
        self._ranks[decode, rank].filled.append((plan.at, plan.size))

    def _long(self) -> Iterator[Plan]:
        """Draws prompts beyond the limit until the published number of customers' ones can be answered."""
        hours = arrivals.day_and_night(LAUNCH.hour, int(_seconds(UNLISTED) // 3600))
        moments = iter(arrivals.moments(self._rng, 900, hours))
        wanted = [*self._figures.boundary, *self._figures.boundary]
        self._rng.shuffle(wanted)
        keep = 900 // (AFFECTED + 40)
        answered = 0
        drawn: list[Plan] = []
        for number, at in enumerate(moments):
            if number % keep:
                continue
            size = wanted.pop() if wanted and number % 3 == 0 else None
            plan = self._beyond(at, size)
            if plan is None and size is not None:
                wanted.append(size)
            if plan is not None:
                drawn.append(plan)
                answered += self._can_be_answered(plan)
            if answered == AFFECTED:
                break
        if answered != AFFECTED or wanted:
            raise ValueError(f"the plan found room for {answered} long prompts, {len(wanted)} lengths are left over")
        yield from drawn
        yield from self._probes()
        for _ in range(3):
            size = self._figures.context + self._rng.randrange(100, max(200, self._figures.context // 50))
            at = self._rng.uniform(1.0, _seconds(UNLISTED))
            yield self._plan("x", at, self._tenant(), size, site.route("prefill-a", "decode-a", 0))

    def _beyond(self, at: float, size: int | None, tenant: str | None = None, **more: object) -> Plan | None:
        """Returns a long prompt at ``at`` on some rank whose pages have all been used before, or None."""
        rng, figures = self._rng, self._figures
        tokens = size or arrivals.longer_than(rng, figures.limit, figures.context - 6)
        settings: dict[str, object] = {
            "style": rng.choices(list(STYLES), list(STYLES.values()))[0],
            "layout": rng.choices(list(LAYOUTS), list(LAYOUTS.values()))[0],
            "stream": rng.random() < 0.6,
            **more,
        }
        if size is None and rng.random() < TRIMMED:
            return self._plan("t", at, self._tenant(), tokens, "trimmed", **settings)
        if size is None and rng.random() < GIVES_UP:
            settings["patience"] = round(tokens / 60_000 + 1.5, 1)
        free = [rank for rank in site.RANKS if self._open(rank, at, tokens, size)]
        prefills = [name for name in site.PREFILLS if size is None or self._rejects(name, at, figures.limit)]
        if not free:
            return None
        decode, rank = rng.choice(free)
        self._ranks[decode, rank].busy.append(at)
        who = tenant or self._tenant()
        return self._plan("o", at, who, tokens, site.route(rng.choice(prefills), decode, rank), **settings)

    def _open(self, rank: tuple[str, int], at: float, tokens: int, size: int | None) -> bool:
        """Whether a rank is free for a long prompt, and has written enough since its start to use its pages again."""
        worker = self._world.worker(rank[0], _epoch(at))
        begun = worker.started - LAUNCH.timestamp()
        written = sum(size for when, size in self._ranks[rank].filled if begun <= when < at)
        wanted = 1.15 * (worker.pool - self._figures.limit)
        quiet = all(abs(at - other) > QUIET for other in self._ranks[rank].busy)
        settled = at - begun > 3600 and all(abs(at - _seconds(when)) > 900 for when in RESTARTS)
        return quiet and settled and written > wanted and (size is None or tokens < worker.limit)

    def _rejects(self, prefill: str, at: float, limit: int) -> bool:
        return self._world.worker(prefill, _epoch(at)).limit == limit

    def _can_be_answered(self, plan: Plan) -> bool:
        prefill, decode, _ = self._world.routes[plan.route]
        if prefill is None or plan.patience is not None:
            return False
        before, after = (self._world.worker(name, _epoch(plan.at)) for name in (prefill, decode))
        return before.limit <= plan.size < after.limit and not before.allow_auto_truncate

    def _probes(self) -> Iterator[Plan]:
        """A researcher's two, and the provider's own three next morning; none counts with the customers'."""
        for when, tenant, number in ((REPORTED, site.RESEARCHER, 2), (REPRODUCED, site.PLATFORM, 3)):
            made, at = 0, _seconds(when)
            while made < number:
                at += 137.0
                size = self._figures.pool + 1 + self._rng.randrange(1, self._figures.pool // 50)
                plan = self._beyond(at, size, tenant, client="curl", stream=True, style="verbatim", layout="notes")
                if plan is not None and self._can_be_answered(plan):
                    made += 1
                    yield plan

    def _after(self) -> Iterator[Plan]:
        """The model is back with a pool beyond its context; two long prompts are answered from their own pages."""
        at = _seconds(RESTORED)
        for moment in arrivals.moments(self._rng, AFTER, [1.0] * int((END - RESTORED).total_seconds() // 3600)):
            yield replace(self._one(at + moment), patience=None, link_fails=False)
        for rank in (("decode-a", 0), ("decode-b", 1)):
            size = self._figures.pool + self._rng.randrange(1_000, 2_000) * self._figures.page_size // 64
            yield self._plan(
                "r", at + self._rng.uniform(4_000, 9_000), self._tenant(), size, site.route("prefill-a", *rank)
            )

    def _other(self, route: str, number: int) -> Iterator[Plan]:
        hours = arrivals.day_and_night(LAUNCH.hour, int(_seconds(END) // 3600))
        most = self._world.worker(self._world.routes[route][1]).context - 400
        for at in arrivals.moments(self._rng, number, hours):
            plan = self._one(at)
            layout = "notes" if route == "linnet" else plan.layout
            yield replace(
                plan,
                key=f"w{plan.key[1:]}",
                route=route,
                size=min(plan.size, most, 20_000),
                layout=layout,
                patience=None,
                link_fails=False,
                leaves_after=None,
            )


RESTARTS: Final = (site.DECODE_B_RESTART, site.RAISED_FROM, site.RAISED_UNTIL)


def _seconds(when: datetime) -> float:
    return (when - LAUNCH) / timedelta(seconds=1)


def _epoch(at: float) -> float:
    return LAUNCH.timestamp() + at
