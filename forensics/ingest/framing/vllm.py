"""vLLM's request log: two generations of lines, with ``repr`` strings, a date without a year, and unhandy repeats.

Sources: ``vllm/entrypoints/logger.py`` (to mid-2025: prompt, parameters and ids on one line) and
``vllm/entrypoints/serve/utils/request_logger.py`` (a ``details`` line at DEBUG, output and its ids apart).
"""

import json
import re
from collections.abc import Iterable, Iterator

from forensics.ingest.framing.clean import decode, dump, strip_ansi
from forensics.ingest.framing.pyrepr import ReprError, read
from forensics.ingest.framing.records import Context, Frame, Reject, lines

_PREFIX = re.compile(
    r"(?:\([^()]*\) )*(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) "
    r"(?:(?P<year>\d{4})-)?(?P<month>\d\d)-(?P<day>\d\d) (?P<time>\d\d:\d\d:\d\d(?:[.,]\d+)?) "
    r"(?:\[[^\]]*\] |[\w.]+:\d+\] )?"  # to early 2025 without the first bracket
)
_ACCESS = re.compile(r'INFO: +\S+ - "\S+ .*? HTTP/[\d.]+" \d{3}')
_SERVER = re.compile(
    r"(?P<process>(?:\([^()]*pid=\d+\) )+)?(?:\[(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)\] )?"
    r"(?P<told>(?:DEBUG|INFO|WARNING|ERROR): {2,}.*)"
)
"""A line of uvicorn, behind the name of vLLM's process, and with a stamp where a logging configuration gives one."""
_KSERVE = re.compile(r"(?P<asctime>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) \d+ kserve\S* ")
"""What KServe's server puts before vLLM's message, instead of vLLM's own prefix."""
_DETAILS = re.compile(r"Request (?P<id>\S+) details: ")
_RECEIVED = re.compile(r"Received request (?P<id>\S+): ")
_GENERATED = re.compile(
    r"Generated response (?P<id>\S+?)(?: \((?P<stream>streaming delta|streaming complete)\))?(?P<details> details)?: "
)
_BODY = re.compile(r"Request (?P<id>\S+) JSON body: (?=\{)")
_NAMES = (
    r"(?:sampling_)?(?P<name>prompt|params|prompt_token_ids|output|output_token_ids|finish_reason|lora_request|"
    r"prompt_adapter_request|prompt_embeds shape): "
)
_FIELD = re.compile(r"(?:, )?" + _NAMES)
_NEXT = re.compile(r", " + _NAMES)


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one JSON frame per line: ``stamp`` (with the year filled in), ``event``, ``id``, and its fields."""
    month, year = 0, context.year
    for line in lines(chunks, context):
        text = strip_ansi(decode(line.data, context))
        logged, prefix = _unwrap(text)
        if prefix is None and (told := _served(text)):
            yield Frame(line.number, line.offset, 0, context.shape, dump(told, context), not line.ended)
            continue
        if prefix is None:
            yield context.incomplete(line, "foreign_line")
            continue
        if year is not None and not prefix["year"]:
            year += 1 if month == 12 and int(prefix["month"]) == 1 else 0
            month = int(prefix["month"])
        try:
            record = _record(logged[prefix.end() :])
        except (ReprError, RecursionError, ValueError):
            yield context.incomplete(line, "malformed_repr")
            continue
        record["stamp"] = f"{prefix['year'] or year or '0000'}-{prefix['month']}-{prefix['day']} {prefix['time']}"
        record["has_year"] = bool(prefix["year"] or year)
        record["level"] = prefix["level"]
        yield Frame(line.number, line.offset, 0, context.shape, dump(record, context), not line.ended)


def _served(text: str) -> dict[str, object] | None:
    """Returns what a line of the web server says, if it is one and an access line or named as vLLM's."""
    found = _SERVER.match(text)
    if found is None or not (found["process"] or _ACCESS.match(found["told"])):
        return None
    told: dict[str, object] = {"event": "other", "message": found["told"]}
    return told | {"stamp": found["stamp"], "has_year": True} if found["stamp"] else told


def _unwrap(text: str) -> tuple[str, re.Match[str] | None]:
    """Returns the logged line, also out of python-json-logger's or KServe's wrapping, and its prefix."""
    if found := _KSERVE.match(text):
        text = f"INFO {found['asctime']} {text[found.end() :]}"
    if text.startswith("{"):
        try:
            wrapped = json.loads(text)
            text = f"{wrapped['levelname']} {wrapped['asctime']} {wrapped['message']}"
        except (ValueError, KeyError, TypeError, RecursionError):
            return text, None
    return text, _PREFIX.match(text)


def _record(body: str) -> dict[str, object]:
    if found := _BODY.match(body):
        return {
            "event": "body",
            "id": found["id"],
            "body": json.loads(body[found.end() :], parse_constant=lambda _: None),
        }
    if found := _DETAILS.match(body):
        return {"event": "details", "id": found["id"], **_fields(body, found.end())}
    if found := _RECEIVED.match(body):
        return {"event": "received", "id": found["id"], **_fields(body, found.end())}
    if found := _GENERATED.match(body):
        event = {"streaming delta": "delta"}.get(found["stream"] or "", "generated")
        return {"event": event, "id": found["id"], "streamed": bool(found["stream"]), **_fields(body, found.end())}
    return {"event": "other", "message": body}


def _fields(body: str, at: int) -> dict[str, object]:
    """Returns the ``name: value`` pairs from ``at``. Values that are no literals (parameters) are kept as text."""
    fields: dict[str, object] = {}
    while found := _FIELD.match(body, at):
        name, at = found["name"].replace(" ", "_"), found.end()
        if name in {"prompt", "output", "prompt_token_ids", "output_token_ids"}:
            fields[name], at = read(body, at)
        else:
            following = _NEXT.search(body, at)
            end = following.start() if following else len(body)
            fields[name], at = body[at:end].rstrip("."), end
    return fields
