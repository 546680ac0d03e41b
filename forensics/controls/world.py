"""The machines on which controls are planted, and the plot: small pools, so that a long prompt is a few kilobytes."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final

from forensics.scenario import domains
from forensics.scenario.exchanges import Plan
from forensics.scenario.world import Route, Tenant, Worker, World

MODEL: Final = "forensics-control"
PLAIN: Final = "forensics-control-plain"
EVEN: Final = "forensics-control-even"
PREFILL_POOL: Final = 1_208
DECODE_POOL: Final = 1_920
CONTEXT: Final = 1_800
PAGE: Final = 8
LIMIT: Final = PREFILL_POOL - 6
ORDINARY: Final = 330  # tokens of a prompt that every pool holds
LONG: Final = LIMIT + 40  # of one that only decode's holds
SOURCE: Final = 720  # so large that it gets the lowest pages, which the next long prompt gets too
TENANTS: Final = 12
BEFORE: Final = 480.0  # seconds that the engines have been up when the first exchange comes
A0, A1, B0 = "a0", "a1", "b0"
WHOLE, SAME, QUIET = "whole", "same", "quiet"
QUIET_WORKER: Final = "control-quiet"
"""A prefill worker of whose log only the start is left."""


DETECTORS: Final[dict[str, Any]] = {"checksum": True, "canary": "log"}
MARKER: Final = "QX7RHTWKZ4NBVM9PJD2CGL"
"""Planted in a prompt of the tenant ``MARKED``, and nowhere else."""
MARKED: Final = "control-00"


def _worker(name: str, role: str, host: int, pool: int, **more: Any) -> Worker:
    port = 30_000 if role == "prefill" else 30_001
    settings: dict[str, Any] = {"context": CONTEXT, "page_size": PAGE, "tp": 1, "model": MODEL, **DETECTORS, **more}
    return Worker(f"control-{name}", role, host=f"10.255.251.{host}", port=port, pool=pool, **settings)


WORKERS: Final = (
    _worker("prefill", "prefill", 11, PREFILL_POOL, request_level=1),
    _worker("quiet", "prefill", 12, PREFILL_POOL, request_log="none"),
    _worker("decode-a", "decode", 21, DECODE_POOL, dp=2, request_level=3),
    _worker("decode-b", "decode", 22, DECODE_POOL, request_log="stdout", skew=0.7, request_level=1),
    _worker("even-prefill", "prefill", 31, PREFILL_POOL, model=EVEN),
    _worker("even-decode", "decode", 32, PREFILL_POOL, model=EVEN),
    _worker("plain", "unified", 41, 8_000, model=PLAIN, context=16_000),
)
ROUTES: Final[dict[str, Route]] = {
    A0: ("control-prefill", "control-decode-a", 0),
    A1: ("control-prefill", "control-decode-a", 1),
    B0: ("control-prefill", "control-decode-b", 0),
    QUIET: (QUIET_WORKER, "control-decode-a", 1),
    SAME: ("control-even-prefill", "control-even-decode", 0),
    WHOLE: (None, "control-plain", 0),
}


def machines(formats: Collection[str]) -> World:
    """Returns the control world whose engines write what ``formats`` asks for, as far as they can."""
    asked, counted = "sglang_request_log" in formats, "sglang_request_metrics" in formats
    workers = tuple(
        replace(each, request_log=each.request_log if asked else "none", metrics=counted) for each in WORKERS
    )
    tenants = tuple(
        Tenant(f"control-{n:02}", f"Control tenant {n:02}", domains.PROBE, known_by="metadata") for n in range(TENANTS)
    )
    return World(workers, tenants, "", frozenset(), (), routes=ROUTES)


@dataclass
class Plot:
    """Plans exchanges one after the other, far enough apart for each to end."""

    plans: list[Plan] = field(default_factory=list)
    at: float = 5.0

    def ask(self, place: str, size: int = ORDINARY, *, who: int | None = None, gap: float = 12.0, **more: Any) -> str:
        """Plans an exchange and returns its key. ``who`` is a tenant's number; by default everyone takes turns."""
        key = f"k{len(self.plans):03}"
        tenant = f"control-{(len(self.plans) if who is None else who) % TENANTS:02}"
        settings: dict[str, Any] = {"asks": "", "style": "", "stream": len(self.plans) % 3 == 0, "max_tokens": 300}
        self.plans.append(Plan(key, self.at, tenant, size, place, **{**settings, **more}))
        self.at += gap
        return key

    def source(self, place: str, **more: Any) -> str:
        """Plans an exchange whose pages the next long prompt on that rank reads."""
        return self.ask(place, SOURCE, **more)

    def long(self, place: str, **more: Any) -> str:
        """Plans a prompt that prefill cannot hold and decode can."""
        return self.ask(place, LONG, **more)
