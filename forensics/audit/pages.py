"""What a run tells people: one page per run, and one page of the trend."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from forensics.audit.result import Result
from forensics.disclose import inert
from forensics.disclose.documents import render

LATEST: Final = 90
"""Runs on the page of the trend."""


def page(result: Result) -> str:
    """Returns one run's page: no text of anybody's, and nothing that a browser would run or fetch."""
    return render("audit/run.html.jinja", run=_shown(result))


def trend(results: Sequence[Result]) -> str:
    """Returns the page of the last runs, the newest first."""
    latest = [_shown(each) for each in results[-LATEST:]]
    highest = max([1, *(max(len(each.findings), len(each.holes)) for each in results[-LATEST:])])
    return render("audit/trend.html.jinja", runs=latest, highest=highest)


def _shown(result: Result) -> dict[str, object]:
    told: dict[str, object] = inert.tree(asdict(result))
    told["exit_code"] = result.exit_code()
    told["incomplete"] = result.incomplete
    told["undetermined_responses"] = result.undetermined_responses
    return told
