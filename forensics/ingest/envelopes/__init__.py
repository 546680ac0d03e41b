"""Envelopes around the lines of a log: one module each, taken off in any nesting, with file and byte kept.

A record's place is that of its line in the file (after decompression), where an investigator can look it up.
"""

from collections.abc import Callable, Iterator
from functools import reduce

from forensics.ingest.envelopes import cloudwatch, cri, docker, journald, loki, prefixed, stores
from forensics.ingest.envelopes.base import Envelope
from forensics.ingest.framing.records import Context, Line, Opens, lines

ENVELOPES: dict[str, Envelope] = {
    each.name: each
    for each in (
        cri.ENVELOPE,
        docker.ENVELOPE,
        journald.ENVELOPE,
        loki.ANSWER,
        loki.ROWS,
        cloudwatch.INSIGHTS,
        cloudwatch.EVENTS,
        stores.ENTRIES,
        stores.DOCUMENT,
        stores.TABLE,
        prefixed.SYSLOG,
        prefixed.STAMPED,
        prefixed.NAMED,
        prefixed.QUOTED,
        prefixed.FRAMED,
    )
}
"""Asked in this order; a new one is a module of its own and a place here."""

MAX_DEPTH = 4
"""Envelopes in one another, as Docker's in Loki's; more are left closed."""

SAMPLE_LINES = 64
"""Lines of a file's beginning that are looked at."""


def find(
    head: bytes, recognised: Callable[[list[bytes]], int], most: int = SAMPLE_LINES
) -> tuple[tuple[str, ...], list[bytes]]:
    """Returns the envelopes that the lines of ``head`` are in, the outermost first, and ``most`` lines within or fewer.

    ``recognised`` counts the lines that a known format has. Of all ways to open the lines, the one that makes most of
    them recognised is taken; among equals, the one that opens what proves itself, and no prefix that does not.
    """

    def rank(found: tuple[tuple[str, ...], list[bytes]]) -> tuple[int, int, int]:
        names, within = found
        sure = sum(ENVELOPES[name].sure for name in names)
        return recognised(within), sure, sure - len(names)

    return max(_ways(head, (), most), key=rank)


def _ways(head: bytes, names: tuple[str, ...], most: int) -> Iterator[tuple[tuple[str, ...], list[bytes]]]:
    """Yields the envelopes that may be opened within ``names``, in any depth, each with the lines within."""
    sample = _sample(head, names, most)
    if names and not sample:
        return
    yield names, sample
    for name, envelope in ENVELOPES.items():
        if len(names) < MAX_DEPTH and name not in names and envelope.begins(sample):
            yield from _ways(head, (*names, name), most)


def opener(names: tuple[str, ...]) -> Opens:
    """Returns what takes lines out of all these envelopes."""
    chain = [ENVELOPES[name].opens for name in names]

    def opens(given: Iterator[Line], context: Context) -> Iterator[Line]:
        return reduce(lambda within, each: each(within, context), chain, given)

    return opens


def _sample(head: bytes, names: tuple[str, ...], most: int) -> list[bytes]:
    context = Context("", "", opens=opener(names))
    found = []
    for line in lines([head], context):
        found.append(line.data)
        if len(found) == most:
            break
    return found
