"""Prompts kept as recipes: the tokens they claim, the sentences they place, the same text every time."""
# ruff: noqa: S311 - dice

import random

import pytest

from forensics.scenario import domains, sheets, tokens
from forensics.scenario.domains import Domain
from forensics.scenario.trades import trade

TRADES = (
    trade("Amberline Freight", "en", "AF"),
    trade("Oderbruch Technik", "de", "OT"),
    trade("Река и Порт", "ru", "RP"),
    trade("한결상사", "ko", "HG"),
    domains.DELIVERY,
    domains.RISK,
    domains.INSURANCE,
)


@pytest.mark.parametrize("domain", TRADES, ids=lambda domain: domain.prefix)
@pytest.mark.parametrize("layout", ["notes", "mail", "tool", "parts"])
@pytest.mark.parametrize("size", [240, 900, 2_600, 20_001])
def test_a_sheet_is_as_long_as_asked_and_its_sentences_stand_where_it_says(
    domain: Domain, layout: str, size: int
) -> None:
    made = sheets.sheet(domain, random.Random(f"{layout}/{size}"), size, layout=layout, extra="Alice was beginning.")
    text = made.text
    assert made.tokens == tokens.count(text)
    assert made.tokens == size or size < 300
    spans = tokens.spans(text)
    for first, end, sentence, _ in made.places:
        assert text[spans[first][0] : spans[end - 1][1]].strip() == sentence


def test_the_next_turn_holds_the_turns_before() -> None:
    first = sheets.sheet(TRADES[0], random.Random(1), 700)
    history = (*first.messages, {"role": "assistant", "content": "It stays open."})
    second = sheets.sheet(TRADES[0], random.Random(2), 600, history=history)
    assert second.messages[: len(history)] == history
    assert second.tokens == tokens.count(second.text)
    assert second.text.startswith(tokens.chat_text(first.messages).removesuffix("<|im_start|>assistant\n"))


def test_every_tenant_has_its_own_sentences() -> None:
    mine, theirs = (set(trade(name, "en", "XX").sentences) for name in ("Amberline Freight", "Bexley Reinsurance"))
    assert len(mine & theirs) <= 1
    assert trade("Amberline Freight", "en", "AF") == TRADES[0]
