"""What clients ask and what a healthy model answers: the prompts of a story and the answers nothing leaked into."""

import json
import random
from collections.abc import Mapping

from forensics.scenario import texts
from forensics.scenario.exchanges import Exchange, Plan, Response
from forensics.scenario.texts import Asked, Message
from forensics.scenario.world import World

# An ordinary name that two tenants' records share, as names do.
SHARED_NAME = "Maria Kellermann"


def prompt_for(plan: Plan, world: World, served: Mapping[str, Exchange], rng: random.Random) -> Asked:
    """Returns the prompt of ``plan``, exactly ``plan.size`` tokens long.

    ``served`` are the exchanges so far; ``plan.asks`` may refer to one: ``again:KEY`` is its next turn, ``forward:KEY``
    sends its answer on without what was asked, ``retry:KEY`` asks the same once more.
    """
    tenant = world.tenant(plan.tenant)
    kind, _, argument = plan.asks.partition(":")
    if kind == "retry":
        return served[argument].prompt
    system = tenant.domain.system
    if tenant.name in world.boilerplate_holders:
        system = f"{world.boilerplate} {system}"
    extra = ""
    history: list[Message] = []
    if kind == "public":
        extra = f"PASSAGE\n{world.public_texts[int(argument)]}"
    elif kind == "marker":
        extra = f"Our reference is {argument}."
    elif kind == "name":
        extra = f"Contact for all questions is {SHARED_NAME}."
    elif kind == "again":
        earlier = served[argument]
        answer = earlier.response.content if earlier.response else ""
        history = [*_user_turns(earlier.prompt), {"role": "assistant", "content": answer}]
    elif kind == "forward":
        earlier = served[argument]
        answer = earlier.response.content if earlier.response else ""
        history = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": answer}]
    return texts.prompt(
        tenant.domain,
        rng,
        plan.size,
        layout=plan.layout,
        system=system,
        extra=extra,
        history=history,
        spice=world.hostile,
    )


def own_response(exchange: Exchange, world: World, served: Mapping[str, Exchange], rng: random.Random) -> Response:
    """Returns what the model answers from the exchange's own KV."""
    kind, _, argument = exchange.plan.asks.partition(":")
    answer = texts.answer(exchange.tenant.domain, exchange.prompt.dossiers, rng)
    first = exchange.prompt.dossiers[0]
    if kind == "tool":
        return Response("", tool=("find_records", json.dumps({"ref": first.ref, "fields": ["status", "amount"]})))
    if kind == "reasoning":
        return Response(answer, reasoning="Let me check the record first. " + " ".join(first.sentences[:2]))
    said = {
        "plain": [answer],
        "boilerplate": ["My instructions begin:", _first_sentences(world.boilerplate, 3)],
        "quote": [f"{first.ref}:", *first.sentences[:3]],
        "public": ["The passage reads:", _passage(world, argument), answer],
        "name": [answer, f"Please write to {SHARED_NAME}."],
        "marker": [answer],
        "forward": [answer],
        "again": [*_earlier(served, argument), answer],
        "retry": [answer],
        "recall": [*_earlier(served, argument), answer],
    }
    return Response(" ".join(said[kind]))


def _earlier(served: Mapping[str, Exchange], key: str) -> tuple[str, ...]:
    """What the same tenant wrote in exchange ``key``, if such there is; quoting it is no leak."""
    return served[key].prompt.dossiers[0].sentences[:2] if key in served else ()


def _passage(world: World, number: str) -> str:
    return _first_sentences(world.public_texts[int(number)], 2) if number.isdigit() else ""


def _user_turns(prompt: Asked) -> list[Message]:
    return [message for message in prompt.messages if message["role"] == "user"]


def _first_sentences(text: str, number: int) -> str:
    return ". ".join(text.split(". ")[:number]).rstrip(".") + "."
