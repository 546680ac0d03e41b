"""Who writes what is said in a world: prompts, healthy answers, and answers from other people's pages."""

import random
from collections.abc import Mapping
from typing import Protocol

from forensics.scenario import asking, tokens, voice
from forensics.scenario.exchanges import Exchange, Plan, Response
from forensics.scenario.texts import Asked
from forensics.scenario.world import World

Served = Mapping[str, Exchange]


class Author(Protocol):
    """Writes the texts of one run. Dice come seeded, one for each exchange and purpose."""

    def prompt(self, plan: Plan, served: Served, rng: random.Random) -> Asked:
        """Returns what the client of ``plan`` asks; ``served`` are the exchanges so far."""
        ...

    def answer(self, exchange: Exchange, served: Served, rng: random.Random) -> Response:
        """Returns what the model says from the exchange's own KV."""
        ...

    def leak(self, exchange: Exchange, served: Served, own: str, rng: random.Random) -> Response:
        """Returns what the model says from ``exchange.stale``; ``own`` is what it should have said."""
        ...

    def shared(self, exchange: Exchange, prefill: str) -> int:
        """Returns how many tokens at the start of the prompt worker ``prefill`` has computed before, and notes it."""
        ...


class StoryAuthor:
    """Writes a small story: every prompt in memory, prefixes compared token by token."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._prefixes: dict[str, list[list[int]]] = {}

    def prompt(self, plan: Plan, served: Served, rng: random.Random) -> Asked:
        """Returns the prompt of ``plan``, exactly ``plan.size`` tokens long."""
        return asking.prompt_for(plan, self.world, served, rng)

    def answer(self, exchange: Exchange, served: Served, rng: random.Random) -> Response:
        """Returns an answer from the exchange's own records."""
        return asking.own_response(exchange, self.world, served, rng)

    def leak(self, exchange: Exchange, served: Served, own: str, rng: random.Random) -> Response:
        """Returns sentences that stand whole in the stale pages."""
        return voice.speak(exchange, voice.heard(exchange.stale, served), own, rng)

    def shared(self, exchange: Exchange, prefill: str) -> int:
        """Returns the longest common prefix with an earlier prompt of that worker."""
        mine = tokens.ids(exchange.prompt.text)
        kept = self._prefixes.setdefault(prefill, [])
        longest = max((_common(mine, other) for other in kept), default=0)
        kept.append(mine)
        return longest


def _common(left: list[int], right: list[int]) -> int:
    return next(
        (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )
