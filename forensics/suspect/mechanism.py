"""A mechanism is one file of ``queries/mechanisms``: what its header says, checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from forensics.errors import ForensicsError
from forensics.resources import Query, queries

STATUSES: Final = ("established", "possible", "undetermined", "unrecorded", "excluded", "not_examined")
SOURCES: Final = ("pages", "neighbours", "named", "none")
CARRIES: Final = ("prompt", "prompt and response")
REQUIRED: Final = ("question", "grain", "inputs")
TOLD: Final = (*REQUIRED, "assumptions", "establishes", "possible", "excludes", "false positives")
"""What a header says; a site's own file must say the first three at least."""
LAST: Final = 500
"""The order of a mechanism that declares none: after all of ours."""


@dataclass(frozen=True)
class Mechanism:
    """One mechanism and how the frame treats it.

    ``ordinal`` decides which of several is named where records say as much for each: a cause before what detects it.
    ``sources`` says where candidate sources come from: ``pages`` (earlier owners on the worker and rank),
    ``neighbours`` (those that lived there beside it, too), ``named`` (by the statement itself) or ``none``. ``carries``
    is what of a source can reach the response. ``requires`` are needs (``mechanisms/need``), each a choice of
    alternatives.
    """

    name: str
    query: Query
    ordinal: int
    sources: str
    carries: str
    requires: tuple[tuple[str, ...], ...]

    def told(self, key: str) -> str:
        """Returns a field of the header, empty where the file does not say."""
        return self.query.header.get(key, "")


def mechanisms(site: Path | None) -> list[Mechanism]:
    """Returns the files that judge exchanges, those whose header names a mechanism, in their order.

    Raises where a header is incomplete or names what the frame does not know, or where two files are one mechanism.
    """
    found = [of(each) for each in queries("mechanisms", site) if "mechanism" in each.header]
    seen: dict[str, Mechanism] = {}
    for each in found:
        if each.name in seen:
            raise _error(each.query, f"{seen[each.name].query.path} is the mechanism {each.name!r} too", "Rename one")
        seen[each.name] = each
    return sorted(found, key=lambda each: (each.ordinal, each.name))


def of(query: Query) -> Mechanism:
    """Returns the mechanism that the header of ``query`` describes. Raises where the frame does not know its words."""
    header = query.header
    missing = [key for key in REQUIRED if not header.get(key)]
    if missing:
        raise _error(query, f"its header does not say: {', '.join(missing)}", "Add the lines `-- KEY: …`")
    sources, carries = header.get("sources", "pages"), header.get("carries", CARRIES[-1])
    for key, value, known in (("sources", sources, SOURCES), ("carries", carries, CARRIES)):
        if value not in known:
            raise _error(query, f"unknown {key} {value!r}", f"Use one of {', '.join(known)}")
    order = header.get("order", str(LAST))
    if not order.isdecimal():
        raise _error(query, f"the order {order!r} is no number", "Write `-- order: 100`")
    wanted = [each.strip() for each in header.get("requires", "").split(",") if each.strip()]
    requires = tuple(tuple(choice.strip() for choice in each.split(" or ")) for each in wanted)
    return Mechanism(header["mechanism"], query, int(order), sources, carries, requires)


def _error(query: Query, what: str, fix: str) -> ForensicsError:
    return ForensicsError(what, where=str(query.path), fix=fix)
