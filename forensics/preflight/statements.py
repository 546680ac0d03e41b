"""Reads statement files: what somebody tested or decided, which no setting shows, and how many workers there are."""

import datetime as dt
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forensics.errors import ForensicsError
from forensics.resources import queries

_TABLES = {
    "stated": {"check", "answer", "by", "on", "how", "version"},
    "workers": {"prefill", "decode"},
    "aborts": {"per_minute", "tokens"},
}
_FIX = "docs/preflight.md shows a statement file"


@dataclass(frozen=True)
class Statement:
    """One answer that somebody gives. ``version``, where given, is the engine's version for which it holds."""

    check: str
    answer: str
    by: str
    on: dt.date
    how: str
    where: str
    version: str | None = None


@dataclass
class Stated:
    """All statements; the number of workers per role; aborts per minute on one worker, and tokens of such a request."""

    answers: dict[str, Statement] = field(default_factory=dict)
    workers: dict[str, int] = field(default_factory=dict)
    aborts: dict[str, int] = field(default_factory=dict)


def checks() -> set[str]:
    """Returns the names of the checks that a statement may answer."""
    return {
        name
        for each in queries("preflight")
        if each.header.get("statement") == "yes"
        for name in each.header.get("checks", Path(each.name).name).replace(" ", "").split(",")
    }


def read(path: Path, stated: Stated) -> None:
    """Adds a file's statements to ``stated``. Raises if it is no TOML, or holds a key, check or value not known."""
    where = str(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ForensicsError(f"no TOML that can be read: {error}", where=where, fix=_FIX) from error
    for name, value in document.items():
        if name not in _TABLES:
            raise ForensicsError(f"no table [{name}] is known", where=where, fix=_FIX)
        for table in value if isinstance(value, list) else [value]:
            if not isinstance(table, dict) or not table.keys() <= _TABLES[name]:
                raise ForensicsError(f"[{name}] holds {', '.join(sorted(_TABLES[name]))} only", where=where, fix=_FIX)
            _add(stated, name, table, where)


def _add(stated: Stated, name: str, table: dict[str, Any], where: str) -> None:
    if name != "stated":
        if not all(type(each) is int and each >= 0 for each in table.values()):
            raise ForensicsError(f"[{name}] holds whole numbers", where=where, fix=_FIX)
        (stated.workers if name == "workers" else stated.aborts).update(table)
        return
    check = table.get("check")
    if check not in checks():
        known = ", ".join(sorted(checks()))
        raise ForensicsError(
            f"{check!r} is no check that a statement may answer", where=where, fix=f"These are: {known}"
        )
    if table.get("answer") not in {"pass", "fail"} or type(table.get("on")) is not dt.date:
        raise ForensicsError(f'{check}: answer is "pass" or "fail", on a date', where=where, fix=_FIX)
    if not all(isinstance(table.get(key), str) and table[key].strip() for key in ("by", "how")):
        raise ForensicsError(f"{check}: it lacks who says so (by) or how it was shown (how)", where=where, fix=_FIX)
    if check in stated.answers:
        raise ForensicsError(f"{check} is stated twice", where=where, fix="Keep one of them")
    version = str(table["version"]) if "version" in table else None
    stated.answers[check] = Statement(check, table["answer"], table["by"], table["on"], table["how"], where, version)
