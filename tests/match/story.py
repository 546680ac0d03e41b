"""Small cases of the match stage: the tables that link and suspect would write, and texts as ingest stores them."""

from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.case.folder import Case
from forensics.match.run import MatchReport, match

SECOND = 1_000_000_000


@dataclass
class Story:
    """Exchanges in order of time, with their texts; ``suspect`` and ``candidate`` rows are added by hand."""

    root: Path
    declarations: str = ""
    exchanges: list[dict[str, object]] = field(default_factory=list)
    texts: list[dict[str, object]] = field(default_factory=list)
    states: list[tuple[str, str, str, str]] = field(default_factory=list)
    suspicions: list[tuple[str, str, str]] = field(default_factory=list)
    candidates: list[tuple[str, str, str]] = field(default_factory=list)

    def exchange(
        self,
        name: str,
        tenant: str,
        prompt: str | list[str] | None,
        response: str | None,
        *,
        delivered: str = "yes",
        tenant_class: str = "customer",
        prompt_state: str = "complete",
        response_state: str = "complete",
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
    ) -> None:
        """One exchange, ten seconds after the one before."""
        at = 10 * SECOND * (len(self.exchanges) + 1)
        self.exchanges.append({
            "exchange_id": name, "tenant": tenant, "tenant_class": tenant_class, "delivered": delivered,
            "received_ns": at, "reserved_ns": at, "first_token_ns": at + SECOND, "finished_ns": at + 5 * SECOND,
            "decode_worker": "decode-0", "epoch_ns": 0, "client_outcome": "ok", "tokens_by": "gateway",
            "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens,
        })  # fmt: skip
        offset = len(self.exchanges)
        prompts = [prompt] if isinstance(prompt, str) else prompt or []
        for part, text in enumerate(prompts):
            self._text(offset, "prompt", part, "user", text)
        if response is not None:
            self._text(offset, "response", 0, "assistant", response)
        if prompts:
            self.states.append((name, "prompt", f"f:{offset}:0", prompt_state))
        if response is not None:
            self.states.append((name, "response", f"f:{offset}:0", response_state))

    def _text(self, offset: int, side: str, part: int, role: str, text: str) -> None:
        self.texts.append({
            "file_id": "f", "byte_offset": offset, "item": 0, "side": side, "part": part, "message_index": part,
            "role": role, "field": "content", "fragment": "whole", "text": text,
        })  # fmt: skip

    def _lengths(self) -> list[tuple[str, int, int]]:
        """Returns the characters of prompt and response that each record holds."""
        lengths: dict[str, dict[str, int]] = {}
        for row in self.texts:
            sides = lengths.setdefault(f"f:{row['byte_offset']}:0", {"prompt": 0, "response": 0})
            sides[str(row["side"])] += len(str(row["text"]))
        return [(record, sides["prompt"], sides["response"]) for record, sides in lengths.items()]

    def suspect(self, name: str, *sources: str, mechanism: str = "over_pool", status: str = "established") -> None:
        """One suspicion and its candidates, the most recent first."""
        self.suspicions.append((name, mechanism, status))
        self.candidates += [(name, mechanism, source) for source in sources]

    def run(self, threads: int = 1) -> tuple[MatchReport, duckdb.DuckDBPyConnection]:
        """Runs the stage over the story."""
        case = Case.create(self.root / f"case-{threads}", self.declarations)
        folder = case.evidence / "0"
        folder.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(self.texts), folder / "text.parquet")
        con = duckdb.connect()
        exchange = pa.Table.from_pylist(self.exchanges)
        con.execute("CREATE TABLE exchange AS SELECT * FROM exchange")
        con.execute("CREATE TABLE exchange_text (exchange_id VARCHAR, side VARCHAR, record_id VARCHAR, state VARCHAR)")
        con.execute("CREATE TABLE blind (worker VARCHAR, from_ns BIGINT, to_ns BIGINT, reason VARCHAR)")
        con.execute("CREATE TABLE lived (exchange_id VARCHAR, worker VARCHAR, from_ns BIGINT, to_ns BIGINT)")
        con.execute("CREATE TABLE worker_epoch (worker VARCHAR, start_ns BIGINT, end_ns BIGINT)")
        con.execute("CREATE TABLE record (record_id VARCHAR, prompt_chars BIGINT, response_chars BIGINT)")
        con.executemany("INSERT INTO record VALUES (?, ?, ?)", self._lengths())
        con.execute("CREATE TABLE suspicion (exchange_id VARCHAR, mechanism VARCHAR, status VARCHAR)")
        con.execute(
            "CREATE TABLE mechanism AS SELECT unnest(['over_pool', 'late_write']) AS mechanism,"
            " unnest([20, 10]) AS ordinal, unnest(['prompt and response', 'prompt']) AS carries,"
            " unnest(['pages', 'named']) AS sources"
        )
        con.execute("CREATE TABLE candidate (exchange_id VARCHAR, mechanism VARCHAR, source_exchange_id VARCHAR)")
        for table, rows in (
            ("exchange_text", self.states),
            ("suspicion", self.suspicions),
            ("candidate", self.candidates),
        ):
            if rows:
                con.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
        del exchange
        return match(con, case, threads=threads), con


def weights(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, int]:
    """Returns the milli-bits by which each source explains a response."""
    rows = con.execute(
        "SELECT source_exchange_id, sum(bits_milli)::BIGINT FROM match_span "
        "WHERE exchange_id = ? AND explained_by IS NULL GROUP BY ALL ORDER BY ALL",
        [name],
    ).fetchall()
    return dict(rows)
