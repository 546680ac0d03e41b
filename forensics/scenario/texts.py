"""Records, prompts and plain answers of a story: varied, plausible, and exactly as many tokens long as asked."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from forensics.scenario import tokens
from forensics.scenario.domains import Domain
from forensics.scenario.words import FILLERS

Message = dict[str, Any]


@dataclass(frozen=True)
class Dossier:
    """One record of a tenant: its reference, its sentences, and the facts that fill them."""

    ref: str
    title: str
    sentences: tuple[str, ...]
    facts: Mapping[str, str]


class Asked(Protocol):
    """What a client sent, however it is kept: messages, records inside, the text that the engine sees, its tokens."""

    @property
    def messages(self) -> Sequence[Message]: ...
    @property
    def dossiers(self) -> Sequence[Dossier]: ...
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> int: ...


@dataclass(frozen=True)
class Prompt:
    """Messages as the client sends them, the text the engine sees, and the records inside."""

    messages: tuple[Message, ...]
    dossiers: tuple[Dossier, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    text: str = field(default="", compare=False)

    @cached_property
    def tokens(self) -> int:
        """How long the prompt is for the engine."""
        return tokens.count(self.text)


def dossier(domain: Domain, rng: random.Random, spice: Sequence[str] = ()) -> Dossier:
    """Returns a new record: four to six sentences of the trade in an order of their own, then one of ``spice``."""
    facts = FILLERS[domain.language](rng)
    facts["ref"] = f"{domain.prefix}-{rng.randrange(10_000, 99_999)}"
    chosen = rng.sample(domain.sentences, k=min(len(domain.sentences), rng.randrange(4, 7)))
    sentences = [sentence.format(**facts) for sentence in chosen]
    if spice:
        sentences.append(f"{rng.choice(spice)} {facts['ref']}")
    return Dossier(facts["ref"], domain.title.format(**facts), tuple(sentences), facts)


def prompt(
    domain: Domain,
    rng: random.Random,
    size: int,
    *,
    layout: str = "notes",
    system: str | None = None,
    extra: str = "",
    question: str | None = None,
    history: Sequence[Message] = (),
    spice: Sequence[str] = (),
) -> Prompt:
    """Returns a prompt of exactly ``size`` tokens (chat template included).

    ``layout`` is how the records stand in it: ``notes``, ``mail``, ``tool`` (result of a function call) or ``parts``
    (a list of content parts). ``extra`` is text put before the records; ``history`` are earlier turns,
    ``spice`` sentences of which each record gets one.
    """
    dossiers = [dossier(domain, rng, spice)]
    asked = question or rng.choice(domain.questions)

    def built(readings: int) -> Prompt:
        row = _readings(domain, rng_rows, readings)
        body = "\n\n".join(part for part in (extra, _records(dossiers, layout), row) if part)
        messages = _messages(layout, system or domain.system, list(history), body, asked.format(**dossiers[0].facts))
        return Prompt(tuple(messages), tuple(dossiers), text=tokens.chat_text(messages))

    rng_rows = [rng.randrange(10, 999) for _ in range(size)]
    room = size - built(1).tokens
    while room > 0:
        dossiers.append(dossier(domain, rng, spice))
        room -= tokens.count(_records(dossiers[-1:], layout))
    while len(dossiers) > 1 and built(1).tokens > size:
        dossiers.pop()
    return _fitted(built, size)


def _fitted(built: Any, size: int) -> Prompt:
    readings = 0
    for _ in range(40):
        candidate: Prompt = built(readings)
        missing = size - candidate.tokens
        if missing == 0:
            return candidate
        readings = max(0, readings + missing)
    raise ValueError(f"no prompt of exactly {size} tokens can be built; its records alone need more")


def answer(domain: Domain, about: Sequence[Dossier], rng: random.Random) -> str:
    """Returns an ordinary answer from the recipient's own records."""
    return rng.choice(domain.answers).format(**about[0].facts)


def _records(dossiers: Sequence[Dossier], layout: str) -> str:
    if layout == "mail":
        return "\n".join(
            f"From: {item.facts['mail']}\nSubject: {item.title}\n\n" + "\n".join(item.sentences) + "\n--\n"
            for item in dossiers
        )
    if layout == "tool":
        found = [{"title": item.title, "ref": item.ref, "text": list(item.sentences)} for item in dossiers]
        return json.dumps({"results": found}, ensure_ascii=False)
    return "\n\n".join(
        f"[{number}] {item.title}\n" + " ".join(item.sentences) for number, item in enumerate(dossiers, 1)
    )


def _readings(domain: Domain, rows: Sequence[int], number: int) -> str:
    return f"{domain.readings}:" + "".join(f" {row}" for row in rows[:number]) if number else ""


def _messages(layout: str, system: str, history: list[Message], body: str, question: str) -> list[Message]:
    opening: list[Message] = [{"role": "system", "content": system}, *history]
    if layout == "tool":
        call = {
            "id": "call_records",
            "type": "function",
            "function": {"name": "find_records", "arguments": json.dumps({"limit": 5})},
        }
        return [
            *opening,
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_records", "content": body},
        ]
    if layout == "parts":
        return [*opening, {"role": "user", "content": [{"type": "text", "text": f"{question}\n\n{body}"}]}]
    return [*opening, {"role": "user", "content": f"{body}\n\n{question}"}]
