"""Answers that nothing of one tenant's own explains: names, figures and ids that it had neither sent nor been told.

For the scope ``one-tenant``, where no other tenant's text is there to be found.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np

from forensics.case import texts
from forensics.case.database import insert
from forensics.case.folder import Case
from forensics.match.engine import Text
from forensics.match.library import CaseLibrary, Part
from forensics.match.normalise import fold
from forensics.match.tokens import facts, sequences, tokens

LEAST_FACTS: Final = 2
LEAST_MILLI: Final = 30_000  # thousandths of a bit that the facts weigh together
_COLUMNS: Final = "exchange_id VARCHAR, facts BIGINT, bits_milli BIGINT"


@dataclass
class _Strange:
    facts: int = 0
    bits_milli: int = 0


def no_own(con: duckdb.DuckDBPyConnection) -> None:
    """Leaves ``unexplained_answer`` empty, as where other tenants' texts are there."""
    con.execute(f"CREATE OR REPLACE TABLE unexplained_answer ({_COLUMNS})")


def own_unexplained(con: duckdb.DuckDBPyConnection, case: Case) -> int:
    """Writes ``unexplained_answer`` and returns its rows: one for each answer with several such facts.

    A tenant's texts explain what comes after them. All of them are held in memory: they are one tenant's.
    """
    no_own(con)
    texts.attach(con, case)
    library = CaseLibrary(con)
    known: dict[str | None, set[int]] = defaultdict(set)
    found: dict[str, _Strange] = defaultdict(_Strange)
    for part, text in _in_order(library):
        folded = fold(text.text)
        words = tokens(folded)
        if part.side == "response":
            told = facts(text.text, folded, words)
            for value, bits in zip(told.value.tolist(), told.bits_milli.tolist(), strict=True):
                if value not in known[part.tenant]:
                    found[part.exchange_id].facts += 1
                    found[part.exchange_id].bits_milli += bits
        known[part.tenant].update(np.unique(sequences(words)[0]).tolist())
    rows = [
        (exchange_id, each.facts, each.bits_milli)
        for exchange_id, each in sorted(found.items())
        if each.facts >= LEAST_FACTS and each.bits_milli >= LEAST_MILLI
    ]
    insert(con, "unexplained_answer", rows)
    return len(rows)


def _in_order(library: CaseLibrary) -> list[tuple[Part, Text]]:
    parts = sorted(library.parts.values(), key=lambda part: (part.since_ns or 0, part.side, part.text_id))
    bodies = {text.text_id: text for text in library}
    return [(part, bodies[part.text_id]) for part in parts]
