"""What leaks in ``benchmarks/leaks.py``: kinds of texts, the manners in which they are said, and the world around."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from forensics.scenario import texts
from forensics.scenario.domains import DELIVERY, RISK, Domain
from forensics.scenario.exchanges import Exchange, Response, Words
from forensics.scenario.exchanges import Plan as Planned
from forensics.scenario.nights import DAY_S
from forensics.scenario.trades import trade
from forensics.scenario.words import FILLERS
from forensics.scenario.world import MAIN, Tenant, Worker, World
from forensics.scenario.worlds import Script

SHORTEST, LONGEST, LONGEST_DENSE = 60, 2_000, 1_200
POOL: Final = 3_008
PAGE: Final = 64
SOURCE, LONG = POOL - 90, POOL + 60

Manner = Callable[[str, random.Random], str]
"""What becomes of a passage when it is said."""


def as_is(text: str, _rng: random.Random) -> str:
    """Changes nothing."""
    return text


def recased(text: str, rng: random.Random) -> str:
    """All capitals, or every word with one."""
    return text.upper() if rng.random() < 0.5 else text.title()


def respaced(text: str, rng: random.Random) -> str:
    """Other blanks, line breaks, and a soft hyphen here and there."""
    return "".join(
        rng.choice(("  ", "\n", "\u00a0", " ", "\t")) + "\u00ad" * (rng.random() < 0.1) if c == " " else c for c in text
    )


def marked_up(text: str, rng: random.Random) -> str:
    """Markdown: bold words, list items, code ticks."""
    words = [
        f"**{word}**" if (dice := rng.random()) < 0.15 else f"`{word}`" if dice < 0.2 else word
        for word in text.split(" ")
    ]
    return "\n- ".join(" ".join(words[at : at + 9]) for at in range(0, len(words), 9))


def escaped(text: str, _rng: random.Random) -> str:
    """A JSON string within a JSON string."""
    return json.dumps(json.dumps(text))


def noisy(share: float) -> Manner:
    """Returns a manner that changes, loses or doubles this share of the letters and digits."""

    def garbled(text: str, rng: random.Random) -> str:
        pool = [c for c in text if c.isalnum()]
        said = []
        for c in text:
            if not c.isalnum() or rng.random() >= share:
                said.append(c)
            else:
                said.append(rng.choice((rng.choice(pool), "", c + rng.choice(pool))))
        return "".join(said)

    return garbled


def words_lost(text: str, rng: random.Random) -> str:
    """One word in ten is lost, doubled, or changes places with the next."""
    words = text.split(" ")
    said: list[str] = []
    for word in words:
        dice = rng.random()
        if dice < 0.04:
            continue
        said += [word, word] if dice < 0.07 else [said.pop(), word][::-1] if dice < 0.1 and said else [word]
    return " ".join(said)


def relaid(text: str, _rng: random.Random) -> str:
    """Rows of a table as items of a list."""
    return "\n".join("- " + " · ".join(row.split(",")) for row in text.split("\n"))


def reindented(text: str, _rng: random.Random) -> str:
    """Code with tabs, in a block of its own."""
    return "```python\n" + text.replace("    ", "\t") + "\n```"


def prose(domain: Domain, rng: random.Random, letters: int) -> str:
    """Returns so many letters of a tenant's records as running text."""
    said: list[str] = []
    while alnum(" ".join(said)) < letters + 80:
        item = texts.dossier(domain, rng)
        said += [item.title + ".", *item.sentences]
    between = "" if domain.language in ("zh", "ja") else " "
    return cut(between.join(said), letters, rng, dense=not between)


def table(_domain: Domain, rng: random.Random, letters: int) -> str:
    """Returns so many letters of rows of names, places and figures."""
    rows: list[str] = []
    while alnum("".join(rows)) < letters:
        told = FILLERS[rng.choice(("en", "de"))](rng)
        rows.append(
            ",".join((told["person"], told["date"], told["amount"].replace(",", ""), told["code"], told["place"]))
        )
    return "\n".join(rows)


def code(_domain: Domain, rng: random.Random, letters: int) -> str:
    """Returns so many letters of a program."""
    lines: list[str] = []
    names = [f"{rng.choice(_VERBS)}_{rng.choice(_NOUNS)}" for _ in range(40)]
    while alnum("".join(lines)) < letters:
        name, other, thing = rng.choice(names), rng.choice(names), rng.choice(_NOUNS)
        number = rng.randrange(2, 9_000)
        lines += [
            f"def {name}_{number}({thing}, limit={rng.randrange(4, 900)}):",
            f"    for {thing}_row in {other}({thing}):",
            f"        if {thing}_row.{rng.choice(_NOUNS)} > {number}:",
            f"            {rng.choice(_NOUNS)}s.append({rng.choice(names)}({thing}_row, {rng.randrange(1, 60)}))",
            f"    return sorted({rng.choice(_NOUNS)}s, key=lambda each: each.{rng.choice(_NOUNS)})[:limit]",
        ]
    return "\n".join(lines)


_VERBS: Final = (
    "load",
    "merge",
    "parse",
    "clip",
    "settle",
    "sift",
    "weigh",
    "bind",
    "route",
    "poll",
    "trim",
    "fold",
    "rank",
    "drain",
)
_NOUNS: Final = (
    "ledger",
    "parcel",
    "tariff",
    "voucher",
    "berth",
    "sensor",
    "invoice",
    "tenant",
    "quota",
    "shard",
    "batch",
    "gasket",
    "depot",
    "cursor",
)

Write = Callable[[Domain, random.Random, int], str]


@dataclass(frozen=True)
class Kind:
    """One kind of leak: in which language what is written, and in what manner it is said."""

    languages: tuple[str, ...]
    write: Write
    say: Manner
    longest: int = LONGEST


LATIN, DENSE, OTHER = ("en", "de"), ("zh", "ja"), ("ru", "ko")
KINDS: Final[Mapping[str, Kind]] = {
    "verbatim": Kind(LATIN, prose, as_is),
    "re-cased": Kind(LATIN, prose, recased),
    "other blanks": Kind(LATIN, prose, respaced),
    "Markdown": Kind(LATIN, prose, marked_up),
    "escaped twice": Kind(LATIN, prose, escaped),
    "2 % garbled": Kind(LATIN, prose, noisy(0.02)),
    "5 % garbled": Kind(LATIN, prose, noisy(0.05)),
    "words lost": Kind(LATIN, prose, words_lost),
    "records": Kind(LATIN, table, relaid),
    "code": Kind(LATIN, code, reindented),
    "Chinese, Japanese": Kind(DENSE, prose, as_is, LONGEST_DENSE),
    "the same, 4 % garbled": Kind(DENSE, prose, noisy(0.04), LONGEST_DENSE),
    "Russian, Korean": Kind(OTHER, prose, as_is, LONGEST_DENSE),
}
OWN: Final = "nothing foreign"


def alnum(text: str) -> int:
    """Returns how many letters and digits a text has."""
    return sum(map(str.isalnum, text))


def cut(text: str, letters: int, rng: random.Random, *, dense: bool) -> str:
    """Returns a stretch of so many letters and digits, from a word's beginning to a word's end."""
    spare = max(0, alnum(text) - letters - 20)
    at, skip = 0, rng.randrange(spare + 1)
    while skip > 0 or not (dense or at == 0 or text[at - 1] == " "):
        skip -= text[at].isalnum()
        at += 1
    end, left = at, letters
    while end < len(text) and (left > 0 or (not dense and text[end] not in " \n")):
        left -= text[end].isalnum()
        end += 1
    return text[at:end]


@dataclass
class Author:
    """Writes both nights. A plan's ``style`` names the kind of what it sends (first night) or says (second)."""

    world: World
    passages: dict[str, tuple[str, str]] = field(default_factory=dict)
    said: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By key of the recipient: kind, and letters or digits of what it says of others."""
    leaked: set[str] = field(default_factory=set)

    def prompt(self, plan: Planned, _served: Mapping[str, Exchange], rng: random.Random) -> texts.Asked:
        """Returns a prompt with a passage of the kind, in the first night."""
        domain = self.world.tenant(plan.tenant).domain
        if plan.size > POOL:
            return texts.prompt(domain, rng, plan.size)
        kind = KINDS[plan.style]
        length = round(math.exp(rng.uniform(math.log(SHORTEST + 5), math.log(kind.longest))))
        passage = kind.write(domain, rng, length)
        self.passages[plan.key] = plan.style, passage
        return texts.prompt(domain, rng, plan.size, extra=passage)

    def answer(self, exchange: Exchange, _served: Mapping[str, Exchange], rng: random.Random) -> Response:
        """Returns an answer of its own."""
        return Response(texts.answer(exchange.tenant.domain, exchange.prompt.dossiers, rng))

    def leak(self, exchange: Exchange, served: Mapping[str, Exchange], own: str, rng: random.Random) -> Response:
        """Returns the passage of another tenant whose pages were read, after words of its own; each passage once."""
        amount: Counter[str] = Counter()
        for run in exchange.stale:
            if (
                run.owner in self.passages
                and served[run.owner].tenant != exchange.tenant
                and run.owner not in self.leaked
            ):
                amount[run.owner] += run.tokens
        if exchange.plan.style == OWN or not amount:
            self.said[exchange.key] = OWN, 0
            return Response(own)
        owner = min(amount, key=lambda key: (-amount[key], key))
        self.leaked.add(owner)
        kind, passage = self.passages[owner]
        said = KINDS[kind].say(passage, rng)
        self.said[exchange.key] = kind, alnum(said)
        words = Words(owner, passage, said, kind)
        return Response(f"{own}\n\n{said}\n\n{own if rng.random() < 0.5 else ''}".rstrip(), words=(words,))

    def shared(self, _exchange: Exchange, _prefill: str) -> int:
        """Nothing is cached."""
        return 0


def script(leaks: int, seed: int) -> Script:
    """Plans so many leaks on six ranks; a rank's pages are about those of what its tenants send in the first night."""
    rng = random.Random(f"leaks/{seed}")
    each = -(-leaks // 6)
    sources = each * LONG // SOURCE + 2
    pool = sources * -(-(SOURCE + 60) // PAGE) * PAGE
    tenants = tuple(_tenant(number, language) for number, language in enumerate(_LANGUAGES))
    workers = (
        Worker("prefill-a", "prefill", MAIN, "10.31.1.11", 30000, POOL),
        Worker("decode-a", "decode", MAIN, "10.31.2.21", 30001, pool, dp=3, request_level=3),
        Worker("decode-b", "decode", MAIN, "10.31.2.22", 30001, pool, dp=3, request_level=3),
    )
    ranks = [(name, rank) for name in ("decode-a", "decode-b") for rank in range(3)]
    routes = {f"{name}/{rank}": ("prefill-a", name, rank) for name, rank in ranks}
    kinds, plans = list(KINDS), []
    for number, route in enumerate(routes):
        for night, count in ((0, sources), (1, each)):
            for at in range(count):
                kind = kinds[(at + number) % len(kinds)]
                style = kind if night == 0 else OWN if at % 13 == 12 else kind
                able = [t for t in tenants if night or t.domain.language in KINDS[kind].languages]
                when = round(10 + number + night * DAY_S + at * 40 + rng.uniform(0, 20), 3)
                who, size = rng.choice(able).name, (SOURCE, LONG)[night]
                stream = rng.random() < 0.5
                plans.append(Planned(f"k{len(plans):04}", when, who, size, route, style=style, stream=stream))
    world = World(workers, tenants, "", frozenset(), (), routes=routes)
    return Script(world, tuple(plans))


_LANGUAGES: Final = ("en", "de", "zh", "ja", "ru", "ko") * 4


def _tenant(number: int, language: str) -> Tenant:
    name = f"tenant-{number:02}"
    domain = _dense(language, number) if language in DENSE else trade(name, language, f"T{number}")
    return Tenant(name, name.title(), domain)


def _dense(language: str, number: int) -> Domain:
    """Returns one of the two trades in Chinese and Japanese; several tenants share it, as trades are shared."""
    return replace(RISK if language == "zh" else DELIVERY, prefix=f"T{number}")
