"""The engine at its door: what it finds in damaged text, and that no text makes it slow."""

import base64
import random
import time

import numpy as np
import pytest

from forensics.match.engine import Match, Shelf, Text, match
from forensics.match.ledger import HOLDER, SOURCE

LEAK = (
    "Coroner Ysolde Marchetti noted at 04:17 that the brake line of lorry KX-5582 had been cut cleanly, "
    "and that 6,340 litres of solvent were missing from tank nine in Trondheim."
)
CHINESE = "调查员厉云舟在2027年5月8日凌晨发现仓库青松里156号的货物被换成了空箱，损失约580,798元。"


def found(response: str, source: str, *others: str) -> list[Match]:
    flags = np.array([SOURCE | HOLDER], dtype=np.uint8)
    texts = [Text("source", "birch", source), *(Text(f"o{i}", f"t{i}", other) for i, other in enumerate(others))]
    return match([Text("response", "cedar", response)], Shelf(texts), lambda _text: flags)


def bits(matches: list[Match], source: str = "source") -> float:
    return sum(m.span.bits_milli for m in matches if m.source_id == source) / 1000


def garble(text: str, rate: float, seed: int) -> str:
    dice = random.Random(seed)  # noqa: S311
    out = []
    for word in text.split(" "):
        roll = dice.random()
        if roll < rate / 4:
            continue
        if roll < rate / 2:
            out.append(word)
        elif roll < rate * 3 / 4 and len(word) > 3:
            word = word[0] + word[2] + word[1] + word[3:]  # noqa: PLW2901 - two characters swapped
        elif roll < rate:
            out.append("....")
        out.append(word)
    return " ".join(out)


@pytest.mark.parametrize(
    "damaged",
    [
        LEAK.upper(),
        LEAK.replace(" ", "\n> **", 3).replace(",", "**,"),
        LEAK.replace(" ", ""),
        LEAK[13:-17],
        LEAK.replace('"', '\\"').replace(" and", "\\nand"),
        garble(LEAK, 0.3, 1),
        garble(LEAK, 0.3, 2),
        "\u200b".join(LEAK),
    ],
)
def test_a_damaged_leak_is_found(damaged: str) -> None:
    around = "Thank you for waiting. {} I hope that this answers your question about the garden."
    assert bits(found(around.format(damaged), f"Case notes. {LEAK} End of notes.")) > 40


def test_fragments_between_own_words_are_found_with_exact_ends() -> None:
    first, second = LEAK[:98], LEAK[99:]
    response = f"Of course. {second} The tulips want sun and little water. {first} Anything else?"
    spans = sorted((m.span for m in found(response, LEAK)), key=lambda s: s.response_start)
    cut = [response[s.response_start : s.response_end] for s in spans if s.bits_milli > 20_000]
    assert [text.rstrip(",.") for text in cut] == [second.rstrip("."), first.rstrip(", ")]


def test_chinese_needs_no_spaces() -> None:
    response = f"这里是摘要：{CHINESE[3:-5]}谢谢。"
    (only,) = found(response, f"内部记录。{CHINESE}完毕。")
    assert response[only.span.response_start : only.span.response_end].rstrip("，") == CHINESE[3:-5].rstrip("，")
    assert only.span.bits_milli > 60_000


def test_what_others_hold_too_weighs_little() -> None:
    others = [f"Notes of {i}. {LEAK}" for i in range(7)]
    assert bits(found(f"So: {LEAK}", LEAK, *others)) < 12


def test_unrelated_texts_share_nothing() -> None:
    assert bits(found("Beans need warm soil and sun.", "The invoice is attached and needs approval.")) == 0


@pytest.mark.parametrize(
    "flood",
    [
        "hello" * 10_000,
        "a" * 4_000_000,
        "0" * 1_000_000,
        base64.b64encode(random.Random(5).randbytes(3_000_000)).decode(),  # noqa: S311
        "the same line again and again\n" * 20_000,
        "ﷺ" * 20_000,
        "\ud800" * 100_000,
        "\u202eשלום عليكم " * 20_000,
        "\\u4e2d\\n" * 50_000,
        "",
    ],
    ids=["hello", "one letter", "zeros", "base64", "lines", "expanding", "surrogates", "rtl", "escapes", "empty"],
)
def test_a_leak_beside_a_flood_is_found_in_time(flood: str) -> None:
    began = time.process_time()
    matches = found(f"{flood[:60_000]} {LEAK} {flood[:60_000]}", f"{flood} {LEAK} {flood}")
    assert time.process_time() - began < 20
    assert any(m.span.bits_milli > 20_000 for m in matches)
    # The flood itself is repetition, or nothing; only base64 is content, and is shared too.
    assert bits(matches) < 400 or flood[:4] not in {"hell", "aaaa", "0000"}


def test_a_flood_alone_weighs_nothing() -> None:
    for flood in ("hello" * 10_000, "a" * 100_000, "0" * 100_000, "the the the is is is " * 2_000):
        assert bits(found(flood[:50_000], flood)) < 12
