"""One letter per tenant: a constant template, filled with typed values from an allow-list.

Nothing here can read message bodies: an import contract forbids it. A recipient's part names whole responses only; an
owner's part names places in that owner's own texts.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Final, get_args, get_type_hints

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


# What a letter may be filled with: which check of _CHECKS a value has to pass, and what the guard may expect of it.
Count = Annotated[int, "count"]
Time = Annotated[str, "time"]
Digest = Annotated[str, "digest"]
Code = Annotated[str, "code"]
Reference = Annotated[str, "reference"]
OwnId = Annotated[str, "own_id"]
OwnName = Annotated[str, "own_name"]
Notice = Annotated[str, "notice"]


@dataclass(frozen=True)
class Why:
    """A number of responses and the reason code they share."""

    reason: Code
    responses: Count


@dataclass(frozen=True)
class OwnResponse:
    """A response of the addressee's that is affected, named as a whole."""

    request_id: OwnId
    received_at: Time
    state: Code
    hmac: Digest


@dataclass(frozen=True)
class OwnRange:
    """A place in a text of the addressee's own: code points of the decoded field, end exclusive."""

    request_id: OwnId
    received_at: Time
    side: Code
    message_index: Count | None
    field: Code
    start: Count | None
    end: Count | None
    hmac: Digest

    @property
    def located(self) -> bool:
        """Whether the place is known, beside the request."""
        return self.start is not None


@dataclass(frozen=True)
class OwnRequest:
    """A request of the addressee's."""

    request_id: OwnId
    received_at: Time


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

    responses: Count
    confirmed: Count
    recipients: Count
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

    responses: Count
    listed: tuple[OwnRequest, ...]

    @property
    def requests(self) -> int:
        """How many requests are listed."""
        return len(self.listed)


@dataclass(frozen=True)
class Letter:
    """Everything that a letter is filled with."""

    tenant: OwnName
    provider: Notice
    service: Notice
    contact: Notice
    dpo: Notice
    first_signal: Notice
    awareness: Notice
    contained: Notice
    measures: Notice
    next_update: Notice
    phase: Code
    reference: Reference
    date: Time
    window_start: Time
    window_end: Time
    detector: Reference
    manifest_hash: Digest
    key: Digest
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
    for name, allowed in _kinds(type(part)).items():
        value, label = getattr(part, name), f"{path}{name}"
        if allowed:
            yield label, allowed, value
        elif isinstance(value, tuple):
            for n, each in enumerate(value):
                yield from values(each, f"{label}[{n}].")
        elif value is not None:
            yield from values(value, f"{label}.")


def _kinds(part: type[Any]) -> dict[str, str | None]:
    """The fields of a letter's part, each with the kind that its annotation names; None for parts of parts."""
    hints = get_type_hints(part, include_extras=True)
    return {item.name: _kind(hints[item.name]) for item in fields(part)}


def _kind(hint: Any) -> str | None:
    for each in (hint, *get_args(hint)):
        if metadata := getattr(each, "__metadata__", ()):
            return str(metadata[0])
    return None


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
    for name, allowed in _kinds(type(part)).items():
        value = getattr(part, name)
        if allowed and value is not None and not _CHECKS[allowed](value):
            raise ForensicsError(
                f"a letter's field {name!r} is not a {allowed}", fix="Nothing was published; please report this"
            )
        if isinstance(value, str):
            replaced[name] = inert.text(value)
        elif isinstance(value, tuple):
            replaced[name] = tuple(_checked(each) for each in value)
        elif is_dataclass(value):
            replaced[name] = _checked(value)
        else:
            replaced[name] = value
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
