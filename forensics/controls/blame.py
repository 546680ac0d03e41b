"""Where on the road a planted exchange was lost, and so which rule is blind, and why."""

from collections.abc import Mapping
from typing import Any, Final

from forensics.controls.declared import Control

ROAD: Final = {
    "exchange_id": ("link/exchange", "it is no exchange, or under another id"),
    "pair_via": ("", "it was joined by {pair_via}"),
    "decode_worker": ("link/exchange", "no log places it on its worker"),
    "status": ("mechanisms/{tested}", "it is {status}: {detail}"),
    "basis": ("link/worker_limit", "that it is over-pool rests on {basis}"),
    "candidate": ("mechanisms/candidate_source", "whose words it says is no candidate source"),
    "span": ("match", "no passage of its source was found; the heaviest of any weighs {span_milli} of 1/1000 bit"),
    "finding": ("verdicts/finding", "the passage that was found came to no finding"),
    "integrity": ("verdicts/verdict", "its integrity is {integrity} ({integrity_reason})"),
    "mechanism": ("verdicts/verdict", "it is put down to {mechanism}"),
    "disclosure": (
        "verdicts/source",
        "its disclosure is {disclosure}, at {source_milli} of {probable_milli} thousandths of a bit that are wanted",
    ),
    "possible_sources": ("verdicts/possible_source", "no possible source is named, though its text is missing"),
}
"""Columns of ``queries/controls/trail.sql`` in the order of the road: the rule that fills each, and what is wrong."""


def lost(control: Control, trail: Mapping[str, Any], *, told: bool) -> str | None:
    """Returns a sentence that names the first rule on the road that lost the control; None where all is as it must be.

    ``told`` says whether texts were read.
    """
    expected = {**control.expect, **(control.told if told else {})}
    for column, (rule, why) in ROAD.items():
        if column not in expected:
            continue
        right, value = expected[column], trail[column]
        if value in right or (not right and value is not None):
            continue
        blind = rule.format(tested=control.mechanism) or control.rule
        tests = "" if control.rule in (blind, "match") else f", which tests {control.rule},"
        reason = why.format_map({key: "nothing" if each is None else each for key, each in trail.items()})
        return f"{blind} is blind: of the control '{control.name}'{tests} {reason}."
    return None
