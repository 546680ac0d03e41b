"""Which format a file has, by its content, and why."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from forensics.errors import ForensicsError
from forensics.ingest import keys
from forensics.ingest.formats import Format, Formats

SAMPLE_LINES = 64
"""Lines of a file's beginning that are looked at."""

_LINE_PREFIX = 4 << 10
_DOCUMENT_PREFIX = 256 << 10
_PARQUET = b"PAR1"
_PICKLE = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
_CONTROL = bytes(set(range(1, 32)) - set(b"\t\n\r\x1b"))
_WHOLE = frozenset({"body", "document", "json", "json members", "otlp", "sse"})
"""Framings that may hold one document over several lines."""


@dataclass(frozen=True)
class Detected:
    """A format, how its records are framed, and why it was chosen, in words for the user."""

    form: Format
    framing: str
    why: str


def detect(head: bytes, label: str, formats: Formats, wanted: str | None = None, path: Path | None = None) -> Detected:
    """Returns the format of a file that begins with ``head``.

    ``wanted`` names a format and skips the search; ``path`` is where the file lies, for those that tell their columns
    at their end. Raises if the content is binary or of no known format.
    """
    if wanted is not None:
        form = formats.get(wanted)
        return Detected(form, _framing(form, head), "as declared")
    if not head.strip(b"\x00 \t\r\n"):
        raise ForensicsError("holds nothing but blanks", where=label, fix="Leave it out")
    found = votes(head, label, formats, path)
    if not found:
        raise ForensicsError(
            "the format is not recognised" if not head.startswith(_PARQUET) else "its columns are of no known format",
            where=label,
            fix="Name it with --format, describe it in SQL of your own (--format FILE.sql), or leave the file out",
        )
    name = max(found, key=lambda each: (found[each][0], each))
    form = formats.by_name[name]
    return Detected(form, _framing(form, head), found[name][1])


def votes(head: bytes, label: str, formats: Formats, path: Path | None = None) -> dict[str, tuple[int, str]]:
    """Returns how much speaks for each format that could be meant, and in which words.

    Raises if the content is binary.
    """
    forms = list(formats.by_name.values())
    if head.startswith(_PARQUET):
        columns = _columns(path, label)
        return {form.name: (1, "its columns") for form in forms if form.fields and form.fields.match(columns)}
    refuse_binary(head, label)
    named = {form.name: (1, form.evidence) for form in forms if form.path_pattern and form.path_pattern.search(label)}
    if named:
        return named
    lines = _lines(head)
    header = keys.of_csv(lines[0]) if lines else {}
    told = {
        form.name: (1, "the names in its first line") for form in forms if form.fields and form.fields.match(header)
    }
    if told:
        return told
    objects = [keys.of_json(line) if line.lstrip(" \t[").startswith("{") else [] for line in lines]
    counted = {form.name: count for form in forms if (count := _votes(form, lines, objects))}
    if counted:
        of = len(lines)
        evidence = formats.by_name
        return {
            name: (count, f"{count} of {of} sampled lines: {evidence[name].evidence}")
            for name, count in counted.items()
        }
    text = head[:_DOCUMENT_PREFIX].decode("utf-8", "replace")
    whole = keys.of_json(text)
    return {form.name: (1, f"one document: {form.evidence}") for form in forms if _is_whole(form, text, whole)}


def refuse_binary(head: bytes, label: str) -> None:
    """Raises if ``head`` is no text in an encoding that contains ASCII."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ForensicsError("is UTF-16 text", where=label, fix="Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)")
    if head.startswith(_PICKLE):
        raise ForensicsError(
            "is a Python pickle, as SGLang's request dumps are: reading one runs whatever it says",
            where=label,
            fix="Convert it to JSON lines in a sandbox that has SGLang's classes and no network, and ingest those",
        )
    sample = head[: 64 << 10].strip(b"\x00")
    odd = len(sample) - len(sample.translate(None, _CONTROL))
    nuls = sample.count(0)
    if odd > len(sample) // 50 or nuls > len(sample) // 4:
        raise ForensicsError("is binary, no log text", where=label, fix="Leave it out, or export it as text")


def guess_framing(head: bytes) -> str:
    """Returns how a format that does not say it is framed: Parquet, JSON or CSV."""
    if head.startswith(_PARQUET):
        return "parquet"
    return "json members" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else "csv"


def _framing(form: Format, head: bytes) -> str:
    return form.framing or guess_framing(head)


def _votes(form: Format, lines: list[str], objects: list[list[dict[str, str]]]) -> int:
    """Returns how many of the sampled lines are of this format."""
    if form.framing == "document":
        return 0
    fields, pattern = form.fields, form.pattern
    look = None if pattern is None else pattern.match if pattern.pattern.startswith("^") else pattern.search
    return sum(
        bool(fields and any(fields.match(found) for found in names)) or bool(look and look(line[:_LINE_PREFIX]))
        for line, names in zip(lines, objects, strict=True)
    )


def _is_whole(form: Format, text: str, objects: list[dict[str, str]]) -> bool:
    """Whether ``text`` begins one document of this format that may stand on several lines."""
    if form.framing and form.framing not in _WHOLE:
        return False
    if form.fields is not None:
        return any(form.fields.match(found) for found in objects)
    if form.pattern is None or not form.framing:
        return False
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "[")) and bool(form.pattern.search(text))


def _columns(path: Path | None, label: str) -> dict[str, str]:
    """Returns the names of a Parquet file's columns, nothing where it cannot be opened by itself."""
    if path is None:
        return {}
    try:
        return dict.fromkeys(pq.read_schema(path).names, "")
    except (OSError, ValueError) as error:  # pyarrow's errors are kinds of these
        raise ForensicsError(
            f"cannot be read as Parquet ({str(error).splitlines()[0]})", where=label, fix="Export it again"
        ) from error


def _lines(head: bytes) -> list[str]:
    lines = [line.decode("utf-8", "replace") for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]]
    return [line.removeprefix("\ufeff") for line in lines if line.strip()]
