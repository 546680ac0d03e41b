"""Python's ``repr`` of request objects, as SGLang's text log prints them, turned into plain values.

``ast.literal_eval`` cannot read them: a truncated string is ``'head' ... 'tail'`` (each half with its own quotes), a
truncated list ``[1, 2] ... [8, 9]``, and objects are calls such as ``GenerateReqInput(rid='…')`` (SGLang
``srt/utils/request_logger.py``). So this is a reader of its own, which never evaluates anything.
"""

import json
import re
from typing import Any

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_STRING = re.compile(r"(?P<bytes>[bB])?(?P<quote>'''|\"\"\"|'|\")")
_ELLIPSIS = re.compile(r"\s*\.\.\.\s*")
_OPAQUE = re.compile(r"<[^<>]*>")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL)
_USUAL = (("\\n", "\n"), ("\\'", "'"), ('\\"', '"'), ("\\t", "\t"), ("\\r", "\r"))
_CONSTANTS: dict[str, Any] = {"None": None, "True": True, "False": False, "nan": None, "inf": None}
MAX_DEPTH = 200
HALF = 1024
"""Characters that SGLang keeps of either end of a string at log level 2."""


class ReprError(ValueError):
    """The text is no representation that this reader knows, or ends early."""


def read(text: str, at: int = 0) -> tuple[Any, int]:
    """Returns the value that begins at ``at`` and where it ends.

    Tuples and sets become lists, objects become dicts of their keyword arguments. A truncated string has ``...``
    between its halves, as the JSON format writes it, where these have SGLang's length, else it becomes
    ``{"head": …, "tail": …}``; a truncated list holds ``"..."`` between its ends. Raises ``ReprError``.
    """
    return _Reader(text).truncatable(at, 0)


def unquote(body: str) -> str:
    """Returns the text between quotes with its escapes resolved."""
    return "\\".join(map(_unescaped, body.split("\\\\"))) if "\\" in body else body


def _unescaped(part: str) -> str:
    """Resolves the escapes of a text without escaped backslashes: the usual ones by plain replacing, for speed."""
    if "\\" not in part:
        return part
    text = part
    for escape, letter in _USUAL:
        text = text.replace(escape, letter)
    return _ESCAPE.sub(_escape, part) if "\\" in text else text


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def truncatable(self, at: int, depth: int) -> tuple[Any, int]:
        """A value, or two halves of one with ``...`` between."""
        value, at = self.value(at, depth)
        found = _ELLIPSIS.match(self.text, at)
        if found is None or not isinstance(value, str | list):
            return value, at
        tail, end = self.value(found.end(), depth)
        if isinstance(value, str) and isinstance(tail, str):
            if len(value) == len(tail) == HALF:
                return f"{value}...{tail}", end  # as the JSON format writes it
            return {"head": value, "tail": tail}, end
        if isinstance(value, list) and isinstance(tail, list):
            return [*value, "...", *tail], end
        raise ReprError("the halves of a truncated value differ in kind")

    def value(self, at: int, depth: int) -> tuple[Any, int]:  # noqa: PLR0911 - one return per kind of value
        if depth > MAX_DEPTH:
            raise ReprError("nested too deeply")
        at = self.skip(at)
        if at >= len(self.text):
            raise ReprError("ends early")
        opener = self.text[at]
        if found := _STRING.match(self.text, at):
            return self.string(found)
        if opener == "{":
            return self.mapping(at + 1, depth + 1)
        if opener == "[" and (found_ids := self.integers(at)):
            return found_ids
        if opener in "[(":
            return self.sequence(at + 1, "]" if opener == "[" else ")", depth + 1)
        if found := _NUMBER.match(self.text, at):
            return _number(found[0]), found.end()
        if found := _OPAQUE.match(self.text, at):
            return found[0], found.end()
        if found := _NAME.match(self.text, at):
            return self.named(found, depth)
        raise ReprError(f"unexpected {opener!r} at {at}")

    def integers(self, at: int) -> tuple[list[int], int] | None:
        """A list of numbers alone, as token ids are, by far the longest lists; None if it is anything else."""
        end = self.text.find("]", at) + 1
        if self.text[at + 1 : end - 1].strip("0123456789, "):
            return None
        try:
            return json.loads(self.text[at:end]), end
        except ValueError:
            return None

    def named(self, found: re.Match[str], depth: int) -> tuple[Any, int]:
        """A constant, a bare name, or an object with its arguments."""
        name, at = found[0], found.end()
        if self.text[at : at + 1] != "(":
            return _CONSTANTS.get(name, name), at
        fields: dict[str, Any] = {}
        rest: list[Any] = []
        at = self.skip(at + 1)
        while self.peek(at) != ")":
            key = _NAME.match(self.text, at)
            if key and self.text[key.end() : key.end() + 1] == "=":
                fields[key[0]], at = self.truncatable(key.end() + 1, depth + 1)
            else:
                item, at = self.truncatable(at, depth + 1)
                rest.append(item)
            at = self.comma(at, ")")
        return fields or rest, at + 1

    def mapping(self, at: int, depth: int) -> tuple[Any, int]:
        result: dict[str, Any] = {}
        at = self.skip(at)
        while self.peek(at) != "}":
            key, at = self.truncatable(at, depth)
            at = self.skip(at)
            if self.peek(at) != ":":  # a set
                result[str(key)] = True
            else:
                result[str(key)], at = self.truncatable(at + 1, depth)
            at = self.comma(at, "}")
        return result, at + 1

    def sequence(self, at: int, closer: str, depth: int) -> tuple[Any, int]:
        items: list[Any] = []
        at = self.skip(at)
        while self.peek(at) != closer:
            item, at = self.truncatable(at, depth)
            items.append(item)
            at = self.comma(at, closer)
        return items, at + 1

    def string(self, found: re.Match[str]) -> tuple[str, int]:
        quote = found["quote"]
        start = at = found.end()
        while True:
            end = self.text.find(quote, at)
            if end < 0:
                raise ReprError("a string does not end")
            before = end
            while before > start and self.text[before - 1] == "\\":
                before -= 1
            slashes = end - before
            if slashes % 2 == 0:
                return unquote(self.text[start:end]), end + len(quote)
            at = end + 1

    def comma(self, at: int, closer: str) -> int:
        at = self.skip(at)
        if self.peek(at) == ",":
            return self.skip(at + 1)
        if self.peek(at) != closer:
            raise ReprError(f"expected ',' or {closer!r} at {at}")
        return at

    def peek(self, at: int) -> str:
        if at >= len(self.text):
            raise ReprError("ends early")
        return self.text[at]

    def skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        value = float(text)
        return value if value - value == 0 else None  # infinity has no JSON


def _escape(found: re.Match[str]) -> str:
    short, four, eight, octal, other = found.groups()
    if octal:
        return chr(int(octal, 8))
    digits = short or four or eight
    if digits:
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else "�"
    return _ESCAPES.get(other, found[0])
