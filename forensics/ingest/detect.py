"""Which format a file has, by its content, and why."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from forensics.errors import ForensicsError
from forensics.ingest import envelopes, keys
from forensics.ingest.formats import Format, Formats
from forensics.ingest.framing import records
from forensics.ingest.framing.clean import strip_ansi
from forensics.ingest.framing.spread import spread

_LINE_PREFIX = 4 << 10
_DOCUMENT_PREFIX = 256 << 10
_FAR_LINES = 4096
"""Lines that are looked at where the first few tell nothing."""
_PARQUET = b"PAR1"
_HOLE = re.compile(rb"\x00{2,}")
_CONTROL = bytes(set(range(1, 32)) - set(b"\t\n\r\x1b"))
_PICKLE = (
    "a Python pickle, as SGLang's request dumps are (to load one is to run it)",
    "Convert it to JSON lines in a sandbox that has SGLang's classes and no network, and ingest those",
)
_CONTAINERS = {
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "Unpack it and ingest the files"),
    b"Rar!\x1a\x07": ("a RAR archive", "Unpack it and ingest the files"),
    b"\x04\x22\x4d\x18": ("an lz4 stream", "Decompress it and ingest the file"),
    b"\x1f\x9d": ("a compress (.Z) stream", "Decompress it and ingest the file"),
    b"PGDMP": ("a Postgres archive", "Turn it into text (`pg_restore --file=FILE.sql ARCHIVE`) and ingest that"),
    b"SQLite format 3\x00": ("an SQLite database", "Export its tables as CSV"),
    b"LPKSHHRH": ("a systemd journal", "Export it with `journalctl --file … -o json`"),
    **dict.fromkeys((bytes((0x80, protocol)) for protocol in range(2, 6)), _PICKLE),
}
_WHOLE = frozenset({"azure", "body", "document", "json", "json members", "otlp", "sse"})
"""Framings that may hold one document over several lines."""
_SPREAD = _WHOLE | {"dynamo", "sglang"}
"""Framings that may hold such documents between other text."""
_UNWRAPPING = frozenset({"", "azure", "json members"})
"""Framings that take the records out of an answer's list."""


@dataclass(frozen=True)
class Detected:
    """A format, how its records are framed, why it was chosen (in words for the user), and its lines' envelopes."""

    form: Format
    framing: str
    why: str
    envelopes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Votes:
    """How much speaks for each format that could be meant, in which words, and what the lines are in."""

    counts: dict[str, int]
    whys: dict[str, str]
    within: bytes
    envelopes: tuple[str, ...] = ()


def detect(head: bytes, label: str, formats: Formats, wanted: str | None = None, path: Path | None = None) -> Detected:
    """Returns the format of a file that begins with ``head``.

    ``wanted`` names a format and skips the search; ``path`` is where the file lies, for those that tell their columns
    at their end. Raises if the content is binary or of no known format.
    """
    if wanted is not None:
        form = formats.get(wanted)
        names, lines = ((), []) if head.startswith(_PARQUET) else _opened(head, [form])
        within = b"\n".join(lines) if names else head
        return Detected(form, form.framing or guess_framing(within, form.fields), f"as declared{_within(names)}", names)
    found = votes(head, label, formats, path)
    if not found.counts:
        raise _unknown(head, label, found.envelopes)
    name = max(found.counts, key=lambda each: (found.counts[each], each))
    form = formats.by_name[name]
    return Detected(form, form.framing or guess_framing(found.within, form.fields), found.whys[name], found.envelopes)


def votes(head: bytes, label: str, formats: Formats, path: Path | None = None) -> Votes:
    """Returns which formats a file that begins with ``head`` could be of. Raises if the content is binary or blank."""
    forms = list(formats.by_name.values())
    if head.startswith(_PARQUET):
        columns = _columns(path, label)
        return _sure((form for form in forms if form.fields and form.fields.match(columns)), "its columns", head)
    if not head.strip(b"\x00 \t\r\n"):
        raise ForensicsError("holds nothing but blanks", where=label, fix="Leave it out")
    refuse_binary(head, label)
    named = [form for form in forms if form.path_pattern and form.path_pattern.search(label)]
    if named:
        return Votes(
            dict.fromkeys((form.name for form in named), 1), {form.name: form.evidence for form in named}, head
        )
    near = _by_lines(head, forms, envelopes.SAMPLE_LINES)
    if _most(near) > 1:
        return near
    # One line may be chance, as a response's head above its body; and a console may begin with shell text.
    whole, documents = _as_document(near, forms), _as_documents(head, near, forms)
    if not whole.counts:
        far = _by_lines(head, forms, _FAR_LINES)
        if _most(far) > max(1, _most(documents)):
            return far
    return next((found for found in (documents, near, whole) if found.counts), near)


def _most(found: Votes) -> int:
    return max(found.counts.values(), default=0)


def _by_lines(head: bytes, forms: list[Format], most: int) -> Votes:
    """Returns what speaks for each format in up to ``most`` lines."""
    names, lines = _opened(head, forms, most)
    within = b"\n".join(lines) if names else head
    texts = _texts(lines)
    header = keys.of_csv(texts[0]) if texts else {}
    told = _sure(
        (form for form in forms if form.fields and form.fields.match(header)),
        "the names in its first line",
        within,
        names,
    )
    if told.counts:
        return told
    objects = _objects(texts)
    counts = {form.name: count for form in forms if (count := _votes(form, texts, objects))}
    how = f"of {len(texts)} sampled lines{_within(names)}"
    whys = {form.name: f"{counts[form.name]} {how}: {form.evidence}" for form in forms if form.name in counts}
    return Votes(counts, whys, within, names)


def _as_document(near: Votes, forms: list[Format]) -> Votes:
    """Returns the formats that the file could be one document of, over several lines."""
    text = near.within[:_DOCUMENT_PREFIX].decode("utf-8", "replace")
    objects = keys.of_json(text)
    whys = {form.name: f"one document: {form.evidence}" for form in forms if _is_whole(form, text, objects)}
    return Votes(dict.fromkeys(whys, 1), whys, near.within, near.envelopes)


def _as_documents(head: bytes, near: Votes, forms: list[Format]) -> Votes:
    """Returns the formats of the documents over several lines that stand within other text, perhaps quoted."""
    for quoted in ((), ("quoted",), ("framed",)):
        names = (*near.envelopes, *quoted)
        context = records.Context("", "", opens=envelopes.opener(names))
        spans = spread(records.lines([head], context), context)
        texts = [_compact(line.data) for line in spans if b"\n" in line.data]
        objects = _objects(texts)
        counts = {
            form.name: count
            for form in forms
            if (form.framing or "json") in _SPREAD and (count := _votes(form, texts, objects, documents=True))
        }
        if counts:
            how = f"of {len(texts)} documents within the text{_within(names)}"
            whys = {form.name: f"{counts[form.name]} {how}: {form.evidence}" for form in forms if form.name in counts}
            return Votes(counts, whys, near.within, names)
    return Votes({}, {}, near.within, near.envelopes)


def _sure(forms: Iterable[Format], why: str, within: bytes, opened: tuple[str, ...] = ()) -> Votes:
    names = [form.name for form in forms]
    return Votes(dict.fromkeys(names, 1), dict.fromkeys(names, f"{why}{_within(opened)}"), within, opened)


def _unknown(head: bytes, label: str, names: tuple[str, ...]) -> ForensicsError:
    what = f"the format of the lines within {', '.join(names)}" if names else "the format"
    if head.startswith(_PARQUET):
        what = "the format of these columns"
    return ForensicsError(
        f"{what} is not recognised",
        where=label,
        fix="`forensics formats try FILE` shows what was seen. Name it with --format, describe it in SQL "
        "of your own (`forensics formats new`), or leave it out",
    )


def _within(names: tuple[str, ...]) -> str:
    return f" within {', '.join(names)}" if names else ""


def _opened(
    head: bytes, known: list[Format], most: int = envelopes.SAMPLE_LINES
) -> tuple[tuple[str, ...], list[bytes]]:
    """Returns the envelopes of the file's lines, and a sample of the lines within."""
    if len(known) == 1 and known[0].query.header.get("envelopes") == "keep":
        return (), []

    def recognised(lines: list[bytes]) -> int:
        texts = _texts(lines)
        objects = _objects(texts)
        return max((_votes(form, texts, objects) for form in known), default=0)

    return envelopes.find(head, recognised, most)


def refuse_binary(head: bytes, label: str) -> None:
    """Raises if ``head`` is no text in an encoding that contains ASCII."""
    for magic, (kind, fix) in _CONTAINERS.items():
        if head.startswith(magic):
            raise ForensicsError(f"is {kind}, which is not read", where=label, fix=fix)
    sample = head[: 64 << 10].strip(b"\x00")
    odd = len(sample) - len(sample.translate(None, _CONTROL))
    nuls = _HOLE.sub(b"", sample).count(0)
    if odd > len(sample) // 50 or nuls > len(sample) // 2:
        raise ForensicsError("is binary, no log text", where=label, fix="Leave it out, or export it as text")


def guess_framing(head: bytes, fields: keys.Fields | None) -> str:
    """Returns how a format that does not say it is framed: Parquet, a dump of Postgres, JSON or CSV.

    What begins with none of these is JSON behind other text, unless its first line is a header with the ``fields``.
    """
    if head.startswith(_PARQUET):
        return "parquet"
    if head.lstrip().startswith((b"--", b"COPY ")):
        return "pg_dump"
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    is_json = first.startswith((b"{", b"[")) or (
        fields is not None
        and not fields.match(keys.of_csv(first.partition(b"\n")[0].decode("utf-8", "replace").strip()))
    )
    return "json members" if is_json else "csv"


def _compact(data: bytes) -> str:
    """Returns a document over several lines as the line that a log would hold it on, without a label before it."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t")
    text = text if text.startswith("[") else text[text.find("{") :]
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _votes(form: Format, lines: list[str], objects: list[list[dict[str, str]]], *, documents: bool = False) -> int:
    """Returns how many of the sampled lines, or ``documents``, are of this format."""
    if form.framing == "document" and not documents:
        return 0
    pattern = form.pattern
    look = None if pattern is None else pattern.match if pattern.pattern.startswith("^") else pattern.search
    return sum(
        _has_fields(form, names) or bool(look and look(line[:_LINE_PREFIX]))
        for line, names in zip(lines, objects, strict=True)
    )


def _has_fields(form: Format, names: list[dict[str, str]]) -> bool:
    """Whether an object has the fields of this format: the last one where the framing unwraps an answer's list."""
    if form.fields is None or not names:
        return False
    return form.fields.match(names[-1 if form.framing in _UNWRAPPING else 0])


def _is_whole(form: Format, text: str, objects: list[dict[str, str]]) -> bool:
    """Whether ``text`` begins one document of this format that may stand on several lines."""
    if form.framing and form.framing not in _WHOLE:
        return False
    if form.fields is not None:
        return _has_fields(form, objects)
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


def _objects(lines: list[str]) -> list[list[dict[str, str]]]:
    return [keys.of_json(line) if line.lstrip(" \t\r\n[").startswith("{") else [] for line in lines]


def _texts(lines: list[bytes]) -> list[str]:
    texts = [strip_ansi(line.decode("utf-8", "replace")).removeprefix("\ufeff") for line in lines]
    return [text for text in texts if text.strip()]
