"""Framing: where each record of a file starts and ends. What a record means is said in ``queries/formats/``."""

from collections.abc import Callable, Iterable, Iterator

from forensics.ingest.framing import azure, chunks, documents, dump, dynamo, otlp, sglang, tables, vllm
from forensics.ingest.framing.blocks import Block
from forensics.ingest.framing.records import Context, Frame, Reject

Framer = Callable[[Iterable[bytes], Context], Iterator[Frame | Reject | Block]]

FRAMERS: dict[str, Framer] = {
    "azure": azure.frame,
    "body": documents.frame_body,
    "csv": tables.frame_csv,
    "document": documents.frame_document,
    "dynamo": dynamo.frame,
    "headers": documents.frame_headers,
    "json": documents.frame_json,
    "json lines": documents.frame_lines,
    "json members": documents.frame_members,
    "otlp": otlp.frame,
    "parquet": tables.frame_parquet,
    "pg_dump": dump.frame,
    "sglang": sglang.frame,
    "sse": chunks.frame_sse,
    "text": tables.frame_text,
    "vllm": vllm.frame,
}
"""By the name that a format's ``-- framing:`` line gives."""

IN_BLOCKS = frozenset({"body", "json", "json lines", "json members"})
"""Framings that may give blocks; what others build upon these are asked for records one by one."""
