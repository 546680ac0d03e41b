"""What a planted tenant wrote: a record in several scripts, with names and figures that nobody else can hold."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from forensics.scenario import tokens
from forensics.scenario.texts import Dossier, Message

_SYLLABLES: Final = tuple(
    start + vowel
    for start in ("br", "c", "d", "sk", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "st", "t", "v", "z")
    for vowel in ("al", "en", "is", "or")
)  # fmt: skip
_HAN: Final = "岚杉溪砚榆澜楠骁钰珩霁芷蔚峥铮暄昀晖棠槿泓漪琛瑾璟翊苒荀菡蓼谧邈钧锴阙霖韫颀骐鸢"
_KANA: Final = "さくらみちよにほんかわやまとしがけのはら"
_CYRILLIC: Final = tuple(start + vowel for start in "бвгджзклмнпрстфхцчш" for vowel in "аеиоуыюя")


@dataclass(frozen=True)
class Record:
    """Sentences in Latin letters, one in ideographs and kana, one in Cyrillic, and the facts that stand in them."""

    latin: tuple[str, ...]
    ideographs: str
    cyrillic: str
    facts: Mapping[str, str]

    @property
    def text(self) -> str:
        """The record as its tenant sends it."""
        return "\n".join((*self.latin, self.ideographs, self.cyrillic))


def record(rng: random.Random) -> Record:
    """Returns a record that no other draw repeats."""
    facts = {
        "name": f"{_name(rng)} {_name(rng)}",
        "street": f"{_name(rng)}weg {rng.randrange(11, 99)}",
        "city": _name(rng),
        "mail": f"{_name(rng).lower()}.{_name(rng).lower()}@{_name(rng).lower()}.example",
        "date": f"{rng.randrange(1, 28)} {rng.choice(('March', 'June', 'October'))} {rng.randrange(1951, 2009)}",
        "account": f"{rng.randrange(10**9, 10**10)}",
        "ref": f"{_name(rng)[:3].upper()}-{rng.randrange(10_000, 99_999)}",
        "goods": f"{_name(rng).lower()} {_name(rng).lower()}",
    }
    latin = (
        "The tenancy of {name} at {street} in {city} ended after the boiler failed for the third time.",
        "{name}, born {date}, asked that the deposit go to account {account} and to nobody else.",
        "A crate of {goods} stayed behind under reference {ref} until the brother from {city} fetched it.",
        "Letters that came back were sent on to {mail}, as the neighbour at {street} had proposed.",
    )
    return Record(
        tuple(sentence.format(**facts) for sentence in latin),
        _ideographs(rng),
        _cyrillic(rng),
        facts,
    )


@dataclass(frozen=True)
class Sent:
    """A prompt with its record: what ``scenario`` asks of one."""

    messages: tuple[Message, ...]
    record: Record
    text: str
    tokens: int

    @property
    def dossiers(self) -> Sequence[Dossier]:
        """The record as ``scenario`` knows one."""
        kept = self.record
        return (Dossier(kept.facts["ref"], kept.facts["name"], kept.latin, kept.facts),)


def sent(kept: Record, size: int, question: str, rng: random.Random, history: Sequence[Mapping[str, Any]] = ()) -> Sent:
    """Returns a prompt around ``kept`` of at least ``size`` tokens; what is missing is filled with figures."""
    opening: list[Message] = [{"role": "system", "content": "Keep the caretaker's book."}, *map(dict, history)]

    def messages(rows: str) -> tuple[Message, ...]:
        return (*opening, {"role": "user", "content": f"{kept.text}\n{rows}\n{question}"})

    missing = size - tokens.count(tokens.chat_text(messages("")))
    rows = " ".join(str(rng.randrange(10, 999)) for _ in range(max(0, missing) + 1))
    text = tokens.chat_text(messages(rows))
    return Sent(messages(rows), kept, text, tokens.count(text))


def _name(rng: random.Random) -> str:
    return "".join(rng.sample(_SYLLABLES, 3)).capitalize()


def _ideographs(rng: random.Random) -> str:
    return "".join(rng.choice(_HAN if rng.random() < 0.75 else _KANA) for _ in range(60))


def _cyrillic(rng: random.Random) -> str:
    return " ".join("".join(rng.sample(_CYRILLIC, 4)).capitalize() for _ in range(10)) + "."
