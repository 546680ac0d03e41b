"""Kubernetes CRI log lines (containerd, CRI-O): ``<RFC 3339 time> stdout|stderr F|P <text>``.

Long lines are split every 16 KiB; parts but the last are marked ``P`` (kubelet's ``logs/logs.go``). The parts of
the two streams may interleave. Bytes are joined, since a split may part a character.
"""

import re
from collections.abc import Iterator

from forensics.ingest.envelopes.base import Envelope, Halves, mostly
from forensics.ingest.framing.records import Context, Line

_LINE = re.compile(
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d) "
    rb"(?P<stream>stdout|stderr) (?P<tag>[PF])(?::\S*)?(?: |$)"
)


def opens(lines: Iterator[Line], context: Context) -> Iterator[Line]:
    """Yields the container's own lines, whole."""
    halves = Halves(context)
    for line in lines:
        found = _LINE.match(line.data)
        if found is None:
            yield line
        else:
            text = line._replace(data=line.data[found.end() :])
            yield from halves.add(found["stream"], text, last=found["tag"] == b"F")
    yield from halves.rest()


ENVELOPE = Envelope("cri", lambda lines: mostly(lines, _LINE.match), opens)
