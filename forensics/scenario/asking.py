"""What clients ask and what a healthy model answers: the prompts of a story and the answers nothing leaked into."""

import json
import random
from collections.abc import Mapping

from forensics.scenario import texts
from forensics.scenario.exchanges import Exchange, Plan, Response
from forensics.scenario.texts import Message, Prompt
from forensics.scenario.world import World

# An ordinary name that two tenants' records share, as names do.
SHARED_NAME = "Maria Kellermann"


def prompt_for(plan: Plan, world: World, served: Mapping[str, Exchange], rng: random.Random) -> Prompt:
    """Returns the prompt of ``plan``, exactly ``plan.size`` tokens long.

    ``served`` are the exchanges so far; ``plan.asks`` may refer to one, as ``again:KEY`` does for a next turn.
    """
    tenant = world.tenant(plan.tenant)
    kind, _, argument = plan.asks.partition(":")
    system = tenant.domain.system
    if tenant.name in world.boilerplate_holders:
        system = f"{world.boilerplate} {system}"
    extra = ""
    history: list[Message] = []
    if kind == "public":
        extra = f"PASSAGE\n{world.public_texts[int(argument)]}"
    elif kind == "name":
        extra = f"Contact for all questions is {SHARED_NAME}."
    elif kind == "again":
        earlier = served[argument]
        answer = earlier.response.content if earlier.response else ""
        history = [*_user_turns(earlier.prompt), {"role": "assistant", "content": answer}]
    if world.hostile:
        extra = f"{extra}\n{rng.choice(world.hostile)}".strip()
    return texts.prompt(tenant.domain, rng, plan.size, layout=plan.layout, system=system, extra=extra, history=history)


def own_response(
    exchange: Exchange, world: World, served: Mapping[str, Exchange], rng: random.Random
) -> Response:
    """Returns what the model answers from the exchange's own KV."""
    kind, _, argument = exchange.plan.asks.partition(":")
    answer = texts.answer(exchange.tenant.domain, exchange.prompt.dossiers, rng)
    if kind == "boilerplate":
        return Response("My instructions begin: " + _first_sentences(world.boilerplate, 3))
    if kind == "quote":
        item = rng.choice(exchange.prompt.dossiers)
        return Response(f"{item.ref}: " + " ".join(item.sentences[:3]))
    if kind == "public":
        return Response(f"The passage reads: {_first_sentences(world.public_texts[int(argument)], 2)} {answer}")
    if kind == "name":
        return Response(f"{answer} Please write to {SHARED_NAME}.")
    if kind in ("again", "recall"):
        earlier = served[argument]
        return Response(f"{' '.join(earlier.prompt.dossiers[0].sentences[:2])} {answer}")
    if kind == "reasoning":
        thought = "Let me check the record first. " + " ".join(exchange.prompt.dossiers[0].sentences[:2])
        return Response(answer, reasoning=thought)
    if kind == "tool":
        wanted = {"ref": exchange.prompt.dossiers[0].ref, "fields": ["status", "amount"]}
        return Response("", tool=("find_records", json.dumps(wanted)))
    return Response(answer)


def _user_turns(prompt: Prompt) -> list[Message]:
    return [message for message in prompt.messages if message["role"] == "user"]


def _first_sentences(text: str, number: int) -> str:
    return ". ".join(text.split(". ")[:number]).rstrip(".") + "."
