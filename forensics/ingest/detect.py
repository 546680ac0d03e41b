"""Which format a file has, by its content, and why."""

from dataclasses import dataclass

from forensics.errors import ForensicsError
from forensics.ingest.formats import Format, Formats

SAMPLE_LINES = 64
"""Lines of a file's beginning that are looked at."""

_LINE_PREFIX = 4 << 10
_DOCUMENT_PREFIX = 256 << 10
_PARQUET = b"PAR1"
_CONTROL = bytes(set(range(1, 32)) - set(b"\t\n\r\x1b"))
_WHOLE = frozenset({"document", "json", "otlp"})
"""Framings that may hold one document over several lines."""


@dataclass(frozen=True)
class Detected:
    """A format, how its records are framed, and why it was chosen, in words for the user."""

    form: Format
    framing: str
    why: str


def detect(head: bytes, label: str, formats: Formats, wanted: str | None = None) -> Detected:
    """Returns the format of a file that begins with ``head``.

    ``wanted`` names a format and skips the search. Raises if the content is binary or of no known format.
    """
    if wanted is not None:
        form = formats.get(wanted)
        return Detected(form, form.framing or guess_framing(head), "as declared")
    if not head.strip(b"\x00 \t\r\n"):
        raise ForensicsError("holds nothing but blanks", where=label, fix="Leave it out")
    if not head.startswith(_PARQUET):
        refuse_binary(head, label)
    lines = _lines(head)
    votes = {form.name: count for form in formats.by_name.values() if (count := _votes(form, lines))}
    if not votes:
        text = head[:_DOCUMENT_PREFIX].decode("utf-8", "replace")
        votes = {form.name: 1 for form in formats.by_name.values() if _is_whole(form, text)}
    if not votes:
        raise ForensicsError(
            "the format is not recognised" if not head.startswith(_PARQUET) else "Parquet has no format of its own",
            where=label,
            fix="Name it with --format, describe it in SQL of your own (--format FILE.sql), or leave the file out",
        )
    name = max(votes, key=lambda each: (votes[each], each))
    form = formats.by_name[name]
    why = f"{votes[name]} of {len(lines)} sampled lines: {form.evidence}"
    return Detected(form, form.framing or guess_framing(head), why)


def refuse_binary(head: bytes, label: str) -> None:
    """Raises if ``head`` is no text in an encoding that contains ASCII."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ForensicsError("is UTF-16 text", where=label, fix="Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)")
    sample = head[: 64 << 10].strip(b"\x00")
    odd = len(sample) - len(sample.translate(None, _CONTROL))
    nuls = sample.count(0)
    if odd > len(sample) // 50 or nuls > len(sample) // 4:
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


def _lines(head: bytes) -> list[str]:
    lines = [line[:_LINE_PREFIX].decode("utf-8", "replace") for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]]
    return [line.removeprefix("\ufeff") for line in lines if line.strip()]
