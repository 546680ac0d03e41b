"""Which format a file has, by its content, and why."""

import re
from dataclasses import dataclass

from forensics.errors import ForensicsError
from forensics.ingest import envelopes
from forensics.ingest.formats import Format, Formats

_LINE_PREFIX = 4 << 10
_DOCUMENT_PREFIX = 256 << 10
_PARQUET = b"PAR1"
_HOLE = re.compile(rb"\x00{2,}")
_CONTROL = bytes(set(range(1, 32)) - set(b"\t\n\r\x1b"))
_CONTAINERS = {
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "Unpack it and ingest the files"),
    b"Rar!\x1a\x07": ("a RAR archive", "Unpack it and ingest the files"),
    b"\x04\x22\x4d\x18": ("an lz4 stream", "Decompress it and ingest the file"),
    b"\x1f\x9d": ("a compress (.Z) stream", "Decompress it and ingest the file"),
    b"SQLite format 3\x00": ("an SQLite database", "Export its tables as CSV"),
    b"LPKSHHRH": ("a systemd journal", "Export it with `journalctl --file … -o json`"),
}
_WHOLE = frozenset({"document", "json", "otlp"})
"""Framings that may hold one document over several lines."""


@dataclass(frozen=True)
class Detected:
    """A format, how its records are framed, why it was chosen (in words for the user), and its lines' envelopes."""

    form: Format
    framing: str
    why: str
    envelopes: tuple[str, ...] = ()


def detect(head: bytes, label: str, formats: Formats, wanted: str | None = None) -> Detected:
    """Returns the format of a file that begins with ``head``.

    ``wanted`` names a format and skips the search. Raises if the content is binary or of no known format.
    """
    if head.startswith(_PARQUET):
        return _declared(formats, wanted, head, ()) if wanted else _parquet(label)
    if wanted is None:
        if not head.strip(b"\x00 \t\r\n"):
            raise ForensicsError("holds nothing but blanks", where=label, fix="Leave it out")
        refuse_binary(head, label)
    names, lines = _opened(head, formats, wanted)
    within = b"\n".join(lines) if names else head
    if wanted is not None:
        return _declared(formats, wanted, within, names)
    sample = _texts(lines)
    votes = _all_votes(formats, sample)
    if not votes:
        text = within[:_DOCUMENT_PREFIX].decode("utf-8", "replace")
        votes = {form.name: 1 for form in formats.by_name.values() if _is_whole(form, text)}
    if not votes:
        raise ForensicsError(
            f"the format {'of the lines within ' + ', '.join(names) if names else ''} is not recognised".replace(
                "  ", " "
            ),
            where=label,
            fix="`forensics formats try FILE` shows what was seen. Name it with --format, describe it in SQL "
            "of your own (`forensics formats new`), or leave it out",
        )
    name = max(votes, key=lambda each: (votes[each], each))
    form = formats.by_name[name]
    why = f"{votes[name]} of {len(sample)} sampled lines{_within(names)}: {form.evidence}"
    return Detected(form, form.framing or guess_framing(within), why, names)


def _declared(formats: Formats, wanted: str, within: bytes, names: tuple[str, ...]) -> Detected:
    form = formats.get(wanted)
    return Detected(form, form.framing or guess_framing(within), f"as declared{_within(names)}", names)


def _parquet(label: str) -> Detected:
    raise ForensicsError(
        "Parquet has no format of its own",
        where=label,
        fix="Name it with --format, describe it in SQL of your own (`forensics formats new`), or leave the file out",
    )


def _within(names: tuple[str, ...]) -> str:
    return f" within {', '.join(names)}" if names else ""


def _opened(head: bytes, formats: Formats, wanted: str | None) -> tuple[tuple[str, ...], list[bytes]]:
    """Returns the envelopes of the file's lines, and a sample of the lines within."""
    known = list(formats.by_name.values()) if wanted is None else [formats.get(wanted)]
    if wanted is not None and known[0].query.header.get("envelopes") == "keep":
        return (), []
    return envelopes.find(head, lambda lines: max((_votes(form, _texts(lines)) for form in known), default=0))


def _all_votes(formats: Formats, lines: list[str]) -> dict[str, int]:
    return {form.name: count for form in formats.by_name.values() if (count := _votes(form, lines))}


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


def guess_framing(head: bytes) -> str:
    """Returns how a format that does not say it is framed: Parquet, JSON or CSV."""
    if head.startswith(_PARQUET):
        return "parquet"
    return "json" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else "csv"


def _votes(form: Format, lines: list[str]) -> int:
    """Returns how many of the sampled lines the format's pattern matches."""
    pattern = form.pattern
    if pattern is None or form.framing == "document":
        return 0
    look = pattern.match if pattern.pattern.startswith("^") else pattern.search
    return sum(bool(look(line)) for line in lines)


def _is_whole(form: Format, text: str) -> bool:
    """Whether ``text`` begins one document of this format that may stand on several lines."""
    if form.pattern is None or form.framing not in _WHOLE:
        return False
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "[")) and bool(form.pattern.search(text))


def _texts(lines: list[bytes]) -> list[str]:
    texts = [line[:_LINE_PREFIX].decode("utf-8", "replace") for line in lines]
    return [text.removeprefix("\ufeff") for text in texts if text.strip()]
