"""The columns of the tables that ingest writes, in order: what every later stage can rely on.

``docs/architecture.md`` says what each column means; times are nanoseconds UTC, offsets bytes of the decoded stream.
"""

FILE: dict[str, str] = {
    "file_id": "VARCHAR",
    "path": "VARCHAR",
    "raw_sha256": "VARCHAR",
    "decoded_sha256": "VARCHAR",
    "raw_bytes": "BIGINT",
    "decoded_bytes": "BIGINT",
    "compression": "VARCHAR",
    "format": "VARCHAR",
    "format_why": "VARCHAR",
    "zone": "VARCHAR",
    "records_read": "BIGINT",
    "records_kept": "BIGINT",
    "records_rejected": "BIGINT",
    "records_duplicate": "BIGINT",
    "first_ns": "BIGINT",
    "last_ns": "BIGINT",
    "cut_short": "BOOLEAN",
    "copy_of": "VARCHAR",
    "worker": "VARCHAR",
    "role": "VARCHAR",
    "dp_rank": "INTEGER",
}

RECORD: dict[str, str] = {
    "record_id": "VARCHAR",
    "file_id": "VARCHAR",
    "line": "BIGINT",
    "byte_offset": "BIGINT",
    "item": "INTEGER",
    "format": "VARCHAR",
    "kind": "VARCHAR",
    "phase": "VARCHAR",
    "at_ns": "BIGINT",
    "received_ns": "BIGINT",
    "first_token_ns": "BIGINT",
    "finished_ns": "BIGINT",
    "response_id": "VARCHAR",
    "call_id": "VARCHAR",
    "rid": "VARCHAR",
    "room": "VARCHAR",
    "router_request_id": "VARCHAR",
    "trace_id": "VARCHAR",
    "role": "VARCHAR",
    "dp_rank": "INTEGER",
    "tp_rank": "INTEGER",
    "worker_address": "VARCHAR",
    "bootstrap_host": "VARCHAR",
    "bootstrap_port": "INTEGER",
    "model": "VARCHAR",
    "engine": "VARCHAR",
    "engine_version": "VARCHAR",
    "prompt_tokens": "BIGINT",
    "cached_tokens": "BIGINT",
    "completion_tokens": "BIGINT",
    "http_status": "INTEGER",
    "outcome": "VARCHAR",
    "finish_type": "VARCHAR",
    "finish_length": "BIGINT",
    "error_text": "VARCHAR",
    "streamed": "BOOLEAN",
    "pool_tokens": "BIGINT",
    "context_tokens": "BIGINT",
    "allowed_tokens": "BIGINT",
    "input_tokens": "BIGINT",
    "page_size": "BIGINT",
    "auto_truncate": "BOOLEAN",
    "disaggregation": "VARCHAR",
    "prompt_state": "VARCHAR",
    "response_state": "VARCHAR",
    "prompt_hash": "VARCHAR",
    "prompt_chars": "BIGINT",
    "response_chars": "BIGINT",
    "identity": "JSON",
    "detail": "JSON",
}

REJECT: dict[str, str] = {
    "file_id": "VARCHAR",
    "line": "BIGINT",
    "byte_offset": "BIGINT",
    "reason": "VARCHAR",
    "length": "BIGINT",
}


def ddl(columns: dict[str, str]) -> str:
    """Returns the column list of a ``CREATE TABLE``."""
    return ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
