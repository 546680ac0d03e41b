"""Who writes in the incident: prompts as sheets, answers of fitted lengths, and what is said from stale pages."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from forensics.scenario import arrivals, asking, tokens, voice
from forensics.scenario.author import Served
from forensics.scenario.exchanges import Exchange, Plan, Response
from forensics.scenario.pool import StaleRun
from forensics.scenario.sheets import END_TOKENS, Sheet, sheet
from forensics.scenario.texts import Asked, Message
from forensics.scenario.voice import Heard
from forensics.scenario.world import World

LONGEST_ANSWER = 420
ENOUGH = 4  # sentences in a row that must stand whole in the pages to be said
RECENT = 8  # of so many latest owners one is heard


class IncidentAuthor:
    """Writes two weeks of a large world without keeping its long texts."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: Counter[tuple[str, str]] = Counter()

    def prompt(self, plan: Plan, served: Served, rng: random.Random) -> Asked:
        """Returns the plan's prompt; a next turn is as much longer than what went before as the plan says."""
        tenant = self.world.tenant(plan.tenant)
        kind, _, argument = plan.asks.partition(":")
        system = tenant.domain.system
        if tenant.name in self.world.boilerplate_holders:
            system = f"{self.world.boilerplate} {system}"
        extra = self.world.public_texts[int(argument)] if kind == "public" else ""
        if kind == "name":
            extra = f"Contact for all questions is {asking.SHARED_NAME}."
        history: Sequence[Message] = ()
        if kind == "again" and served[argument].response:
            earlier = served[argument]
            said = earlier.response.content if earlier.response else ""
            history = (*earlier.prompt.messages, {"role": "assistant", "content": said})
        return sheet(tenant.domain, rng, plan.size, layout=plan.layout, system=system, extra=extra, history=history)

    def answer(self, exchange: Exchange, served: Served, rng: random.Random) -> Response:
        """Returns an answer from the exchange's own records, about as long as the fitted figures say."""
        answer = asking.own_response(exchange, self.world, served, rng)
        if answer.tool:
            return answer
        said, wanted = [answer.content], min(LONGEST_ANSWER, arrivals.lengths(rng)[1])
        have = answer.tokens
        for item in exchange.prompt.dossiers:
            for sentence in item.sentences:
                if have >= wanted:
                    break
                said.append(sentence)
                have += tokens.count(sentence)
        return replace(answer, content=" ".join(said))

    def leak(self, exchange: Exchange, served: Served, own: str, rng: random.Random) -> Response:
        """Returns what is said from the pages of another tenant, most likely one that was served lately."""
        return voice.speak(exchange, self._heard(exchange, served, rng), own, rng)

    def shared(self, exchange: Exchange, prefill: str) -> int:
        """Returns the tokens of the turns before, or of the tenant's system text, if ``prefill`` computed them."""
        kind, _, earlier = exchange.plan.asks.partition(":")
        self._known[exchange.key, prefill] += 1
        if kind == "again" and self._known[earlier, prefill] and isinstance(exchange.prompt, Sheet):
            return tokens.count(tokens.chat_text(exchange.prompt.opening[:-1])) - END_TOKENS
        self._known[exchange.tenant.name, prefill] += 1
        if self._known[exchange.tenant.name, prefill] == 1:
            return 0
        return tokens.count(tokens.chat_text(exchange.prompt.messages[:1])) - END_TOKENS

    def _heard(self, exchange: Exchange, served: Served, rng: random.Random) -> list[Heard]:
        runs: dict[str, list[StaleRun]] = {}
        for run in exchange.stale:
            if run.owner and served[run.owner].tenant != exchange.tenant:
                runs.setdefault(run.owner, []).append(run)
        latest = sorted(runs, key=lambda key: (-served[key].times.released, key))
        found: list[Heard] = []
        for key in latest:
            owner = served[key]
            whole = _whole(owner, runs[key])
            if len(whole) >= ENOUGH:
                found.append(Heard(owner, sum(run.tokens for run in runs[key]), whole))
            if len(found) == RECENT:
                break
        # Each is half as likely as the one served after it.
        weights = [0.5**place for place in range(len(found))]
        order: list[Heard] = []
        while found and len(order) < 2:
            chosen = rng.choices(range(len(found)), weights)[0]
            order.append(found.pop(chosen))
            weights.pop(chosen)
        return order


def _whole(owner: Exchange, runs: Sequence[StaleRun]) -> tuple[str, ...]:
    """Returns the sentences of the owner's records that stand whole in the runs."""
    if not isinstance(owner.prompt, Sheet):
        return ()
    return tuple(
        sentence
        for first, end, sentence, _ in owner.prompt.places
        if any(run.first <= first and end <= run.last for run in runs)
    )
