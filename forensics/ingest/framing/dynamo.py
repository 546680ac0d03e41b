"""NVIDIA Dynamo's logs: its own lines, and lines of the SGLang engine that a worker logs in Dynamo's shape.

A worker's line is ``STAMP LEVEL module.function: what the engine said``, or JSON with the same in ``message``
(formats.md A8). What an SGLang engine says is routed to the query of its own log, so that a refusal or a detector's
line means the same wherever it stands.
"""

import json
import re
from collections.abc import Iterable, Iterator

from forensics.ingest.framing.clean import decode, strip_ansi
from forensics.ingest.framing.records import Context, Frame, Reject, lines
from forensics.ingest.framing.sglang import ENGINE
from forensics.ingest.framing.spread import spread

_SAID = (
    r"Req ?Time ?Stats\(|Input length \(\d|Multimodal prompt is too long|Request \S+ exceeds the maximum number of "
    r"|(?:Prefill|Decode) (?:batch|bootstrap failed|transfer failed|handshake failed)|Context corruption detected"
    r"|KV checksum mismatch|KV cache canary violation|kv_canary violation|Deferred KV release|Session \S+ failed"
    r"|max_total_num_tokens=|KV pool holds \d|Received output for rid="
)
_LINE = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z\s+(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\s+[a-z_][\w.]*: "
    rf"(?P<body>(?:{_SAID}).*)",
    re.DOTALL,
)
_MESSAGE = re.compile(rf'"message": ?"(?:[a-z_][\w.]*: )?(?:{_SAID})')
_BODY = re.compile(rf"(?:[a-z_][\w.]*: )?(?P<body>(?:{_SAID}).*)", re.DOTALL)
_UTC = re.compile(r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00:00)")


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields each line as it is, without terminal colours, or as the engine's own where an engine said it."""
    context.by_line = True
    for line in spread(lines(chunks, context), context):
        text = strip_ansi(decode(line.data, context))
        said = _of_engine(text)
        if said is None:
            yield Frame(line.number, line.offset, 0, context.shape, text)
        else:
            yield Frame(line.number, line.offset, 0, ENGINE, said, not line.ended)


def _of_engine(text: str) -> str | None:
    """Returns the line as the engine would have printed it, with a stamp in UTC; None if it is none of an engine's."""
    if found := _LINE.match(text):
        return f"[{found['stamp']}Z] {found['body']}"
    if not _MESSAGE.search(text):
        return None
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not isinstance(told.get("time"), str) or not isinstance(told.get("message"), str):
        return None
    stamp, body = _UTC.fullmatch(told["time"]), _BODY.fullmatch(told["message"])
    return f"[{stamp['stamp']}Z] {body['body']}" if stamp and body else None
