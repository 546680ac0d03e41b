"""Formats that are told by the names of their fields: of a JSON object, a CSV header or a Parquet schema.

A format's ``-- keys:`` line lists what must be there: ``a, b`` both names, ``a=x`` the name with that text, ``a!=x``
with another, ``!c`` not that name, and ``|`` between alternatives; a null has the text ``null``. Only the outermost
names count, so that what a customer wrote into a prompt cannot make a file look like another format.
"""

import csv
import re
from collections.abc import Callable, Mapping

MEMBERS = ("result", "data", "items", "observations", "value", "values", "records", "rows")
"""Names under which an API's answer holds its list of records."""

_ONE = ("result", "data")
"""Names under which it holds a single one, if there is nothing beside it but ``_BESIDE``."""

_BESIDE = frozenset({"code", "error", "errors", "message", "messages", "meta", "status", "success"})

_START = re.compile(r"[\s\ufeff\[]*(?=\{)")
_NULL = re.compile(r"\s*null\b")
_TOKEN = re.compile(r'"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<sign>[{}\[\],:])', re.DOTALL)


class Fields:
    """What a format's ``-- keys:`` line asks for."""

    def __init__(self, line: str) -> None:
        self.alternatives = [
            [_asked(item.strip()) for item in alternative.split(",") if item.strip()] for alternative in line.split("|")
        ]

    def match(self, found: Mapping[str, str]) -> bool:
        """Whether ``found``, names with the text that they hold, is of this format."""
        return bool(found) and any(all(asked(found) for asked in each) for each in self.alternatives)


def _asked(item: str) -> Callable[[Mapping[str, str]], bool]:
    if item.startswith("!"):
        return lambda found: item[1:] not in found
    name, sign, value = item.partition("=")
    if name.endswith("!"):
        return lambda found: found.get(name[:-1], value) != value
    return lambda found: found.get(name) == value if sign else name in found


def of_json(text: str) -> list[dict[str, str]]:
    """Returns the outermost names of the JSON object that ``text`` begins with, and the text of those that hold any.

    Of an array it is the first member's; an API's answer that wraps a list (``MEMBERS``) or one record is followed by
    the names of its first. ``text`` may end early; what is no object gives nothing.
    """
    start = _START.match(text)
    if start is None:
        return []
    outer, lists, objects = _object(text, start.end())
    within = [lists[name] for name in MEMBERS if name in lists]
    within += [objects[name] for name in _ONE if name in objects and outer.keys() - {name} <= _BESIDE]
    inner = _object(text, within[0])[0] if within else None
    return [outer, inner] if inner else [outer]


def members(document: Mapping[str, object]) -> list[object] | None:
    """Returns the records that an API's answer wraps, None if it wraps none."""
    for name in MEMBERS:
        found = document.get(name)
        if isinstance(found, list) and all(isinstance(each, dict) for each in found):
            return found
    alone = [document[name] for name in _ONE if name in document and document.keys() - {name} <= _BESIDE]
    return alone if alone and isinstance(alone[0], dict) else None


def _object(text: str, start: int) -> tuple[dict[str, str], dict[str, int], dict[str, int]]:
    """Returns the names and texts of the object at ``start``, and where its lists' first objects and its own begin."""
    found: dict[str, str] = {}
    lists: dict[str, int] = {}
    objects: dict[str, int] = {}
    name, last, depth = "", "", 0
    for token in _TOKEN.finditer(text, start):
        sign = token["sign"]
        if sign in ("{", "["):
            if depth == 2 and last + sign == "[{":
                lists[name] = token.start()
            elif depth == 1 and last + sign == ":{":
                objects[name] = token.start()
            depth += 1
        elif sign in ("}", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and sign is None and last in "{,":
            name = token["text"]
            found[name] = ""
        elif depth == 1 and sign is None:
            found[name] = token["text"]
        elif depth == 1 and sign == ":" and _NULL.match(text, token.end()):
            found[name] = "null"
        last = sign or '"'
    return found, lists, objects


def of_csv(line: str) -> dict[str, str]:
    """Returns the names of a CSV header; a line that is none gives nothing."""
    try:
        names = next(csv.reader([line]), [])
    except csv.Error:
        return {}
    return dict.fromkeys((name.strip() for name in names), "") if len(names) > 1 else {}
