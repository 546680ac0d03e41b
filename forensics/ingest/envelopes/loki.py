"""Exports of Grafana Loki: ``logcli -o jsonl``, answers of its HTTP API, and Grafana's download as JSON.

Shapes: ``{"labels": {…}, "line": "…", "timestamp": "…"}`` per line or as an array, and
``{"status": "success", "data": {"resultType": "streams", "result": [{"stream": {…}, "values": [["<ns>", "…"], …]}]}}``.
"""

import re

from forensics.ingest.envelopes.base import Envelope
from forensics.ingest.envelopes.quoted import BEFORE, STRING, opener

_ANSWER = re.compile(rb'"resultType"\s*:\s*"streams"')
_LINE = re.compile(BEFORE + rb'"line"\s*:\s*"')
_BESIDE = re.compile(rb'(?<![\\\w])"(?:labels"\s*:\s*\{|timestamp"\s*:\s*"\d{19}")')
_PAIR = BEFORE + rb'"\d{16,20}"\s*,\s*' + STRING


def answers(lines: list[bytes]) -> bool:
    """Whether this is an answer of the API."""
    return _ANSWER.search(b"\n".join(lines[:8])) is not None


def rows(lines: list[bytes]) -> bool:
    """Whether these are rows of logcli or of Grafana's download."""
    if not lines or lines[0].lstrip()[:1] not in {b"{", b"["}:
        return False
    sample = b"\n".join(lines[:16])
    return _LINE.search(sample) is not None and _BESIDE.search(sample) is not None


ANSWER = Envelope("loki api", answers, opener(_PAIR))
ROWS = Envelope("loki", rows, opener(BEFORE + rb'"line"\s*:\s*' + STRING))
