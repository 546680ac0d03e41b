"""Reads an outsider's report: TOML or JSON with the keys of ``docs/how-to.md``, or plain text in which ids, times and
quotations are recognised."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from forensics.case.moments import nanoseconds
from forensics.errors import ForensicsError
from forensics.intake.sighting import LARGEST, LONGEST_WORD, Report, Sighting, checked, digest

_KEYS: Final = ("id", "ids", "at", "until", "model", "tenant", "excerpt", "note")
_TOP: Final = ("reporter", "reference", "sighting")
_ID: Final = re.compile(
    r"\b(?:(?:chatcmpl|cmpl|resp|req|gen|msg)[-_][0-9A-Za-z_-]{6,80}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32})\b"
)
_TIME: Final = re.compile(
    r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?(Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b)", re.IGNORECASE
)
_FENCED: Final = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)^(?:```|~~~)\s*$", re.DOTALL | re.MULTILINE)
_MARKED: Final = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_SPOKEN: Final = re.compile('\u201c([^\u201d]{20,4000})\u201d|\u00ab([^\u00bb]{20,4000})\u00bb|"([^"]{20,4000})"')


def read_report(path: Path) -> Report:
    """Returns what ``path`` reports. Raises if it is no file, too large, damaged, or nothing in it is recognised."""
    try:
        if path.stat().st_size > LARGEST:
            raise ForensicsError(
                f"more than {LARGEST:,} bytes",
                where=str(path),
                fix="A report holds ids, times and excerpts; ingest logs",
            )
        data = path.read_bytes()
    except OSError as error:
        raise ForensicsError(f"cannot be read ({error.strerror})", where=str(path), fix="Check the path") from error
    text = data.decode("utf-8-sig", "replace")
    return parse_report(text, str(path), digest(data), _kind(path, text))


def parse_report(text: str, where: str, sha256: str, kind: str) -> Report:
    """Returns what ``text`` reports; ``kind`` is ``toml``, ``json`` or ``text``."""
    if kind == "text":
        return Report(sha256, "", "", checked(_plain(text), where))
    try:
        raw = tomllib.loads(text) if kind == "toml" else json.loads(text)
    except (ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:LONGEST_WORD]
        raise ForensicsError(f"this is not valid {kind.upper()}: {said}", where=where, fix="Correct it") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("sighting"), list):
        raise ForensicsError("there is no [[sighting]]", where=where, fix="Write one for each thing that was seen")
    _known(raw, _TOP, where, "the report")
    sightings = [_sighting(each, where, number) for number, each in enumerate(raw["sighting"], 1)]
    reporter, reference = (_word(raw, key, where) for key in ("reporter", "reference"))
    return Report(sha256, reporter, reference, checked(sightings, where))


def _kind(path: Path, text: str) -> str:
    if path.suffix.lower() in (".toml", ".json"):
        return path.suffix.lower()[1:]
    return (
        "json" if text.lstrip().startswith("{") else "toml" if re.search(r"^\[\[sighting\]\]", text, re.M) else "text"
    )


def _sighting(raw: object, where: str, number: int) -> Sighting:
    if not isinstance(raw, dict):
        raise ForensicsError(f"sighting {number} is no table", where=where, fix="Write [[sighting]] and its keys")
    _known(raw, _KEYS, where, f"sighting {number}")
    ids = raw.get("ids", [])
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
        raise ForensicsError(f"the ids of sighting {number} are no list of texts", where=where, fix='ids = ["…", "…"]')
    told = [*([_word(raw, "id", where)] if raw.get("id") else []), *ids]
    return Sighting(
        tuple(dict.fromkeys(told)), _moment(raw.get("at"), where, number), _moment(raw.get("until"), where, number),
        *(_word(raw, key, where) for key in ("model", "tenant", "excerpt", "note")),
    )  # fmt: skip


def _known(raw: Mapping[str, Any], keys: Sequence[str], where: str, what: str) -> None:
    for key in raw:
        if key not in keys:
            raise ForensicsError(
                f"{what} has the unknown key {key[:LONGEST_WORD]!r}", where=where, fix=f"Known here: {', '.join(keys)}"
            )


def _word(raw: Mapping[str, Any], key: str, where: str) -> str:
    value = raw.get(key, "")
    if not isinstance(value, str):
        raise ForensicsError(f"{key!r} must be a text", where=where, fix=f'Write {key} = "…"')
    return value


def _moment(raw: object, where: str, number: int) -> int | None:
    if raw is None:
        return None
    value: object = raw
    if isinstance(raw, str):
        try:
            value = datetime.fromisoformat(raw)
        except ValueError:
            value = None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), UTC)
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise ForensicsError(
            f"a time of sighting {number} is no time with a zone", where=where, fix="Write at = 2026-10-06T08:52:10Z"
        )
    return nanoseconds(value)


def _plain(text: str) -> list[Sighting]:
    """One sighting for each id, with the times and quotations that stand between it and the next; without ids, one."""
    quoted = list(_quotations(text))
    bare = _without(text, [(first, last) for first, last, _ in quoted])
    marks = list({found[0]: found.start() for found in reversed(list(_ID.finditer(bare)))}.items())
    marks.sort(key=lambda mark: mark[1])
    edges = [0, *(place for _, place in marks[1:]), len(text) + 1]
    names: list[tuple[str, ...]] = [(name,) for name, _ in marks] or [()]
    found = []
    for ids, (first, last) in zip(names, pairwise(edges), strict=True):
        times = sorted(moment for place, moment in _times(bare) if first <= place < last)
        said = "\n".join(words for place, _, words in quoted if first <= place < last)
        if ids or times or said:
            found.append(Sighting(ids, times[0] if times else None, times[-1] if times else None, excerpt=said))
    return found


def _quotations(text: str) -> Iterator[tuple[int, int, str]]:
    taken: list[tuple[int, int]] = []
    for pattern in (_FENCED, _MARKED, _SPOKEN):
        for found in pattern.finditer(text):
            if any(found.start() < last and first < found.end() for first, last in taken):
                continue
            taken.append(found.span())
            words = next((group for group in found.groups() if group), None) or re.sub(r"(?m)^[ \t]*> ?", "", found[0])
            yield found.start(), found.end(), words.strip()


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for first, last in spans:
        text = text[:first] + " " * (last - first) + text[last:]
    return text


def _times(text: str) -> Iterator[tuple[int, int]]:
    for found in _TIME.finditer(text):
        zone = "+00:00" if found[3].upper() in ("Z", "UTC", "GMT") else found[3]
        try:
            yield found.start(), nanoseconds(datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}"))
        except ValueError:
            continue
