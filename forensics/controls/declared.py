"""The controls, one declaration each: what is planted, which rule must see it, and what must come of it.

A new mechanism gets a control by one more ``Control`` here: a function that plans exchanges on the control machines
(``world.Plot``; what becomes of them follows from limits, pages and transfers, as ever in ``scenario``) and returns the
key of the one that must be found, and the columns of ``queries/controls/trail.sql`` that its row must show.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from forensics.controls.manners import CLASSES
from forensics.controls.world import A0, A1, B0, CONTEXT, LONG, MARKER, ORDINARY, QUIET, SAME, SOURCE, WHOLE, Plot
from forensics.scenario.faults import Fault

Expected = Mapping[str, tuple[object, ...]]
"""Column of the trail to the values that are right."""

FOUND: Final = ("confirmed", "probable")


@dataclass(frozen=True)
class Control:
    """One thing that must be found (or, ``negative``, must not be).

    ``rule`` is the query or stage that is put to the test, as ``mechanisms/late_write`` or ``match``. ``told`` is what
    must come of it besides where texts are read. ``needs`` are formats without which nothing of the kind can be
    planted; ``text`` marks what only texts show.
    """

    name: str
    rule: str
    plan: Callable[[Plot], str]
    expect: Expected
    told: Expected = field(default_factory=dict)
    needs: frozenset[str] = field(default_factory=frozenset)
    text: bool = False
    negative: bool = False

    @property
    def mechanism(self) -> str:
        """The mechanism that must be found at work, or, of a negative control, that must not."""
        return self.rule.removeprefix("mechanisms/") if self.rule.startswith("mechanisms/") else "over_pool"


def _over_pool(plot: Plot) -> str:
    plot.source(A0)
    return plot.long(A0)


def _late_write(plot: Plot) -> str:
    """A transfer hangs; a long prompt empties the free list; who gets the released pages has them overwritten."""
    aborted: dict[str, Any] = {"patience": 20.0, "stalls": True, "lands_after": 5.5, "stream": False}
    plot.ask(A1, 280, gap=9.0, **aborted)
    plot.long(A1, gap=46.0)
    return plot.ask(A1, 500, gap=70.0, style="verbatim")


def _leak(style: str) -> Callable[[Plot], str]:
    def plan(plot: Plot) -> str:
        plot.source(A0)
        return plot.long(A0, style=style)

    return plan


def _passed_on(plot: Plot) -> str:
    """An answer with foreign words is sent on as history, and leaks again from there: the first owner's words."""
    plot.source(A0)
    heard = plot.long(A0, who=1, style="verbatim")
    plot.source(B0, who=1, asks=f"forward:{heard}")
    return plot.long(B0, who=5, style="passed_on")


def _unseen_by_gateway(plot: Plot) -> str:
    plot.source(B0)
    return plot.long(B0, client="none")


def _joined(place: str, size: int = ORDINARY, **more: Any) -> Callable[[Plot], str]:
    return lambda plot: plot.ask(place, size, gap=75.0, **more)


def _beside(place: str, kind: str, *, gap: float = 12.0, **more: Any) -> Callable[[Plot], str]:
    """An exchange whose fault brings another's content: of the one asked just before it, by another tenant."""

    def plan(plot: Plot) -> str:
        source = plot.ask(place, gap=gap)
        return plot.ask(place, gap=75.0, fault=Fault(kind, source=source, **more), style="verbatim")

    return plan


def _short(plot: Plot) -> str:
    plot.source(B0)
    return plot.ask(B0, SOURCE, fault=Fault("short", tokens=200), style="verbatim")


def _marker(plot: Plot) -> str:
    source = plot.ask(A1, who=0, asks=f"marker:{MARKER}")
    return plot.ask(A1, who=3, fault=Fault("marker", source=source, said=MARKER.lower()))


def _swapped(plot: Plot) -> str:
    source = plot.ask(A1, who=4, gap=0.6)
    return plot.ask(B0, who=7, gap=75.0, fault=Fault("swapped", source=source))


def _via(how: str) -> Expected:
    return {"exchange_id": (), "pair_via": (how,), "decode_worker": ()}


ESTABLISHED: Final[Expected] = {
    "exchange_id": (), "decode_worker": (), "status": ("established",), "integrity": ("affected",),
}  # fmt: skip
SUSPECTED: Final[Expected] = {"exchange_id": (), "decode_worker": (), "status": ("established", "possible")}
PRINTED: Final = frozenset({"sglang_engine_log"})
TOLD: Final[Expected] = {"candidate": (True,), "span": (True,), "finding": (True,), "disclosure": FOUND}
CLEAN: Final[Expected] = {"integrity": ("not_affected",)}
"""What only formats that hold what engines print can show: without them it is open what they printed."""
NOTHING_FOREIGN: Final[Expected] = {"disclosure": ("none_found", "undetermined", None)}
"""Texts that the sample lacks leave it open whether anything was found; open is not found."""
REQUEST_LOG: Final = frozenset({"sglang_request_log"})

POSITIVE: Final = (
    Control("late write", "mechanisms/late_write", _late_write,
            {"exchange_id": (), "decode_worker": (), "status": ("possible", "established"), "candidate": (True,)},
            {**TOLD, "integrity": ("affected",), "mechanism": ("late_write",)}),
    Control("over-pool", "mechanisms/over_pool", _over_pool, ESTABLISHED),
    *(
        Control(f"text, {style.replace('_', ' ')}", "match", _leak(style), ESTABLISHED, TOLD, text=True)
        for style in CLASSES
    ),
    Control("text that travelled on", "match/answer_again", _passed_on, ESTABLISHED, TOLD, text=True),
    Control("transfer of too few tokens", "mechanisms/transfer_mismatch", _short, SUSPECTED),
    Control("checksum that does not match", "mechanisms/kv_checksum", _beside(A1, "checksum"), SUSPECTED,
            needs=PRINTED),
    Control("metadata of another room", "mechanisms/metadata_collision", _beside(A1, "collision", gap=0.4), SUSPECTED,
            needs=PRINTED),
    Control("pages freed in use", "mechanisms/page_lifetime", _beside(A1, "freed"), SUSPECTED, needs=PRINTED),
    Control("canary of the engine", "mechanisms/kv_canary", _beside(A1, "freed"), SUSPECTED, needs=PRINTED),
    Control("replay for another tenant", "mechanisms/gateway_mixup", _beside(B0, "replay"),
            {"exchange_id": (), "status": ("established", "possible")}),
    Control("planted marker", "mechanisms/canary", _marker, SUSPECTED, text=True),
    Control("answer to another question", "mechanisms/answer_mismatch", _swapped, SUSPECTED, text=True),
    Control("over-pool by length alone", "mechanisms/over_pool", _joined(QUIET, LONG),
            {**ESTABLISHED, "basis": ("measured limits",)}, needs=PRINTED),
    Control("over-pool that no gateway recorded", "verdicts/possible_source", _unseen_by_gateway,
            {**ESTABLISHED, "possible_sources": (True,)}),
    Control("join by response id", "link/pair_1_response_id", _joined(B0), _via("the response id")),
    Control("join by an id in an error", "link/pair_2_error_text", _joined(A1, link_fails=True),
            _via("an id in the error text")),
    Control("join by equal content", "link/pair_3_content", _joined(A1, patience=5.0, stream=False),
            _via("equal message content and time"), needs=REQUEST_LOG),
    Control("join by time and tokens", "link/pair_4_tokens", _joined(B0, CONTEXT - 3),
            _via("time and token count only"), needs=PRINTED),
    Control("join by time", "link/pair_5_time", _joined(B0, patience=5.0, stream=False), _via("time only")),
)  # fmt: skip

NEGATIVE: Final = (
    Control("too long for both pools", "mechanisms/over_pool", lambda plot: plot.ask(SAME, LONG), CLEAN,
            needs=PRINTED, negative=True),
    Control("long, on one node", "mechanisms/over_pool", lambda plot: plot.ask(WHOLE, LONG), CLEAN,
            needs=frozenset({"vllm_request_log"}), negative=True),
    Control("just below the limit", "mechanisms/over_pool", lambda plot: plot.ask(A0, 1_150), CLEAN, needs=PRINTED,
            negative=True),
    Control("after the transfer has ended", "mechanisms/late_write", lambda plot: plot.ask(A1), CLEAN, needs=PRINTED,
            negative=True),
    Control("own words again", "match", lambda plot: plot.long(A0, asks="echo"), NOTHING_FOREIGN,
            text=True, negative=True),
    Control("public text", "match", lambda plot: plot.long(A0, asks="public"), NOTHING_FOREIGN,
            text=True, negative=True),
)  # fmt: skip
