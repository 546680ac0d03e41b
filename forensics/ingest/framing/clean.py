"""Raw bytes to text that a strict JSON reader accepts, with what had to be replaced counted.

Python's ``json.dumps`` writes lone surrogates (half an emoji from a cut stream) and ``NaN``; both stop DuckDB or make
later exports invalid.
"""

import json
import re

from forensics.ingest.framing.records import Context

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]")
_NON_FINITE = re.compile(r"[:\[,]\s*-?(?:NaN|Infinity)\b")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def decode(data: bytes, context: Context) -> str:
    """Returns ``data`` as text; bytes that are no UTF-8 become U+FFFD and are counted. NUL padding is dropped."""
    data = data.strip(b"\x00")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        context.count("replaced_bytes", text.count("�"))
        return text


def clean_json(text: str, context: Context) -> str:
    """Returns JSON text without lone surrogates and non-finite numbers. What is no JSON comes back as it is."""
    # Plain searches first: they cost a hundredth of the patterns', and nearly all text holds neither.
    if ("\\ud" in text or "\\uD" in text) and _SUSPECT.search(text):
        text = _ESCAPE.sub(lambda found: _escape(found, context), text)
    if ("NaN" in text or "Infinity" in text) and _NON_FINITE.search(text):
        try:
            value = json.loads(text, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            return text
        context.count("replaced_non_finite")
        text = dump(value, context)
    return text


def dump(value: object, context: Context) -> str:
    """Returns ``value`` as JSON text; lone surrogates become U+FFFD, non-finite numbers null, both counted.

    What is nested too deeply to be written becomes ``null``, which no format takes for a record.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        return "null"
    except ValueError:  # a number such as 1e400 was read as infinity
        context.count("replaced_non_finite")
        return dump(json.loads(json.dumps(value), parse_constant=lambda _: None), context)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        context.count("replaced_surrogates", whole.count("�") - text.count("�"))
        return whole
    return text


def strip_ansi(text: str) -> str:
    """Returns ``text`` without terminal colours, which some log sinks keep."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def _escape(found: re.Match[str], context: Context) -> str:
    if found["lone"]:
        context.count("replaced_surrogates")
        return "�"
    return found[0]
