"""SGLang's request dumps, which are pickles, to the JSON lines that its request log has for the same requests.

Files of ``dump_requests`` and of a crash hold ``{"server_args": …, "requests": [(request, out, created, finished), …]``
with times in epoch seconds (managers/tokenizer_manager.py). They are read as plain data: no class is imported, nothing
is called. Other pickles are refused with how to convert them.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from forensics.errors import ForensicsError
from forensics.ingest.wrappers.base import Tell, Wrapper
from forensics.ingest.wrappers.plainpickle import PickleError, Plain, load

MOST_BYTES = 256 << 20
"""Bytes of one dump; it has to be in memory as a whole."""

_FIX = (
    "Convert it where SGLang's classes are, in a sandbox without network: one JSON object per request, with rid, obj, "
    "out, created and finished; then describe that with `forensics formats new`"
)


def begins(head: bytes) -> bool:
    """Whether a pickle of protocol 2 to 5 begins here."""
    return len(head) > 3 and head[0] == 0x80 and 2 <= head[1] <= 5 and head[2:3] in b"\x95}](c"


def unwrap(chunks: Iterable[bytes], _tell: Tell) -> Iterator[bytes]:
    """Yields a JSON line per request. Raises if the pickle is no request dump, or larger than ``MOST_BYTES``."""
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) > MOST_BYTES:
            raise _refused(f"is a pickle of more than {MOST_BYTES >> 20} MB")
    plain = Plain(16 * len(held) + (1 << 20))
    try:
        for number, request in enumerate(_requests(load(bytes(held)))):
            yield _line(_checked(plain.of(request)) if number == 0 else plain.of(request)) + b"\n"
    except PickleError as error:
        raise _refused(f"is a pickle that cannot be read as plain data: {error}") from error


def _requests(dump: object) -> list[object]:
    requests = dump.get("requests") if isinstance(dump, dict) else None
    if not isinstance(requests, list):
        raise PickleError("it holds no list of requests")
    return requests


def _checked(fields: Any) -> Any:
    """Returns the first request. Raises if it is none of SGLang's."""
    if not (isinstance(fields, list) and fields and isinstance(fields[0], dict) and "rid" in fields[0]):
        raise PickleError("its requests have no rid")
    return fields


def _line(request: Any) -> bytes:
    fields = request if isinstance(request, list) else [request]
    obj, out, created, finished = (*fields, None, None, None, None)[:4]
    meta = out.get("meta_info") if isinstance(out, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    if isinstance(out, dict) and out:
        out = out | {"meta_info": {"request_received_ts": created, "request_finished_ts": finished} | meta}
    record = {
        "timestamp": _time(finished) or _time(created),
        "event": "request.received" if out in (None, {}) else "request.finished",
        "rid": obj.get("rid") if isinstance(obj, dict) else None,
        "obj": obj,
        "out": out,
    }
    return json.dumps(record, separators=(",", ":")).encode()


def _time(seconds: object) -> str | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


def _refused(what: str) -> ForensicsError:
    return ForensicsError(what, fix=_FIX)


WRAPPER = Wrapper("pickle", begins, unwrap)
