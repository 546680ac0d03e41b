"""Builds small cases from canonical records, so that the meaning in SQL is tested without any log format."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from forensics.case.config import CaseConfig, load_config
from forensics.case.folder import Case
from forensics.case.schema import FILE, RECORD, REJECT, ddl
from forensics.judge.run import judge
from forensics.link.run import link
from forensics.suspect.run import suspect

SECOND = 1_000_000_000
START = 1_788_000_000 * SECOND

DECLARATIONS = """
[[source]]
files = "*/prefill-*/*"
role = "prefill"
[[source]]
files = "*/decode-*/*"
role = "decode"
[[tenant_rule]]
path = "$.tenant"
"""

NO_MATCHES = """
CREATE OR REPLACE TABLE match_span (
  exchange_id VARCHAR, span INTEGER, source_exchange_id VARCHAR, source_tenant VARCHAR, kind VARCHAR,
  response_part INTEGER, response_field VARCHAR, response_start BIGINT, response_end BIGINT,
  source_side VARCHAR, source_part INTEGER, source_message_index INTEGER, source_field VARCHAR, source_start BIGINT,
  source_end BIGINT, bits_milli BIGINT, similarity_milli BIGINT, holders BIGINT, explained_by VARCHAR);
CREATE OR REPLACE TABLE scan (
  exchange_id VARCHAR, response_state VARCHAR, candidates BIGINT, candidates_complete BIGINT,
  candidates_incomplete BIGINT, complete BOOLEAN, missing_why VARCHAR, probable_milli BIGINT, confirmed_milli BIGINT);
CREATE OR REPLACE TABLE answer_again (
  exchange_id VARCHAR, part INTEGER, said_exchange_id VARCHAR, said_part INTEGER);
"""


@dataclass(frozen=True)
class Found:
    """A span of ``response`` that stands in a text of ``source``, both by request id."""

    response: str
    source: str
    bits: int
    kind: str = "aligned"
    holders: int = 1
    explained_by: str | None = None


def _matched(con: duckdb.DuckDBPyConnection, found: list[Found]) -> None:
    con.execute(
        "INSERT INTO scan BY NAME SELECT DISTINCT exchange_id, 'complete' AS response_state, true AS complete,"
        " 12000 AS probable_milli, 30000 AS confirmed_milli FROM candidate"
    )
    for number, each in enumerate(found):
        con.execute(
            "INSERT INTO match_span BY NAME SELECT x.exchange_id, ? AS span, s.exchange_id AS source_exchange_id,"
            " s.tenant AS source_tenant, ? AS kind, ? AS bits_milli, ? AS holders, ? AS explained_by"
            " FROM exchange AS x, exchange AS s WHERE x.request_id = ? AND s.request_id = ?",
            [number, each.kind, each.bits * 1000, each.holders, each.explained_by, each.response, each.source],
        )


@dataclass
class World:
    """A case in the making: records per worker, then the stages over them."""

    root: Path
    declarations: str = ""
    records: list[dict[str, object]] = field(default_factory=list)
    workers: dict[str, str] = field(default_factory=dict)

    def add(self, worker: str, kind: str, at: float, **columns: Any) -> None:
        """One record of ``kind`` in ``worker``'s log, ``at`` seconds after the start."""
        self.workers.setdefault(worker, f"{len(self.workers):016x}")
        stamps = {name: START + int(value * SECOND) for name, value in columns.items() if name.endswith("_ns")}
        log = "sglang_engine_log" if worker.startswith(("prefill", "decode", "unified")) else "log"
        row = {"kind": kind, "format": log, "at_ns": START + int(at * SECOND), "worker": worker, **columns, **stamps}
        self.records.append(row)

    def start(self, worker: str, pool: int, at: float = 0.0, context: int = 10_000, **more: object) -> None:
        """A process start that prints its limits."""
        role = worker.partition("-")[0]
        self.add(worker, "limits", at, pool_tokens=pool, context_tokens=context, disaggregation=role, **more)

    def request(
        self,
        name: str,
        at: float,
        tokens: int,
        *,
        tenant: str = "acme",
        decode: str = "decode-0",
        prefill: str = "prefill-0",
        stub: bool = False,
        client: bool = True,
        prefill_record: bool = True,
        decode_record: bool = True,
        seconds: float = 2.0,
        prefill_ends: float | None = 0.5,
        outcome: str = "ok",
        status: int = 200,
        completion: int = 20,
        **more: object,
    ) -> None:
        """One request through gateway, prefill and decode, with what is switched off missing from the logs."""
        room = str(int.from_bytes(name.encode(), "big") % 2**62 + 1)
        if client:
            self.add(
                "gateway",
                "client",
                at,
                phase="whole",
                received_ns=at,
                finished_ns=at + seconds,
                response_id=f"d-{name}",
                call_id=f"call-{name}",
                model="m",
                prompt_tokens=tokens,
                completion_tokens=completion,
                outcome=outcome,
                http_status=status,
                response_chars=40 if completion else 0,
                prompt_state="complete",
                prompt_chars=10,
                response_state="complete" if completion else "absent",
                identity=f'{{"tenant": "{tenant}"}}',
                **more,
            )
        if prefill_record:
            self.add(
                prefill,
                "engine",
                at + 0.01,
                phase="received" if prefill_ends is None else "whole",
                received_ns=at + 0.01,
                rid=f"p-{name}",
                room=room,
                role="prefill",
                prompt_tokens=1 if stub else tokens,
                completion_tokens=1,
                **({"finished_ns": at + prefill_ends} if prefill_ends is not None else {}),
            )
        if decode_record:
            self.add(
                decode,
                "engine",
                at + 0.01,
                phase="whole",
                received_ns=at + 0.02,
                finished_ns=at + seconds - 0.05,
                rid=f"d-{name}",
                room=room,
                role="decode",
                prompt_tokens=tokens,
                completion_tokens=completion,
                finish_type="stop" if outcome == "ok" else "abort",
                outcome="ok" if outcome == "ok" else "aborted",
            )

    def case(self) -> Case:
        """Returns the case folder that holds the declarations."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "case.toml").write_text(DECLARATIONS + self.declarations, encoding="utf-8")
        return Case.open(self.root)

    def connect(self) -> tuple[duckdb.DuckDBPyConnection, Case]:
        """Returns an in-memory database with the raw tables filled, and the case."""
        case = self.case()
        con = duckdb.connect(config={"threads": 1})
        for name, columns in (("file", FILE), ("record", RECORD), ("reject", REJECT)):
            con.execute(f'CREATE TABLE "{name}" ({ddl(columns)})')
        for worker, file_id in sorted(self.workers.items()):
            declared = case.config.source_for(f"logs/{worker}/log")
            con.execute(
                "INSERT INTO file BY NAME SELECT ? AS file_id, ? AS path, ? AS worker, ? AS role",
                [file_id, f"logs/{worker}/log", declared.worker, declared.role],
            )
        for n, row in enumerate(self.records):
            file_id = self.workers[str(row["worker"])]
            full = {"file_id": file_id, "byte_offset": n, "line": n + 1, "item": 0, "record_id": f"{file_id}:{n}:0"}
            full |= {key: value for key, value in row.items() if key != "worker"}
            names = ", ".join(full)
            con.execute(f"INSERT INTO record ({names}) VALUES ({', '.join('?' * len(full))})", list(full.values()))  # noqa: S608 - test rows
        return con, case

    def verdicts(self, *, metadata_only: bool = True, found: list[Found] | None = None) -> dict[str, dict[str, object]]:
        """Runs link, suspect and judge and returns the verdict rows by request id.

        ``found`` stands in for the match stage: every suspect was searched to the end, and this is what was found.
        """
        con, case = self.connect()
        link(con, case)
        suspect(con, case)
        con.execute(NO_MATCHES)
        if not metadata_only:
            _matched(con, found or [])
        judge(con, case, metadata_only=metadata_only)
        rows = con.execute("SELECT * FROM verdict").fetchall()
        names = [column[0] for column in con.description]
        return {str(row[names.index("request_id")]): dict(zip(names, row, strict=True)) for row in rows}


def declared_workers(*names: str) -> str:
    """Returns ``[[source]]`` blocks that name each worker by its folder."""
    return "".join(f'[[source]]\nfiles = "*/{name}/*"\nworker = "{name}"\n' for name in names)


def with_pools(folder: Path, declarations: str) -> World:
    """Returns a world whose prefill-0 has a pool of 1,000 tokens and whose decode-0 one of 20,000."""
    made = World(folder, declarations)
    made.start("prefill-0", 1_000)
    made.start("decode-0", 20_000)
    return made


def told(row: dict[str, object]) -> tuple[object, object, object]:
    """Returns what a verdict says of integrity, why, and by which mechanism."""
    return row["integrity"], row["integrity_reason"], row["mechanism"]


def config(text: str, folder: Path) -> CaseConfig:
    """Returns the parsed declarations ``text``."""
    path = folder / "case.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)
