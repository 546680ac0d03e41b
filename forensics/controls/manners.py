"""In what manner a leaked text can stand in an answer: one function per text class, ``CLASSES`` names them.

A class takes the owner's record, what the model should have said, and seeded dice; a new one is a function in the list.
"""

import json
import random
from collections.abc import Callable
from itertools import zip_longest
from typing import Final

from forensics.controls.record import Record
from forensics.scenario.exchanges import Response

Manner = Callable[[Record, str, random.Random], Response]
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
PIECE: Final = 48  # characters of the source between two pieces of the answer's own


def verbatim(record: Record, _own: str, _rng: random.Random) -> Response:
    """Sentences as they stand."""
    return Response(" ".join(record.latin[:3]))


def marked_up(record: Record, own: str, _rng: random.Random) -> Response:
    """Other case and punctuation, and marks between the words."""
    said = "** ".join(word.upper() for word in " ".join(record.latin[:2]).replace(",", "").split())
    return Response(f"{own}\n- **{said}**")


def garbled(record: Record, _own: str, rng: random.Random) -> Response:
    """One character in twelve is another, doubled or lost."""
    return Response(_noise(" ".join(record.latin), _LETTERS, rng))


def words_lost(record: Record, _own: str, rng: random.Random) -> Response:
    """One word in seven is dropped, doubled or turned."""
    words: list[str] = []
    for word in " ".join(record.latin).split():
        dice = rng.random()
        words += [] if dice < 0.05 else [word, word] if dice < 0.1 else [word[::-1]] if dice < 0.14 else [word]
    return Response(" ".join(words))


def cut(record: Record, _own: str, _rng: random.Random) -> Response:
    """The answer ends in the middle of the second sentence."""
    return Response(f"{record.latin[0]} {record.latin[1][:40]}", finish="length")


def short(record: Record, own: str, _rng: random.Random) -> Response:
    """One sentence's part of about sixty letters, in an answer that is otherwise its own."""
    return Response(f"{own} {record.latin[1][:72]} {own}")


def interleaved(record: Record, own: str, _rng: random.Random) -> Response:
    """Pieces of the source alternate with pieces of the answer."""
    source = _pieces(" ".join(record.latin), PIECE)
    mine = _pieces(own * 4, 30)
    said = [piece for pair in zip_longest(source, mine[: len(source)], fillvalue="") for piece in pair]
    return Response(" / ".join(piece for piece in said if piece))


def reasoning(record: Record, own: str, _rng: random.Random) -> Response:
    """Only the reasoning holds it; what is shown is the answer's own."""
    return Response(own, reasoning=" ".join(record.latin[1:3]))


def arguments(record: Record, _own: str, _rng: random.Random) -> Response:
    """It stands in the arguments of a tool call, escaped."""
    said = json.dumps({"query": "\n\t" + "\n".join(record.latin[:3]), "note": record.cyrillic})
    return Response("", tool=("find_records", said))


def facts(record: Record, _own: str, _rng: random.Random) -> Response:
    """A paraphrase: names, dates and figures in other words."""
    told = record.facts
    return Response(
        f"Someone called {told['name']} (whose birthday is {told['date']}) wants the money at {told['account']}; write "
        f"to {told['mail']} about file {told['ref']}."
    )


def ideographs(record: Record, _own: str, _rng: random.Random) -> Response:
    """Chinese and Japanese as it stands."""
    return Response(record.ideographs)


def ideographs_garbled(record: Record, _own: str, rng: random.Random) -> Response:
    """Chinese and Japanese, one character in twelve another, doubled or lost."""
    return Response(_noise(record.ideographs, "的一是在不了有和人这", rng))


def cyrillic(record: Record, _own: str, _rng: random.Random) -> Response:
    """Another alphabet, as it stands."""
    return Response(record.cyrillic)


CLASSES: Final[dict[str, Manner]] = {
    each.__name__: each
    for each in (
        verbatim, marked_up, garbled, words_lost, cut, short, interleaved, reasoning, arguments, facts, ideographs,
        ideographs_garbled, cyrillic,
    )
}  # fmt: skip


def _noise(text: str, letters: str, rng: random.Random) -> str:
    said: list[str] = []
    for character in text:
        dice = rng.random()
        if dice < 0.03:
            continue
        said.append(rng.choice(letters) if dice < 0.06 else character * 2 if dice < 0.085 else character)
    return "".join(said)


def _pieces(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]
