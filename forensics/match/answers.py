"""Says which responses fit the prompt of an exchange that ran beside them far better than their own.

A response is about what was asked: it repeats rare words of its prompt. Each shared word counts log2 of how many
prompts there are for each that has it; compared are the sums over words that only one of the two prompts has. This
nominates only: what the response holds, alignment decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import duckdb
import numpy as np
import numpy.typing as npt

from forensics.case.database import create_table, insert, select
from forensics.case.folder import Case
from forensics.case.texts import attach
from forensics.match.finding import token_values
from forensics.match.normalise import folded
from forensics.resources import query

FAR: Final = 3
"""How many times better than its own prompt a neighbour's must fit."""
LEAST_MILLI: Final = 20_000
"""What a neighbour's fit must reach, in 1/1000 bit, above that multiple."""
MOST: Final = 300_000
"""Exchanges whose words may be held at once: some 2 KB each."""
_BATCH: Final = 128
_TABLE: Final = (
    "CREATE OR REPLACE TABLE answer_fit"
    " (exchange_id VARCHAR, own_milli BIGINT, neighbour_exchange_id VARCHAR, neighbour_milli BIGINT)"
)
Numbers = npt.NDArray[np.int32]
Milli = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
_Row = tuple[str, int, str | None, int | None]


@dataclass
class Words:
    """The words of every response, numbered, and of each prompt those that any response says."""

    vocabulary: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    said: dict[str, Numbers] = field(default_factory=dict)
    asked: dict[str, Numbers] = field(default_factory=dict)

    def weights(self) -> Milli:
        """Returns what each word weighs, in 1/1000 bit: log2 of prompts per prompt that has it."""
        held = np.zeros(len(self.vocabulary), dtype=np.int64)
        for numbers in self.asked.values():
            held[numbers] += 1
        milli: Milli = np.rint(1000 * np.log2(max(len(self.asked), 1) / np.maximum(held, 1))).astype(np.int64)
        return milli


def fit_answers(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> int:
    """Writes ``answer_fit``, one row per response that was compared; returns how many fit another's prompt far better.

    Compared are complete responses with their own prompts and with those of exchanges that ran beside them
    (``match/beside``); of a long prompt beginning and end are read. ``neighbour_exchange_id`` is NULL where none fits
    far better. Empty where no text is read, and where there are more than ``MOST`` exchanges.
    """
    con.execute(_TABLE)
    if metadata_only:
        return 0
    attach(con, case)
    create_table(con, "beside", query("match/beside", case.site), most=MOST)
    words = Words()
    _read(con, case, words)
    weights = words.weights()
    near = "SELECT exchange_id, list(neighbour_id ORDER BY neighbour_id) FROM beside GROUP BY exchange_id ORDER BY ALL"
    rows = [
        row for exchange_id, ids in con.execute(near).fetchall() if (row := _best(words, weights, exchange_id, ids))
    ]
    con.execute("DROP TABLE beside")
    insert(con, "answer_fit", rows)
    return sum(neighbour is not None for _, _, neighbour, _ in rows)


def _read(con: duckdb.DuckDBPyConnection, case: Case, words: Words) -> None:
    said: dict[str, list[Hashes]] = {}
    for exchange_id, text in _texts(con, case, "response"):
        said.setdefault(exchange_id, []).append(_words(text))
    if not said:
        return
    words.vocabulary = np.unique(np.concatenate([each for parts in said.values() for each in parts]))
    words.said = {key: _numbers(words.vocabulary, parts) for key, parts in said.items()}
    asked: dict[str, list[Numbers]] = {}
    for exchange_id, text in _texts(con, case, "prompt"):
        asked.setdefault(exchange_id, []).append(_numbers(words.vocabulary, [_words(text)]))
    words.asked = {key: np.unique(np.concatenate(parts)) for key, parts in asked.items()}


def _texts(con: duckdb.DuckDBPyConnection, case: Case, side: str) -> Iterator[tuple[str, str]]:
    with con.cursor() as reader:
        attach(reader, case)
        found = select(reader, query("match/answer_text", case.site), side=side)
        while rows := found.fetchmany(_BATCH):
            yield from rows


def _words(text: str) -> Hashes:
    """Returns what ``tokens`` makes of a text's words, without their places."""
    values: Hashes = token_values(*folded(text))[0]
    return values


def _numbers(vocabulary: Hashes, parts: list[Hashes]) -> Numbers:
    """Returns which words of ``vocabulary`` stand in ``parts``, in order, each once."""
    values = np.unique(np.concatenate(parts))
    if not len(vocabulary):
        return np.empty(0, dtype=np.int32)
    at = np.minimum(np.searchsorted(vocabulary, values), len(vocabulary) - 1)
    found: Numbers = at[vocabulary[at] == values].astype(np.int32)
    return found


def _best(words: Words, weights: Milli, exchange_id: str, near: list[str | None]) -> _Row | None:
    """Returns the row of one response: its neighbour is the best of ``near`` where that fits far better, else None."""
    said, own = words.said.get(exchange_id), words.asked.get(exchange_id)
    if said is None or own is None:
        return None
    mine = np.intersect1d(said, own, assume_unique=True)
    best: _Row = (exchange_id, int(weights[mine].sum()), None, None)
    lead = 0
    for one in near:
        if one is None or one not in words.asked:
            continue
        theirs = np.intersect1d(said, words.asked[one], assume_unique=True)
        own_milli = int(weights[np.setdiff1d(mine, theirs, assume_unique=True)].sum())
        milli = int(weights[np.setdiff1d(theirs, mine, assume_unique=True)].sum())
        if milli - FAR * own_milli - LEAST_MILLI > lead:
            lead, best = milli - FAR * own_milli - LEAST_MILLI, (exchange_id, own_milli, one, milli)
    return best
