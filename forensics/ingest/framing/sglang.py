"""SGLang's logs: engine lines, and request-log lines that may stand between them, each routed to its own query.

The three generations of line prefixes (``[time ranks] ``, none, ``[time] {json}``) are all accepted; in the text
format the objects are Python ``repr`` and are turned into the JSON that the same record has in the JSON format.
"""

import re
from collections.abc import Iterable, Iterator

from forensics.ingest.framing.clean import clean_json, decode, dump, strip_ansi
from forensics.ingest.framing.pyrepr import ReprError, read
from forensics.ingest.framing.records import Context, Frame, Line, Reject, lines
from forensics.ingest.framing.spread import spread

ENGINE, REQUESTS, SERVER = "sglang_engine_log", "sglang_request_log", "sglang_server_info"
STATUS = "sglang_scheduler_status"

_PREFIX = re.compile(r"\[(?P<stamp>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?)(?P<ranks>(?: [A-Z_]+\d+)*)\] ?")
_REQUEST = re.compile(r"(?P<verb>Receive OpenAI|Receive|Finish): obj=")
_PART = re.compile(r", (headers|out)=")
_ARGS = re.compile(r"server_args=(?=\{|ServerArgs\()")
_STATUS = re.compile(r'"event": ?"scheduler\.status"')
_EVENTS = {
    "Receive": "request.received",
    "Finish": "request.finished",
    "Receive OpenAI": "request.received.openai",
}


def frame(chunks: Iterable[bytes], context: Context) -> Iterator[Frame | Reject]:
    """Yields one frame per line: engine text, or the JSON of a request-log record or of the server's arguments."""
    context.by_line = True
    for line in spread(lines(chunks, context), context):
        text = strip_ansi(decode(line.data, context))
        prefix = _PREFIX.match(text)
        body = text[prefix.end() :] if prefix else text
        stamp = prefix["stamp"].replace(",", ".") if prefix else None
        yield _route(line, text, body, stamp, context)


def _route(line: Line, text: str, body: str, stamp: str | None, context: Context) -> Frame | Reject:
    if body.startswith("{"):
        shape = STATUS if _STATUS.search(body, 0, 200) else REQUESTS
        return Frame(line.number, line.offset, 0, shape, clean_json(body, context), not line.ended)
    value: dict[str, object]
    try:
        if found := _REQUEST.match(body):
            value = {"timestamp": stamp, "event": _EVENTS[found["verb"]], **_request(body, found.end())}
            return Frame(line.number, line.offset, 0, REQUESTS, dump(value, context), not line.ended)
        if stamp and (found := _ARGS.match(body)):
            value = {"timestamp": stamp, "server_args": read(body, found.end())[0]}
            return Frame(line.number, line.offset, 0, SERVER, dump(value, context), not line.ended)
    except (ReprError, RecursionError, ValueError):
        return context.incomplete(line, "malformed_repr")
    if context.shape != ENGINE and stamp is None:
        return context.incomplete(line, "foreign_line")
    return Frame(line.number, line.offset, 0, ENGINE, text, not line.ended)


def _request(body: str, at: int) -> dict[str, object]:
    """Returns ``obj``, ``headers`` and ``out`` of a text record, and ``rid`` beside them as the JSON format has it."""
    obj, at = read(body, at)
    fields: dict[str, object] = {"obj": obj}
    while at < len(body):
        found = _PART.match(body, at)
        if found is None:
            raise ReprError(f"unexpected text at {at}")
        fields[found[1]], at = read(body, found.end())
    if isinstance(obj, dict) and "rid" in obj:
        fields["rid"] = obj["rid"]
    return fields
