"""Prompts of any length that are kept as recipes: up to four megabytes of text each, made anew whenever they are read.

A sheet has fresh records in front, then, where it is long, numbered paragraphs of its tenant's own stock, then the
question. Tokens are counted part by part: the toy tokenizer never joins a piece across the seams used here.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from forensics.scenario import texts, tokens
from forensics.scenario.domains import Domain
from forensics.scenario.texts import Dossier, Message

PARAGRAPHS = 400
LONG = 2_400  # tokens from which a prompt is filled up with stock
FIGURES = 240  # about so many figures pad a prompt to its exact length at most
END_TOKENS = tokens.count(tokens.chat_text(()))


@dataclass(frozen=True)
class Stock:
    """A tenant's paragraphs and the tokens of each."""

    paragraphs: tuple[str, ...]
    sizes: tuple[int, ...]


@cache
def stock(domain: Domain) -> Stock:
    """Returns what a tenant has lying about, enough that hardly a paragraph stands twice within a few pages."""
    rng = random.Random(f"stock/{domain.prefix}/{domain.system}")
    made = [texts.dossier(domain, rng) for _ in range(PARAGRAPHS)]
    paragraphs = tuple(f"{item.ref}: {' '.join(item.sentences[:3])}" for item in made)
    return Stock(paragraphs, tuple(tokens.count(text) for text in paragraphs))


@dataclass(frozen=True)
class Filler:
    """Numbered paragraphs, about as many tokens as asked for and never more."""

    domain: Domain
    seed: str
    lines: int
    tokens: int

    @property
    def text(self) -> str:
        """The paragraphs, one a line."""
        return _lines(self.domain, self.seed, self.lines)


def filler(domain: Domain, seed: str, most: int) -> Filler:
    """Returns as many paragraphs as ``most`` tokens hold with their numbers and line ends."""
    sizes = np.asarray(stock(domain).sizes, dtype=np.int64)
    drawn = _drawn(domain, seed, most // int(sizes.min()) + 1)
    # "[", the number's digits by threes, "]" and the line end; the blank before the text joins its first piece.
    digits = np.char.str_len(np.arange(1, len(drawn) + 1).astype(np.str_))
    sums = np.cumsum(sizes[drawn] + 3 + (digits + 2) // 3)
    lines = int(np.searchsorted(sums, most, side="right"))
    return Filler(domain, seed, lines, int(sums[lines - 1]) if lines else 0)


@lru_cache(maxsize=1)
def _lines(domain: Domain, seed: str, lines: int) -> str:
    paragraphs = stock(domain).paragraphs
    return "".join([f"[{at}] {paragraphs[one]}\n" for at, one in enumerate(_drawn(domain, seed, lines), 1)])


def _drawn(domain: Domain, seed: str, number: int) -> list[int]:
    """Returns the first ``number`` paragraphs of a sequence that ``seed`` fixes."""
    return random.Random(seed).choices(range(len(stock(domain).sizes)), k=number)


@dataclass(frozen=True)
class Sheet:
    """One prompt: what came before, then a message of ``head``, filler and ``tail``.

    ``places`` are (first token, end, sentence, record) of every sentence of its fresh records.
    """

    opening: tuple[Message, ...]
    layout: str
    head: str
    tail: str
    filler: Filler | None
    dossiers: tuple[Dossier, ...]
    places: tuple[tuple[int, int, str, int], ...]
    tokens: int

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages as the client sent them."""
        body = self.head + (self.filler.text if self.filler else "") + self.tail
        if self.layout == "tool":
            return (*self.opening, {"role": "tool", "tool_call_id": "call_records", "content": body})
        if self.layout == "parts":
            return (*self.opening, {"role": "user", "content": [{"type": "text", "text": body}]})
        return (*self.opening, {"role": "user", "content": body})

    @property
    def text(self) -> str:
        """The prompt as the chat template makes it."""
        return tokens.chat_text(self.messages)


def sheet(
    domain: Domain,
    rng: random.Random,
    size: int,
    *,
    layout: str = "notes",
    system: str = "",
    extra: str = "",
    history: Sequence[Message] = (),
) -> Sheet:
    """Returns a prompt of ``size`` tokens, or of ``size`` more than ``history`` has.

    Where ``size`` is too small for the system text, one record and the question, the prompt is as short as it can be.
    """
    question = rng.choice(domain.questions)
    first = texts.dossier(domain, rng)
    asked = question.format(**first.facts)
    opening = _opening(layout, system or domain.system, history, asked)
    role = "tool" if layout == "tool" else "user"
    start = tokens.count(tokens.chat_text(opening)) - END_TOKENS + tokens.count(f"<|im_start|>{role}\n")
    close = f"\n\n{asked}" if layout != "tool" else ""
    closing = tokens.count(f"{close}<|im_end|>\n") + END_TOKENS
    earlier = tokens.count(tokens.chat_text(history)) - END_TOKENS if history else 0
    room = size + earlier - start - closing - tokens.count(f"\n{domain.readings}:")
    head, dossiers, places, used = _records(domain, rng, first, extra=extra, layout=layout, start=start, room=room)
    stuffing, seed = None, f"{rng.getrandbits(64):x}"
    if room - used > FIGURES:
        stuffing = filler(domain, seed, room - used - FIGURES // 2)
        used += stuffing.tokens
    figures = "".join(f" {rng.randrange(10, 999)}" for _ in range(max(0, room - used)))
    tail = f"\n{domain.readings}:{figures}{close}" if figures else close
    total = start + closing + used + (tokens.count(f"\n{domain.readings}:{figures}") if figures else 0)
    return Sheet(opening, layout, head, tail, stuffing, dossiers, places, total)


def _records(
    domain: Domain, rng: random.Random, first: Dossier, *, extra: str, layout: str, start: int, room: int
) -> tuple[str, tuple[Dossier, ...], tuple[tuple[int, int, str, int], ...], int]:
    """Returns as many records as fit (of a long prompt only the first dozen) with the places of their sentences."""
    most = 12 if room > LONG else room
    parts = [f"PASSAGE\n{extra}\n\n"] if extra else []
    used = tokens.count(parts[0]) if parts else 0
    dossiers: list[Dossier] = []
    places: list[tuple[int, int, str, int]] = []
    while len(dossiers) < most or not dossiers:
        item = texts.dossier(domain, rng) if dossiers else _shortened(first, room - used)
        before, between = _frame(item, len(dossiers) + 1, layout)
        sizes = [tokens.count(sentence) for sentence in item.sentences]
        gap = tokens.count(between) if between != " " else 0
        size = tokens.count(before) + sum(sizes) + gap * (len(sizes) - 1) + 2
        if dossiers and size > room - used:
            break
        at = start + used + tokens.count(before)
        for sentence, width in zip(item.sentences, sizes, strict=True):
            places.append((at, at + width, sentence, len(dossiers)))
            at += width + gap
        parts.append(f"{before}{between.join(item.sentences)}\n\n")
        dossiers.append(item)
        used += size
    return "".join(parts), tuple(dossiers), tuple(places), used


def _shortened(item: Dossier, room: int) -> Dossier:
    """Returns the record with as many of its sentences as a small prompt holds, two at least."""
    kept, used = 0, 30
    for sentence in item.sentences:
        used += tokens.count(sentence)
        if used > room and kept >= 2:
            break
        kept += 1
    return replace(item, sentences=item.sentences[:kept])


def _frame(item: Dossier, number: int, layout: str) -> tuple[str, str]:
    """Returns what stands before a record and between its sentences."""
    if layout == "mail":
        return f"From: {item.facts['mail']}\nSubject: {item.title}\n\n", "\n"
    return f"[{number}] {item.title}\n", " "


def _opening(layout: str, system: str, history: Sequence[Message], asked: str) -> tuple[Message, ...]:
    opening: list[Message] = [*history] if history else [{"role": "system", "content": system}]
    if layout == "tool":
        call = {
            "id": "call_records",
            "type": "function",
            "function": {"name": "find_records", "arguments": '{"limit": 5}'},
        }
        opening += [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": None, "tool_calls": [call]},
        ]
    return tuple(opening)
