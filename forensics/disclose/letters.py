"""One letter per tenant: a constant template, filled with typed values from an allow-list.

Nothing here can read message bodies: an import contract forbids it. A recipient's part names whole responses only; an
owner's part names places in that owner's own texts.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final

from forensics.disclose import inert
from forensics.disclose.documents import render, words
from forensics.disclose.exports import csv_text
from forensics.errors import ForensicsError

TEMPLATES: Final = ("letter/words.jinja", "letter/letter.txt.jinja", "letter/letter.html.jinja", "letter/letter.css")
STATES: Final = ("confirmed", "probable", "none_found", "undetermined", "not_examined")
SIDES: Final = ("prompt", "response")
FIELDS: Final = ("content", "text", "reasoning", "tool_arguments", "tool_result")
PHASES: Final = ("initial", "update", "final")
_COLUMNS: Final = (
    "part", "request_id", "received_at", "state", "side", "message_index", "field", "start", "end", "hmac_sha256",
)  # fmt: skip
PARTS: Final = {"received": "answer received", "owned": "place in own text", "possible": "possibly in that memory"}
_CHECKS: Final[dict[str, Callable[[Any], bool]]] = {
    "count": lambda value: isinstance(value, int) and value >= 0,
    "time": lambda value: bool(re.fullmatch(r"(\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?)?", value)),
    "digest": lambda value: bool(re.fullmatch(r"([0-9a-f]{64})?", value)),
    "code": lambda value: bool(re.fullmatch(r"[a-z_]{1,40}", value)),
    "reference": lambda value: bool(re.fullmatch(r"[A-Za-z0-9.+-]{1,40}", value)),
    "own_id": lambda value: isinstance(value, str),
    "own_name": lambda value: isinstance(value, str),
    "notice": lambda value: isinstance(value, str),
}


def kind(name: str) -> Any:
    """Returns a dataclass field of one of the allowed kinds (the keys of ``_CHECKS``)."""
    return field(metadata={"kind": name})


@dataclass(frozen=True)
class Why:
    """A number of responses and the reason code they share."""

    reason: str = kind("code")
    responses: int = kind("count")


@dataclass(frozen=True)
class OwnResponse:
    """A response of the addressee's that is affected, named as a whole."""

    request_id: str = kind("own_id")
    received_at: str = kind("time")
    state: str = kind("code")
    hmac: str = kind("digest")


@dataclass(frozen=True)
class OwnRange:
    """A place in a text of the addressee's own: code points of the decoded field, end exclusive."""

    request_id: str = kind("own_id")
    received_at: str = kind("time")
    side: str = kind("code")
    message_index: int | None = kind("count")
    field: str = kind("code")
    start: int | None = kind("count")
    end: int | None = kind("count")
    hmac: str = kind("digest")

    @property
    def located(self) -> bool:
        """Whether the place is known, beside the request."""
        return self.start is not None


@dataclass(frozen=True)
class OwnRequest:
    """A request of the addressee's."""

    request_id: str = kind("own_id")
    received_at: str = kind("time")


@dataclass(frozen=True)
class Received:
    """What the addressee received: counts over ``responses``, and why some are undetermined."""

    responses: tuple[OwnResponse, ...]
    undetermined_why: tuple[Why, ...]

    @property
    def total(self) -> int:
        """How many responses are affected."""
        return len(self.responses)

    def count(self, state: str) -> int:
        """Returns the number of responses in one of ``STATES``."""
        return sum(each.state == state for each in self.responses)


@dataclass(frozen=True)
class Owned:
    """Where the addressee's content went: numbers of others, and places in the addressee's own texts."""

    responses: int = kind("count")
    confirmed: int = kind("count")
    recipients: int = kind("count")
    ranges: tuple[OwnRange, ...]

    @property
    def probable(self) -> int:
        """How many of the responses are probable."""
        return self.responses - self.confirmed

    @property
    def requests(self) -> int:
        """How many requests of the addressee's the places lie in."""
        return len({(each.request_id, each.received_at) for each in self.ranges})


@dataclass(frozen=True)
class Possible:
    """Requests of the addressee's that may be the source of ``responses`` affected responses of others."""

    responses: int = kind("count")
    listed: tuple[OwnRequest, ...]

    @property
    def requests(self) -> int:
        """How many requests are listed."""
        return len(self.listed)


@dataclass(frozen=True)
class Letter:
    """Everything that a letter is filled with."""

    tenant: str = kind("own_name")
    provider: str = kind("notice")
    service: str = kind("notice")
    contact: str = kind("notice")
    dpo: str = kind("notice")
    first_signal: str = kind("notice")
    awareness: str = kind("notice")
    contained: str = kind("notice")
    measures: str = kind("notice")
    next_update: str = kind("notice")
    phase: str = kind("code")
    reference: str = kind("reference")
    date: str = kind("time")
    window_start: str = kind("time")
    window_end: str = kind("time")
    detector: str = kind("reference")
    manifest_hash: str = kind("digest")
    key: str = kind("digest")
    undetermined_why: tuple[Why, ...]
    received: Received | None
    owned: Owned | None
    possible: Possible | None

    @property
    def undetermined(self) -> int:
        """Of how many of the addressee's responses the integrity is undetermined."""
        return sum(each.responses for each in self.undetermined_why)

    @property
    def roles(self) -> tuple[str, ...]:
        """The addressee's parts, of ``recipient``, ``source``, ``possible_source``."""
        parts = (("recipient", self.received), ("source", self.owned), ("possible_source", self.possible))
        return tuple(name for name, part in parts if part)


def values(part: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yields (path, kind, value) of every value that a letter is filled with, in order."""
    for item in fields(part):
        value, label = getattr(part, item.name), f"{path}{item.name}"
        if allowed := item.metadata.get("kind"):
            yield label, allowed, value
            continue
        for n, each in enumerate(value if isinstance(value, tuple) else () if value is None else (value,)):
            yield from values(each, f"{label}[{n}]." if isinstance(value, tuple) else f"{label}.")


def render_letter(letter: Letter) -> dict[str, str]:
    """Returns the letter's files by name: ``letter.txt``, ``letter.html``, ``requests.csv``.

    Raises on a value that is not of its declared kind.
    """
    shown = _checked(letter)
    return {
        "letter.txt": render("letter/letter.txt.jinja", letter=shown),
        "letter.html": render("letter/letter.html.jinja", letter=shown),
        "requests.csv": csv_text(_entries(shown), _COLUMNS),
    }


def fixed_words() -> list[str]:
    """Returns all words that stand in every letter whatever it is filled with."""
    return [*(each for name in TEMPLATES for each in words(name)), *_COLUMNS, *PARTS.values(), *STATES, *SIDES, *FIELDS]


def _checked(part: Any) -> Any:
    """Returns the letter with every string inert, once each value is of its declared kind."""
    replaced: dict[str, Any] = {}
    for item in fields(part):
        value = getattr(part, item.name)
        allowed = item.metadata.get("kind")
        if allowed and value is not None and not _CHECKS[allowed](value):
            raise ForensicsError(
                f"a letter's field {item.name!r} is not a {allowed}", fix="Nothing was published; please report this"
            )
        if isinstance(value, str):
            replaced[item.name] = inert.text(value)
        elif isinstance(value, tuple):
            replaced[item.name] = tuple(_checked(each) for each in value)
        elif is_dataclass(value):
            replaced[item.name] = _checked(value)
        else:
            replaced[item.name] = value
    return type(part)(**replaced)


def _entries(letter: Letter) -> Iterator[dict[str, Any]]:
    blank: dict[str, Any] = dict.fromkeys(_COLUMNS)
    for answer in letter.received.responses if letter.received else ():
        yield blank | {
            "part": PARTS["received"], "request_id": answer.request_id, "received_at": answer.received_at,
            "state": answer.state, "hmac_sha256": answer.hmac,
        }  # fmt: skip
    for place in letter.owned.ranges if letter.owned else ():
        yield blank | {
            "part": PARTS["owned"], "request_id": place.request_id, "received_at": place.received_at,
            "side": place.side, "message_index": place.message_index, "field": place.field,
            "start": place.start, "end": place.end, "hmac_sha256": place.hmac,
        }  # fmt: skip
    for request in letter.possible.listed if letter.possible else ():
        yield blank | {
            "part": PARTS["possible"], "request_id": request.request_id, "received_at": request.received_at,
        }  # fmt: skip
