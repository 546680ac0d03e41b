"""Exports of Amazon CloudWatch Logs: answers of ``filter-log-events`` and ``get-log-events``, what a subscription
delivers (objects that follow one another without a newline), and answers of Logs Insights.

An export task to S3 writes ``<RFC 3339 time> <text>`` lines, which ``stamped`` reads.
"""

import re

from forensics.ingest.envelopes.base import Envelope
from forensics.ingest.envelopes.quoted import BEFORE, STRING, opener

_MESSAGE = re.compile(BEFORE + rb'"message"\s*:\s*"')
_EVENTS = re.compile(rb'(?<![\\\w])"(?:logEvents|searchedLogStreams|nextForwardToken|ingestionTime|eventId)"\s*:')
_INSIGHTS = re.compile(rb'(?<![\\\w])"field"\s*:\s*"@message"')


def events(lines: list[bytes]) -> bool:
    """Whether this is an answer with events, a delivery, or events as lines."""
    sample = b"\n".join(lines[:24])
    begins = sample.lstrip()[:1] in {b"{", b"["}
    return begins and _MESSAGE.search(sample) is not None and _EVENTS.search(sample[:8192]) is not None


def insights(lines: list[bytes]) -> bool:
    """Whether this is an answer of Logs Insights."""
    sample = b"\n".join(lines[:24])
    return sample.lstrip()[:1] in {b"{", b"["} and _INSIGHTS.search(sample) is not None


EVENTS = Envelope("cloudwatch", events, opener(BEFORE + rb'"message"\s*:\s*' + STRING))
INSIGHTS = Envelope("cloudwatch insights", insights, opener(rb'"@message"\s*,\s*"value"\s*:\s*' + STRING))
