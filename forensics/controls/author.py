"""Who writes what is planted: records, the answers of a healthy model, and answers from other tenants' pages."""

import random
from typing import Final

from forensics.controls.manners import CLASSES
from forensics.controls.record import Sent, record, sent
from forensics.scenario.author import Served
from forensics.scenario.exchanges import Exchange, Plan, Response, Words
from forensics.scenario.texts import Asked

QUESTION: Final = "Which entry comes next, and what is still owed?"
PUBLIC: Final = (
    "Whoever keeps the harbour light shall trim it at dusk, at midnight and before the first boats go out; shall write "
    "down every sail that passes, its rig and its bearing; shall ring the bell in fog, two strokes and a pause; and "
    "shall not sleep while a lantern is seen to move upon the water."
)
"""A text that the planted case declares as public."""


class ControlAuthor:
    """Writes the control world. Every record is leaked at most once, so that its reader is its only one.

    Of a plan, ``style`` names the text class of a leak, and ``asks`` what is said without one: ``forward:KEY`` sends
    that answer on as history, ``marker:WORD`` asks with that word, ``echo`` has the answer repeat its own prompt,
    ``public`` recite a public text.
    """

    def __init__(self) -> None:
        self._leaked: set[str] = set()

    def prompt(self, plan: Plan, served: Served, rng: random.Random) -> Asked:
        """Returns the plan's prompt around a new record."""
        kind, _, earlier = plan.asks.partition(":")
        history = []
        if kind == "forward" and (said := served[earlier].response):
            history = [{"role": "assistant", "content": said.content}]
        question = f"{earlier} {QUESTION}" if kind == "marker" else QUESTION
        return sent(record(rng), plan.size, question, rng, history)

    def answer(self, exchange: Exchange, _served: Served, _rng: random.Random) -> Response:
        """Returns what the model says from the exchange's own pages."""
        own = exchange.prompt
        if exchange.plan.asks == "public" or not isinstance(own, Sent):
            return Response(PUBLIC)
        if exchange.plan.asks == "echo":
            return Response(" ".join(own.record.latin))
        told = own.record.facts
        return Response(f"{told['ref']}, {told['goods']}: {told['account']} ({told['mail']}).")

    def leak(self, exchange: Exchange, served: Served, own: str, rng: random.Random) -> Response:
        """Returns what is said from the pages of the latest owner that was not heard yet.

        Where the plan wants no leak, or no such owner is left, that is what the model should have said.
        """
        plan = exchange.plan
        if plan.style == "passed_on":
            return self._passed_on(exchange, served) or Response(own)
        if plan.style not in CLASSES:
            return Response(own)
        for key in self._owners(exchange, served):
            owner = served[key].prompt
            if key not in self._leaked and isinstance(owner, Sent):
                self._leaked.add(key)
                said = CLASSES[plan.style](owner.record, own, rng)
                words = Words(key, owner.record.text, said.raw, plan.style)
                return Response(said.content, said.reasoning, said.tool, said.finish, (words,))
        return Response(own)

    def shared(self, _exchange: Exchange, _prefill: str) -> int:
        """Nothing is cached."""
        return 0

    def _passed_on(self, exchange: Exchange, served: Served) -> Response | None:
        for key in self._owners(exchange, served):
            carried = served[key].carried
            if carried:
                return Response(carried[0].output_text, words=carried)
        return None

    @staticmethod
    def _owners(exchange: Exchange, served: Served) -> list[str]:
        """Returns the other tenants' exchanges whose tokens stand in the pages, the latest first."""
        owners = {run.owner for run in exchange.stale if run.owner}
        others = [
            key for key in owners if served[key].tenant != exchange.tenant and not served[key].rejected_by_prefill
        ]
        return sorted(others, key=lambda key: (-served[key].times.received, key))
