"""The match stage: which responses under suspicion hold which other text, and what explains it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import duckdb
import numpy as np

from forensics.case import texts
from forensics.case.database import create_table, insert
from forensics.case.folder import Case
from forensics.match import identity
from forensics.match.beside import Beside
from forensics.match.engine import Match, Text, cover
from forensics.match.engine import match as match_texts
from forensics.match.ledger import HOLDER, NAMELESS, OWN, PUBLIC, SOURCE, TAINTED, Flags
from forensics.match.library import CaseLibrary, Part
from forensics.match.public import PublicFirst, public_texts
from forensics.resources import query

MOST_SOURCES: Final = 32  # sources of one response whose spans are kept, those that explain most first
MOST_EXPLAINED: Final = 32  # spans of one response that something explains and that are kept for the record

_SPAN_COLUMNS: Final = """
    exchange_id VARCHAR, span INTEGER, source_exchange_id VARCHAR, source_tenant VARCHAR, kind VARCHAR,
    response_part INTEGER, response_field VARCHAR, response_start BIGINT, response_end BIGINT,
    source_side VARCHAR, source_part INTEGER, source_message_index INTEGER, source_field VARCHAR,
    source_start BIGINT, source_end BIGINT, bits_milli BIGINT, similarity_milli BIGINT, holders INTEGER,
    explained_by VARCHAR
"""


_CUT_COLUMNS: Final = "exchange_id VARCHAR, side VARCHAR, tokens BIGINT, bytes BIGINT"
_AGAIN_COLUMNS: Final = "exchange_id VARCHAR, part INTEGER, said_exchange_id VARCHAR, said_part INTEGER"


class CaseBeside(Beside, Protocol):
    """Texts of a case beside those that its view holds."""

    @property
    def parts(self) -> Mapping[str, Part]:
        """Whose they are, by text id; complete once ``known`` was asked."""
        ...


@dataclass(frozen=True)
class MatchReport:
    """Examined exchanges, those whose both sides were complete, texts read, and spans kept."""

    examined: int
    complete: int
    texts: int
    spans: int

    def __str__(self) -> str:
        return (
            f"{self.examined:>7,} responses searched ({self.complete:,} with all texts complete), "
            f"{self.texts:,} texts read, {self.spans:,} spans kept"
        )


def match(
    con: duckdb.DuckDBPyConnection,
    case: Case,
    *,
    threads: int,
    metadata_only: bool = False,
    beside: CaseBeside | None = None,
) -> MatchReport:
    """Writes ``examined``, ``cut_by_tokens``, ``tenant_proposal``, ``match_span``, ``scan`` and ``answer_again``.

    ``docs/architecture.md`` has the contract. Reads the tables of link and suspect and, unless ``metadata_only``, the
    view ``text``, which it attaches. With ``metadata_only`` all but the first stay empty. ``threads`` bounds the
    database and the reading of texts; the result does not depend on it. ``beside`` knows texts that the view does not
    hold.
    """
    con.execute(f"CREATE OR REPLACE TABLE match_span ({_SPAN_COLUMNS})")
    examined = create_table(con, "examined", query("match/examined", case.site))
    thresholds = case.config.thresholds
    margins = {
        "probable_milli": round(thresholds.probable_margin_bits * 1000),
        "confirmed_milli": round(thresholds.confirmed_margin_bits * 1000),
    }
    if metadata_only:
        con.execute(f"CREATE OR REPLACE TABLE cut_by_tokens ({_CUT_COLUMNS})")
    else:
        con.execute(f"SET threads = {int(threads)}")
        texts.attach(con, case)
        create_table(con, "cut_by_tokens", query("match/cut_by_tokens", case.site))
    identity.propose(con, case, metadata_only=metadata_only)
    complete = create_table(con, "scan", query("match/scan", case.site), **margins)
    if metadata_only:
        con.execute("DELETE FROM scan")
        con.execute(f"CREATE OR REPLACE TABLE answer_again ({_AGAIN_COLUMNS})")
        return MatchReport(0, 0, 0, 0)
    create_table(con, "answer_again", query("match/answer_again", case.site))
    search = _Search(con, case, threads, beside)
    rows = search.rows()
    insert(con, "match_span", rows)
    complete = (con.execute("SELECT count(*) FROM scan WHERE complete").fetchone() or (0,))[0]
    return MatchReport(examined, complete, len(search.library.parts), len(rows))


class _Search:
    """Says what every text of the case may do to each examined response, and turns matches into rows."""

    def __init__(self, con: duckdb.DuckDBPyConnection, case: Case, threads: int, beside: CaseBeside | None) -> None:
        self._threads, self._beside = threads, beside
        self.library = CaseLibrary(con)
        self._public = public_texts(case)
        rows = con.execute("SELECT exchange_id, tenant, began_ns FROM examined ORDER BY exchange_id").fetchall()
        self._examined = {exchange_id: (tenant, began) for exchange_id, tenant, began in rows}
        self._mine = [
            p for p in self.library.parts.values() if p.side == "response" and p.exchange_id in self._examined
        ]
        self._number: dict[str, int] = {}
        tenants = [self._examined[p.exchange_id][0] for p in self._mine]
        self._tenant = np.array([self._tenant_number(name) for name in tenants], dtype=np.int64)
        began = [self._examined[p.exchange_id][1] for p in self._mine]
        self._began = np.array([_LATE if ns is None else ns for ns in began], dtype=np.int64)
        self._exchange: dict[str, list[int]] = defaultdict(list)
        for i, part in enumerate(self._mine):
            self._exchange[part.exchange_id].append(i)
        self._candidate: dict[str, list[int]] = defaultdict(list)
        pairs = con.execute("SELECT DISTINCT exchange_id, source_exchange_id FROM candidate ORDER BY ALL").fetchall()
        for exchange_id, source_id in pairs:
            self._candidate[source_id] += self._exchange.get(exchange_id, [])

    def rows(self) -> list[tuple[object, ...]]:
        """Returns the rows of ``match_span``, ordered by exchange and span."""
        if not self._mine:
            return []
        responses = list(self.library.fetch([p.text_id for p in self._mine]))
        library = PublicFirst(self._public, self.library)
        at_hand = self.library.parts
        found = match_texts(
            responses, library, self._roles, threads=self._threads, beside=self._beside, at_hand=at_hand
        )
        by_exchange: dict[str, list[Match]] = defaultdict(list)
        for each in found:
            by_exchange[self.library.parts[each.response_id].exchange_id].append(each)
        return [
            row for exchange_id in sorted(by_exchange) for row in self._of_one(exchange_id, by_exchange[exchange_id])
        ]

    def _roles(self, text: Text) -> Flags:
        flags = np.zeros(len(self._mine), dtype=np.uint8)
        part = self._part(text.text_id)
        if part is None:
            flags[:] = PUBLIC
            return flags
        earlier = self._began > (part.since_ns if part.since_ns is not None else -1)
        own = self._tenant == self._tenant_number(part.tenant)
        own_exchange = self._exchange.get(part.exchange_id, [])
        suspect = part.side == "response" and part.exchange_id in self._examined
        # What a suspect's answer says may itself be another tenant's: it explains nothing, to its own tenant either.
        if not suspect:
            flags[earlier & own] |= OWN
        if not suspect and not part.nameless:
            flags[earlier & ~own] |= HOLDER
        flags[own & ~earlier] |= TAINTED
        flags[self._candidate.get(part.exchange_id, [])] |= SOURCE
        flags[own_exchange] = OWN if part.side == "prompt" else 0
        if part.nameless:
            flags |= NAMELESS
        return flags

    def _part(self, text_id: str) -> Part | None:
        part = self.library.parts.get(text_id)
        return part if part or self._beside is None else self._beside.parts.get(text_id)

    def _tenant_number(self, tenant: str | None) -> int:
        return self._number.setdefault(tenant or "", len(self._number))

    def _of_one(self, exchange_id: str, found: list[Match]) -> list[tuple[object, ...]]:
        parts = self.library.parts if self._beside is None else {**self._beside.parts, **self.library.parts}
        by_source: dict[tuple[str, str], list[Match]] = defaultdict(list)
        for each in found:
            by_source[parts[each.source_id].exchange_id, each.response_id].append(each)
        kept: dict[str, list[Match]] = defaultdict(list)
        for (source, _), group in by_source.items():
            kept[source] += cover(group)
        weight = {source: sum(m.span.bits_milli for m in spans) for source, spans in kept.items()}
        ranked = sorted(kept, key=lambda source: (-weight[source], source))[:MOST_SOURCES]
        spans = [m for source in ranked for m in kept[source]]
        explained = [m for m in spans if m.span.explained_by and not m.span.bits_milli][:MOST_EXPLAINED]
        chosen = [m for m in spans if m.span.bits_milli] + explained
        chosen.sort(
            key=lambda m: (m.response_id, m.span.response_start, m.span.response_end, m.source_id, m.span.source_start)
        )
        return [_row(exchange_id, i, parts[m.response_id], parts[m.source_id], m) for i, m in enumerate(chosen, 1)]


_LATE: Final = np.iinfo(np.int64).max


def _row(exchange_id: str, number: int, mine: Part, source: Part, found: Match) -> tuple[object, ...]:
    span = found.span
    return (
        exchange_id, number, source.exchange_id, source.tenant, span.kind,
        mine.part, mine.field, span.response_start, span.response_end,
        source.side, source.part, source.message_index, source.field, span.source_start, span.source_end,
        span.bits_milli, span.similarity_milli, span.holders, span.explained_by,
    )  # fmt: skip
