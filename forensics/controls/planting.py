"""Plays what is planted: from declared controls to exchanges with ids, times and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forensics.controls import world as site
from forensics.controls.author import ControlAuthor
from forensics.controls.declared import Control
from forensics.controls.write import Wording
from forensics.scenario.exchanges import Exchange
from forensics.scenario.serve import Serving


@dataclass(frozen=True)
class Planted:
    """What became of one control on the machines: the exchange to be found, and whose words it says."""

    name: str
    request_id: str
    tenant: str
    mechanism: str
    sources: tuple[str, ...]
    forwarded: bool


def played(chosen: Sequence[Control], words: Wording, start: float) -> tuple[list[Planted], list[Exchange]]:
    """Plays the plans of ``chosen`` on the control machines; returns what became of each, and all exchanges."""
    plot = site.Plot()
    keys = [(each, each.plan(plot)) for each in chosen]
    serving = Serving(site.machines(words.formats), seed=1, start=start, author=ControlAuthor())
    exchanges = serving.play(plot.plans)
    return [_planted(each, serving.exchanges[key], serving.exchanges) for each, key in keys], exchanges


def _planted(control: Control, exchange: Exchange, served: Mapping[str, Exchange]) -> Planted:
    words = exchange.response.words if exchange.response else ()
    sources = tuple(sorted({served[word.source].tenant.name for word in words}))
    forwarded = exchange.plan.style == "passed_on"
    return Planted(control.name, exchange.request_id, exchange.tenant.name, control.mechanism, sources, forwarded)
