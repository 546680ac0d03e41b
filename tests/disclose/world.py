"""A case filled by hand with some 25 judged exchanges of every verdict, so that disclosure is tested by itself."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from forensics.case.database import rebuild
from forensics.case.folder import Case
from forensics.case.schema import FILE, RECORD, REJECT, ddl

SECOND = 1_000_000_000
START = 1_788_000_000 * SECOND
KEYS = '{"reference": "INC-TEST0001", "secret": "' + "5a" * 32 + '"}\n'

DECLARATIONS = """
title = "Mixed answers"
purpose = "Who got whose content"
[window]
start = 2026-08-29T00:00:00Z
end = 2026-08-31T00:00:00Z
[[tenant]]
name = "own-lab"
class = "internal"
[[tenant]]
name = "erin"
class = "researcher"
[notice]
provider = "Example Inference Ltd."
service = "Example Chat"
contact = "incident desk, desk@example.com"
awareness = "2026-08-30 09:12 UTC"
measures = "Memory was freed; the engines run a corrected release."
phase = "initial"
"""

_EXCHANGE = """
exchange_id VARCHAR, request_id VARCHAR, tenant VARCHAR, tenant_class VARCHAR, tenant_rule VARCHAR, model VARCHAR,
received_ns BIGINT, first_token_ns BIGINT, finished_ns BIGINT, delivered VARCHAR, delivered_why VARCHAR,
prompt_tokens BIGINT, completion_tokens BIGINT, room VARCHAR, decode_rid VARCHAR, prefill_rid VARCHAR,
decode_worker VARCHAR, dp_rank INTEGER, prefill_worker VARCHAR, placement_how VARCHAR, backend VARCHAR,
reserved_ns BIGINT, released_ns BIGINT, epoch_ns BIGINT, prefill_tokens BIGINT, decode_tokens BIGINT
"""
_VERDICT = """
exchange_id VARCHAR, request_id VARCHAR, tenant VARCHAR, tenant_class VARCHAR, model VARCHAR, received_at VARCHAR,
received_ns BIGINT, integrity VARCHAR, integrity_reason VARCHAR, disclosure VARCHAR, disclosure_reason VARCHAR,
basis VARCHAR, grounds VARCHAR, mechanism VARCHAR, examined JSON, scope VARCHAR, decode_worker VARCHAR, dp_rank INTEGER,
source_request_id VARCHAR, source_tenant VARCHAR, source_exchange_id VARCHAR, sources JSON, delivered VARCHAR,
over_pool VARCHAR, prompt_tokens BIGINT, completion_tokens BIGINT, bits_milli BIGINT
"""
_SPAN = """
source_exchange_id VARCHAR, source_tenant VARCHAR, kind VARCHAR, response_part INTEGER, response_field VARCHAR,
response_start BIGINT, response_end BIGINT, source_side VARCHAR, source_part INTEGER, source_message_index INTEGER,
source_field VARCHAR, source_start BIGINT, source_end BIGINT, bits_milli BIGINT, similarity_milli BIGINT, holders BIGINT
"""
TABLES = {
    "file": ddl(FILE),
    "record": ddl(RECORD),
    "reject": ddl(REJECT),
    "exchange": _EXCHANGE,
    "verdict": _VERDICT,
    "late_write_window": "exchange_id VARCHAR, worker VARCHAR",
    "exchange_record": "exchange_id VARCHAR, record_id VARCHAR, via VARCHAR, inferred BOOLEAN",
    "exchange_text": "exchange_id VARCHAR, side VARCHAR, record_id VARCHAR, state VARCHAR",
    "worker_limit": "worker VARCHAR, start_ns BIGINT, end_ns BIGINT, rank INTEGER, how VARCHAR, record_id VARCHAR, "
    "pool_tokens BIGINT, context_tokens BIGINT, limit_tokens BIGINT, auto_truncate BOOLEAN, in_force BOOLEAN",
    "clock": "worker VARCHAR, pairs BIGINT, bounded_below BOOLEAN, low_ns BIGINT, high_ns BIGINT, skew_ns BIGINT",
    "clock_margin": "worker VARCHAR, margin_ns BIGINT",
    "request_seen": "who VARCHAR, source VARCHAR, at_ns BIGINT, request VARCHAR, present BOOLEAN",
    "coverage": "who VARCHAR, source VARCHAR, hour_ns BIGINT, counted_by VARCHAR, expected BIGINT, present BIGINT",
    "silence": "who VARCHAR, from_ns BIGINT, to_ns BIGINT, regular BOOLEAN",
    "gap": "who VARCHAR, source VARCHAR, how VARCHAR, reason VARCHAR, from_ns BIGINT, to_ns BIGINT, missing BIGINT",
    "blind": "worker VARCHAR, from_ns BIGINT, to_ns BIGINT, reason VARCHAR",
    "tenant_proposal": "proposal INTEGER, tenant VARCHAR, named BOOLEAN, shared_bytes BIGINT",
    "unexplained_match": "exchange_id VARCHAR, span INTEGER, tenant VARCHAR, source_tenant VARCHAR, placement VARCHAR, "
    "strength VARCHAR, bits_milli BIGINT",
    "ambiguity": "subject VARCHAR, what VARCHAR, detail VARCHAR",
    "suspicion": "exchange_id VARCHAR, mechanism VARCHAR, status VARCHAR, reason VARCHAR, basis VARCHAR, "
    "detail VARCHAR, trigger_exchange_id VARCHAR, outcome VARCHAR",
    "candidate": "exchange_id VARCHAR, source_exchange_id VARCHAR, mechanism VARCHAR, rank BIGINT, placement VARCHAR",
    "match_span": f"exchange_id VARCHAR, span INTEGER, explained_by VARCHAR, {_SPAN}",
    "scan": "exchange_id VARCHAR, response_state VARCHAR, complete BOOLEAN, missing_why VARCHAR, "
    "probable_milli BIGINT, confirmed_milli BIGINT",
    "finding": f"exchange_id VARCHAR, mechanism VARCHAR, span INTEGER, {_SPAN}",
    "source": "exchange_id VARCHAR, mechanism VARCHAR, source_exchange_id VARCHAR, source_tenant VARCHAR, "
    "strength VARCHAR, bits_milli BIGINT",
    "possible_source": "exchange_id VARCHAR, tenant VARCHAR",
    "unexplained_answer": "exchange_id VARCHAR, facts BIGINT, bits_milli BIGINT",
    "worker": "worker VARCHAR, role VARCHAR, first_ns BIGINT",
    "sighting": "sighting VARCHAR, report VARCHAR, reporter VARCHAR, reference VARCHAR, at_ns BIGINT, until_ns BIGINT, "
    "model VARCHAR, tenant VARCHAR, excerpt_chars BIGINT, note VARCHAR",
    "sighting_exchange": "sighting VARCHAR, exchange_id VARCHAR, how VARCHAR",
    "sighting_match": "sighting VARCHAR, exchange_id VARCHAR, side VARCHAR, part INTEGER, field VARCHAR, "
    "excerpt_start BIGINT, excerpt_end BIGINT, text_start BIGINT, text_end BIGINT, bits_milli BIGINT, "
    "similarity_milli BIGINT",
    "control": "kind VARCHAR, name VARCHAR, rule VARCHAR, planted BIGINT, found BIGINT",
    "isolation": "boundary VARCHAR, status VARCHAR, reason VARCHAR, first_uses BIGINT, tenants BIGINT, counted BIGINT, "
    "counted_served BIGINT, excess BIGINT, timed BIGINT, tested_tenants BIGINT, shared_tenants BIGINT, "
    "chance_milli BIGINT, share_low_milli BIGINT, share_likely_milli BIGINT, share_high_milli BIGINT",
    "timing_test": "boundary VARCHAR, tenant VARCHAR, cold INTEGER, warm INTEGER, first INTEGER, status VARCHAR, "
    "reason VARCHAR, chance_milli BIGINT, share_low_milli BIGINT, share_likely_milli BIGINT, share_high_milli BIGINT",
    "timing_excess": "exchange_id VARCHAR, tenant VARCHAR, sure BOOLEAN",
    "sign": "sign VARCHAR, tenant VARCHAR, tenant_class VARCHAR, key VARCHAR, requests BIGINT, first_ns BIGINT, "
    "last_ns BIGINT, detail VARCHAR, request_ids VARCHAR[]",
    "sign_search": "sign VARCHAR, looked_for VARCHAR, status VARCHAR, missing VARCHAR, found BIGINT, "
    "of_researchers BIGINT, exchanges BIGINT, usable BIGINT, files BIGINT, first_ns BIGINT, last_ns BIGINT",
    "salt_use": "exchanges BIGINT, salted BIGINT, salts BIGINT, shared_salts BIGINT, most_tenants BIGINT",
}


@dataclass
class World:
    """Rows by table, and texts; ``build`` makes the case folder."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {name: [] for name in TABLES})
    texts: list[dict[str, Any]] = field(default_factory=list)
    tenants: dict[str, str] = field(default_factory=dict)

    def file(self, path: str = "logs/gateway.jsonl", **facts: Any) -> None:
        """Adds the evidence file that all records come from."""
        base = {
            "file_id": "f0", "path": path, "raw_sha256": "a1" * 32, "decoded_sha256": "b2" * 32, "raw_bytes": 10_000,
            "decoded_bytes": 10_000, "compression": "none", "format": "litellm_json", "zone": "UTC", "records_read": 30,
            "records_kept": 28, "records_rejected": 2, "records_duplicate": 0, "first_ns": START, "cut_short": False,
            "last_ns": START + 9000 * SECOND, "worker": "prefill-0",
        }  # fmt: skip
        self.rows["file"].append(base | facts)
        self.rows["reject"].append({"file_id": "f0", "line": 7, "byte_offset": 400, "reason": "not JSON", "length": 12})

    def exchange(self, tenant: str, verdict: str = "not_affected", /, **facts: Any) -> str:
        """Adds an exchange and returns its id; ``verdict`` is ``integrity`` or ``integrity/disclosure``."""
        n = len(self.rows["exchange"])
        key, received = f"f0:{n * 100}:0", START + n * 60 * SECOND
        integrity, _, disclosure = verdict.partition("/")
        facts = {"request_id": f"chatcmpl-{n:04d}abcdef{n:04d}"} | facts
        prompt = facts.pop("prompt", f"Please summarise the file of {marker(tenant)} for me, number {n}.")
        response = facts.pop("response", f"The file of {marker(tenant)} says this and that, number {n}.")
        kind = facts.pop("tenant_class", self.tenants.get(tenant, "customer"))
        self.tenants[tenant] = kind
        shared = {
            "exchange_id": key, "tenant": tenant, "tenant_class": kind, "model": "glm", "received_ns": received,
            "delivered": "yes", "decode_worker": "decode-0", "dp_rank": n % 2, "prompt_tokens": 100 + n,
        }  # fmt: skip
        reason = facts.pop("reason", None)
        self.add("exchange", {
            **shared, "finished_ns": received + SECOND, "prefill_worker": "prefill-0", "room": str(10**17 + n),
            "decode_rid": f"decode-rid-{n:06d}", "reserved_ns": received, "released_ns": received + SECOND,
            "epoch_ns": START - SECOND, "tenant_rule": "team",
            "delivered_why": "the client's side records a success", "backend": "disaggregated",
        } | facts)  # fmt: skip
        self.add("verdict", {
            **shared, "received_at": f"2026-08-29T{n // 60:02d}:{n % 60:02d}:00.000000Z", "integrity": integrity,
            "integrity_reason": reason if integrity == "undetermined" else "mechanism_established",
            "disclosure": disclosure or None, "disclosure_reason": reason if disclosure == "undetermined" else None,
            "basis": "both", "examined": '{"late_write": "excluded", "over_pool": "excluded"}',
        } | facts)  # fmt: skip
        self.rows["exchange_record"].append({"exchange_id": key, "record_id": key, "via": "call id", "inferred": False})
        self.rows["record"].append({
            "record_id": key, "file_id": "f0", "line": n + 1, "byte_offset": n * 100, "item": 0, "kind": "client",
            "format": "litellm_json", "at_ns": received, "response_id": facts["request_id"], "phase": "whole",
        })  # fmt: skip
        for side, text in (("prompt", prompt), ("response", response)):
            self.rows["exchange_text"].append({"exchange_id": key, "side": side, "record_id": key, "state": "complete"})
            self.texts.append({
                "file_id": "f0", "byte_offset": n * 100, "item": 0, "side": side, "part": 0, "role": "user",
                "message_index": 0 if side == "prompt" else None, "field": "content", "fragment": "whole", "text": text,
            })  # fmt: skip
        return key

    def add(self, table: str, row: dict[str, Any]) -> None:
        """Adds a row, without the facts that the table has no column for."""
        columns = {each.split()[0].strip('"') for each in TABLES[table].replace("\n", " ").split(", ")}
        self.rows[table].append({key: value for key, value in row.items() if key in columns})

    def suspect(self, key: str, mechanism: str, status: str, outcome: str | None = None) -> None:
        """Adds a suspicion."""
        self.rows["suspicion"].append({
            "exchange_id": key, "mechanism": mechanism, "status": status, "outcome": outcome, "basis": "measured",
            "detail": "prefill saw 1 token and decode 7000",
        })  # fmt: skip

    def leak(self, key: str, source: str, mechanism: str = "over_pool", strength: str = "confirmed") -> None:
        """Says that the response of ``key`` holds a span of the prompt of ``source``, and by what strength."""
        owner = self.row("exchange", source)
        spans = {
            "exchange_id": key, "span": 1, "source_exchange_id": source, "source_tenant": owner["tenant"],
            "kind": "aligned", "response_part": 0, "response_field": "content", "response_start": 5, "response_end": 45,
            "source_side": "prompt", "source_part": 0, "source_message_index": 0, "source_field": "content",
            "source_start": 7, "source_end": 47, "bits_milli": 90_000, "similarity_milli": 1000, "holders": 1,
        }  # fmt: skip
        self.rows["match_span"].append(spans)
        self.rows["finding"].append(spans | {"mechanism": mechanism})
        self.rows["source"].append({
            "exchange_id": key, "mechanism": mechanism, "source_exchange_id": source, "source_tenant": owner["tenant"],
            "strength": strength, "bits_milli": 90_000,
        })  # fmt: skip
        self.rows["scan"].append(
            {"exchange_id": key, "complete": True, "probable_milli": 12_000, "confirmed_milli": 30_000}
        )
        self.candidate(key, source, mechanism)
        self.row("verdict", key).update(
            source_tenant=owner["tenant"],
            source_request_id=owner["request_id"],
            source_exchange_id=source,
            bits_milli=90_000,
        )

    def candidate(self, key: str, source: str, mechanism: str = "over_pool") -> None:
        """Adds a candidate source."""
        rank = 1 + sum(row["exchange_id"] == key for row in self.rows["candidate"])
        self.rows["candidate"].append({
            "exchange_id": key, "source_exchange_id": source, "mechanism": mechanism, "rank": rank, "placement": "fits",
        })  # fmt: skip

    def row(self, table: str, key: str) -> dict[str, Any]:
        """Returns the row of an exchange."""
        return next(row for row in self.rows[table] if row["exchange_id"] == key)

    def build(self, root: Path, declarations: str = DECLARATIONS) -> Case:
        """Writes the case folder and returns the case."""
        case = Case.create(root, declarations)
        (root / "keys.json").write_text(KEYS, encoding="utf-8")
        folder = case.evidence / "e0"
        folder.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(self.texts), folder / "text.parquet")
        with rebuild(case) as con:
            for table, columns in TABLES.items():
                con.execute(f'CREATE TABLE "{table}" ({columns})')
                self._insert(con, table)
        return case

    def _insert(self, con: duckdb.DuckDBPyConnection, table: str) -> None:
        columns = sorted({name for row in self.rows[table] for name in row})
        if not columns:
            return
        marks = ", ".join([f"({', '.join('?' * len(columns))})"] * len(self.rows[table]))
        values = [row.get(name) for row in self.rows[table] for name in columns]
        con.execute(f'INSERT INTO "{table}" ({", ".join(columns)}) VALUES {marks}', values)  # noqa: S608 - our own


def marker(tenant: str) -> str:
    """Returns a run of letters and digits that only this tenant's texts hold."""
    digits = "".join(f"{byte:02x}" for byte in tenant.encode())[:24]
    return f"zq{digits}marker{digits[::-1]}qz"


def incident() -> World:
    """Returns the world that most tests share: every verdict, class and outcome."""
    world = World()
    world.file()
    world.rows["worker_limit"].append({
        "worker": "prefill-0", "start_ns": START - SECOND, "end_ns": 2**63 - 1, "rank": 2, "how": "start line",
        "record_id": "f0:0:0", "pool_tokens": 6812, "context_tokens": 10485, "limit_tokens": 6806, "in_force": True,
    })  # fmt: skip
    world.rows["clock"].append(
        {"worker": "decode-0", "pairs": 9, "bounded_below": True, "low_ns": -5, "high_ns": 7, "skew_ns": 0}
    )
    world.rows["clock_margin"].append({"worker": "decode-0", "margin_ns": 7})
    world.rows["isolation"] += [
        {"boundary": "users", "status": "not_examined", "reason": "no_first_uses", "first_uses": 0},
        {"boundary": "tenants", "status": "refuted", "reason": "timing_of_tenants", "first_uses": 40, "tenants": 3,
         "timed": 40, "tested_tenants": 3, "shared_tenants": 1, "excess": 0},
        {"boundary": "organizations", "status": "held", "reason": "timing_none", "first_uses": 40, "tenants": 3,
         "timed": 40, "share_high_milli": 70, "excess": 0},
    ]  # fmt: skip
    world.rows["timing_test"].append({
        "boundary": "tenants", "tenant": "acme", "cold": 20, "warm": 9, "first": 8, "status": "shared",
        "chance_milli": 4200, "share_low_milli": 500, "share_likely_milli": 900, "share_high_milli": 1000,
    })  # fmt: skip
    world.rows["salt_use"].append({"exchanges": 25, "salted": 3, "salts": 2, "shared_salts": 1, "most_tenants": 2})
    world.rows["sign_search"] += [
        {"sign": "padding", "looked_for": "repeated text", "status": "not_looked", "missing": "texts were not read",
         "found": 0, "of_researchers": 0, "exchanges": 25, "usable": 0, "files": 1},
        {"sign": "repeats", "looked_for": "equal prompts", "status": "looked", "found": 1, "of_researchers": 1,
         "exchanges": 25, "usable": 25, "files": 1, "first_ns": START, "last_ns": START + SECOND},
    ]  # fmt: skip
    world.rows["sign"].append({
        "sign": "repeats", "tenant": "erin", "tenant_class": "researcher", "key": "erin-key", "requests": 3,
        "first_ns": START, "last_ns": START + SECOND, "detail": "3 over-pool requests with one prompt",
    })  # fmt: skip
    acme = world.exchange("acme")
    borealis = world.exchange("borealis gmbh")
    world.exchange("quiet ltd")

    def over_pool(tenant: str, verdict: str, tokens: int = 7000, **facts: Any) -> str:
        key = world.exchange(
            tenant, verdict, mechanism="over_pool", over_pool="answered", prompt_tokens=tokens, **facts
        )
        world.suspect(key, "over_pool", "established", "answered")
        return key

    def stolen(owner: str) -> str:
        return f"Well: the file of {marker(owner)} for me, as it seems."

    world.leak(over_pool("cobalt", "affected/confirmed", response=stolen("acme")), acme)
    world.leak(over_pool("acme", "affected/confirmed", response=stolen("borealis gmbh")), borealis)
    world.leak(over_pool("cobalt", "affected/probable", 6808, response=stolen("acme")), acme, strength="probable")
    world.leak(over_pool("own-lab", "affected/confirmed", response=stolen("acme"), tenant_class="internal"), acme)
    over_pool("drift", "affected/none_found")
    world.rows["scan"].append({"exchange_id": world.rows["exchange"][-1]["exchange_id"], "complete": True})
    open_source = over_pool("drift", "affected/undetermined", reason="prompt_truncated")
    world.candidate(open_source, acme)
    world.candidate(open_source, world.exchange("quiet ltd"))
    for tenant in ("acme", "quiet ltd"):
        world.rows["possible_source"].append({"exchange_id": open_source, "tenant": tenant})
    over_pool("unresolved 1a2b3c4d", "affected/none_found", tenant_class="unresolved")
    over_pool("erin", "affected/none_found", tenant_class="researcher")
    late = world.exchange("borealis gmbh", "affected/confirmed", mechanism="late_write", response=stolen("acme"))
    world.suspect(late, "late_write", "possible")
    world.leak(late, acme, "late_write")
    for outcome, delivered in (("refused", "no"), ("no_output", "no"), ("truncated", "yes")):
        key = world.exchange("acme", over_pool=outcome, delivered=delivered)
        world.suspect(key, "over_pool", "excluded", outcome)
    for reason in ("placement_unknown", "placement_unknown", "limits_unknown"):
        world.exchange("drift", "undetermined/undetermined", reason=reason)
    world.exchange("only unknown", "undetermined/undetermined", reason="engine_log_missing")
    world.exchange("own-lab", "undetermined/undetermined", reason="limits_unknown", tenant_class="internal")
    for _ in range(3):
        world.exchange("quiet ltd")
    return world
