"""What stands before each line of a log: syslog's header, a bare time stamp, a pod's or a container's name, a paste's
indent or quote marks, the frame of a terminal's window.

No such prefix proves itself, since formats of their own begin alike; it is taken off only where the lines behind it are
recognised better than with it.
"""

import re
from collections.abc import Iterator

from forensics.ingest.envelopes.base import Envelope, mostly
from forensics.ingest.framing.records import Context, Line, Opens

_STAMP = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)"
_SYSLOG = re.compile(
    rb"(?:<\d{1,3}>)?(?:"
    rb"1 (?:" + _STAMP + rb"|-) \S+ \S+ \S+ \S+ (?:-|(?:\[(?:[^\]\\]|\\.)*\])+)"  # RFC 5424
    rb"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|" + _STAMP + rb") \S+ [^\s:\[]+(?:\[\d+\])?:"  # RFC 3164, rsyslog
    rb") ?(?:\xef\xbb\xbf)?"
)
_STAMPED = re.compile(rb"\[?" + _STAMP + rb"\]?[ \t]+")
_NAMED = re.compile(
    rb"\[pod/[^\]\s]+\] |[\w.-]+ +\| "  # kubectl logs --prefix; docker compose
    rb"|[a-z0-9][a-z0-9.-]* [a-z0-9][a-z0-9.-]* (?=\S)"  # stern: pod and container
    rb"|[\w.-]+(?:/[\w.-]+)+ (?=\S)|\{\w+=\"[^}\n]*\} "  # aws logs tail: a stream; logcli: labels
    rb"|[^\t\n]{1,99}\t[^\t\n]{1,99}\t(?=\d{4}-)"  # gh run view --log: job and step
    rb"|[\w./-]+\.(?:log|txt|out|err|jsonl?)(?::\d+)?:"  # grep over several files
    rb"|(?:\x1b\[[0-9;]*m)*\([\w:.]+ pid=\d+(?:, ip=[^()\s]+)?\)(?:\x1b\[[0-9;]*m)* "  # Ray
    rb"| *\d+: "  # srun --label
)
_FRAME = "│".encode()
"""What k9s has at both ends of each line."""
_QUOTED = re.compile(rb"(?:[ \t>]|[-*] `?(?=[\[{])|\+(?=[\[{]))+")  # of a mail, a list of code, a diff
_ESCAPED_COLOUR = re.compile(rb"#033\[[0-9;]*[A-Za-z]")
"""How rsyslog writes a terminal colour."""


def _without(prefix: re.Pattern[bytes]) -> Opens:
    def opens(lines: Iterator[Line], _context: Context) -> Iterator[Line]:
        for line in lines:
            found = prefix.match(line.data)
            yield line if found is None else line._replace(data=_ESCAPED_COLOUR.sub(b"", line.data[found.end() :]))

    return opens


def _envelope(name: str, prefix: re.Pattern[bytes]) -> Envelope:
    return Envelope(name, lambda lines: mostly(lines, prefix.match), _without(prefix), sure=False)


def _unframed(lines: Iterator[Line], _context: Context) -> Iterator[Line]:
    for line in lines:
        bare = line.data.strip()
        is_framed = bare.startswith(_FRAME)
        yield line._replace(data=bare.removeprefix(_FRAME).removesuffix(_FRAME).strip()) if is_framed else line


SYSLOG = _envelope("syslog", _SYSLOG)
STAMPED = _envelope("stamped", _STAMPED)
NAMED = _envelope("named", _NAMED)
QUOTED = _envelope("quoted", _QUOTED)
FRAMED = Envelope(
    "framed", lambda lines: mostly(lines, lambda line: line.lstrip().startswith(_FRAME)), _unframed, sure=False
)
