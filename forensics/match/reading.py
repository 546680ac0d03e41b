"""Reads every text once and notes what it shares with the responses under examination."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from forensics.match.crowds import NONE, nominated, short_runs
from forensics.match.ledger import HOLDER, NAMELESS, OWN, SOURCE, TAINTED, Flags, Ledger
from forensics.match.normalise import Folded, fold
from forensics.match.seeds import GramIndex, Ints, Segments, seed_grams, segments
from forensics.match.sieve import Found, Sieve
from forensics.match.tokens import NO_FACTS, Facts, Tokens, facts, tokens

Mask = npt.NDArray[np.bool_]

PAIR_REACH: Final = 160  # bytes between two facts of a response that are weighed together
NEAR: Final = 300  # bytes within which a text holds two facts together


@dataclass(frozen=True)
class Response:
    """One response, prepared: its words, each distinct word once, and its facts."""

    text: str
    folded: Folded
    words: Tokens
    facts: Facts


@dataclass(frozen=True)
class Shared:
    """What one text shares with the responses that it may have leaked into.

    ``number`` counts such texts as read; ``nameless`` says that no rule names its tenant, ``counted`` whether
    its tenant was counted as a holder or may be one of them; ``size`` and
    ``words`` are its folded bytes and tokens; ``runs`` are exact runs, ``fact_rows`` and ``fact_at`` shared facts and
    their first byte in the text; ``crowds`` are those of short runs.
    """

    number: int
    tenant: int
    nameless: bool
    counted: bool
    size: int
    words: int
    runs: Segments
    fact_rows: Ints
    fact_at: Ints
    crowds: Ints = field(default_factory=lambda: NONE)


def prepare(text: str, *, with_facts: bool = True) -> Response:
    """Returns a response ready for reading others against it."""
    folded = fold(text)
    words = tokens(folded)
    return Response(text, folded, words, facts(text, folded, words) if with_facts else NO_FACTS)


class Reader:
    """Holds the indexes of the responses and the ledgers that reading fills."""

    def __init__(
        self,
        responses: Sequence[Response],
        seed_bytes: int,
        *,
        most_responses: int | None = None,
        garbled: bool = False,
    ) -> None:
        self.seed_bytes = seed_bytes
        self.tenants = 0
        self.grams = GramIndex([seed_grams(r.folded, seed_bytes) for r in responses], most_responses=most_responses)
        distinct = [np.unique(r.words.value) for r in responses]
        self.words = GramIndex([(values, np.arange(len(values))) for values in distinct])
        self.facts = GramIndex([(r.facts.value, np.arange(len(r.facts))) for r in responses])
        self._short = short_runs([r.folded for r in responses]) if garbled else None
        self.sift = Sieve(self.grams, self.words, self.facts, seed_bytes, self._short).sift
        self._pair_first, self._pair_second, pair_response = self._pairs(responses)
        count = len(responses)
        self.gram_ledger = Ledger(self.grams.response, count)
        self.word_ledger = Ledger(self.words.response, count)
        self.fact_ledger = Ledger(self.facts.response, count)
        self.pair_ledger = Ledger(pair_response, count)

    def _pairs(self, responses: Sequence[Response]) -> tuple[Ints, Ints, Ints]:
        """Lists the facts that stand near each other in a response: rows of the one, of the other, response."""
        row_of = {
            (int(r), int(a)): row for row, (r, a) in enumerate(zip(self.facts.response, self.facts.at, strict=True))
        }
        listed = [
            (row_of[number, i], row_of[number, j], number)
            for number, response in enumerate(responses)
            for i in range(len(response.facts))
            for j in range(i + 1, min(i + 4, len(response.facts)))
            if response.facts.first[j] - response.facts.last[i] <= PAIR_REACH
        ]
        columns = np.array(listed, dtype=np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2]

    def read(self, number: int, found: Found, flags: Flags, tenant: int) -> Shared | None:
        """Notes what was ``found`` in one text; ``flags[i]`` is its capacity towards response i.

        Returns what the text may have leaked, if any.
        """
        self.tenants = max(self.tenants, tenant + 1)
        rows, source_at = found.gram_rows, found.gram_at
        role = flags[self.grams.response[rows]]
        told_before = self._told_before(found.size, source_at[role & TAINTED > 0])
        role = _silenced(role, told_before, source_at)
        self.gram_ledger.note(rows, role, tenant)
        word_role = _silenced(flags[self.words.response[found.word_rows]], told_before, found.word_at)
        self.word_ledger.note(found.word_rows, word_role, tenant, distinct=True)
        fact_rows, fact_at = found.fact_rows, found.fact_at
        fact_role = _silenced(flags[self.facts.response[fact_rows]], told_before, fact_at)
        self.fact_ledger.note(fact_rows, fact_role, tenant)
        pairs = self.pairs_near(fact_rows, fact_at)
        pair_role = flags[self.facts.response[self._pair_first[pairs]]]
        if told_before is None or not told_before[fact_at].any():
            self.pair_ledger.note(pairs, pair_role, tenant)
        leaked = role & SOURCE > 0
        told = fact_role & SOURCE > 0
        crowds = self._crowds(found, flags & SOURCE > 0)
        if not leaked.any() and not told.any() and not len(crowds):
            return None
        rows, source_at = rows[leaked], source_at[leaked]
        runs = segments(self.grams.response[rows], self.grams.at[rows], source_at, self.seed_bytes)
        nameless = bool((flags & NAMELESS).any())
        counted = nameless or bool((flags & HOLDER).any())
        facts_told = fact_rows[told], fact_at[told]
        return Shared(number, tenant, nameless, counted, found.size, found.words, runs, *facts_told, crowds)

    def _crowds(self, found: Found, source: Mask) -> Ints:
        """Returns where short runs crowd in the responses that a text may have leaked into."""
        if self._short is None or found.short is None or not source.any():
            return NONE
        rows, source_at = self._short.rows(*found.short)
        may = source[self._short.response[rows]]
        rows, source_at = rows[may], source_at[may]
        return nominated(self._short.response[rows], self._short.at[rows], source_at, found.size)

    def _told_before(self, size: int, tainted_at: Ints) -> Mask | None:
        """Marks the bytes of a text that stand in an affected answer which its tenant was sent before, if any do."""
        if not len(tainted_at):
            return None
        edge = np.zeros(size + 1, dtype=np.int64)
        np.add.at(edge, tainted_at, 1)
        np.subtract.at(edge, np.minimum(tainted_at + self.seed_bytes, size), 1)
        return np.cumsum(edge) > 0

    def pairs_near(self, rows: Ints, at: Ints) -> Ints:
        """Returns the pairs of facts that a text holds within ``NEAR`` bytes, given where it holds each."""
        if len(rows) < 2:
            return rows[:0]
        present = np.zeros(len(self.facts), dtype=np.bool_)
        present[rows] = True
        both = np.flatnonzero(present[self._pair_first] & present[self._pair_second])
        if not len(both):
            return both
        order = np.lexsort((at, rows))
        rows, at = rows[order], at[order]
        near = [self._near(rows, at, int(self._pair_first[p]), int(self._pair_second[p])) for p in both]
        return both[np.array(near, dtype=np.bool_)]

    @staticmethod
    def _near(rows: Ints, at: Ints, first: int, second: int) -> bool:
        one = at[np.searchsorted(rows, first) : np.searchsorted(rows, first, side="right")]
        other = at[np.searchsorted(rows, second) : np.searchsorted(rows, second, side="right")]
        return bool((np.abs(one[:, None] - other[None, :]) <= NEAR).any())

    def pair_facts(self, pairs: Ints) -> list[tuple[int, int]]:
        """Returns the fact rows of each pair."""
        return list(zip(self._pair_first[pairs].tolist(), self._pair_second[pairs].tolist(), strict=True))

    def settle(self) -> None:
        """Ends the reading."""
        for ledger in (self.gram_ledger, self.word_ledger, self.fact_ledger, self.pair_ledger):
            ledger.settle()


def _silenced(role: Flags, told_before: Mask | None, at: Ints) -> Flags:
    """Takes from what stands in an affected answer the power to explain others away: it travelled on from there."""
    if told_before is None:
        return role
    role = role.copy()
    role[told_before[at]] &= np.uint8(~(OWN | HOLDER) & 0xFF)
    return role
