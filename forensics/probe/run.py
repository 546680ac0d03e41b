"""One run of the probe: what was asked, what was answered in figures, and a record of both without any text."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from forensics.errors import ForensicsError
from forensics.probe import passive
from forensics.probe.client import Answer, Client, Endpoint, Pacer
from forensics.probe.markers import Hit
from forensics.probe.provoke import provoke

REPORT_IT: Final = (
    "An answer holds text that nothing of this probe explains. It was not kept, and the probe stopped. To report it, "
    "tell the operator's security contact at once, give the request id, time and length above, and ask that the "
    "engine logs of that request be kept."
)


@dataclass(frozen=True)
class Plan:
    """How much is asked, how fast, and whether to provoke; ``statement``: who vouches that nobody else is served."""

    prefixes: int = 24
    words: int = 1_500
    canaries: int = 10
    rate: float = 2.0
    most: int = 400
    timeout: float = 60.0
    confidence: float = 0.99
    provoke: bool = False
    statement: str = ""
    rounds: int = 3
    over_words: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a run found. ``exit_code``: 0 isolation held and nothing seen, 1 something found, 2 T1 could not tell."""

    isolation: passive.Isolation | None
    canaries: tuple[dict[str, Any], ...]
    unexplained: tuple[dict[str, Any], ...]
    requests: int

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        refuted = self.isolation is not None and self.isolation.status == "refuted"
        if refuted or self.canaries or self.unexplained:
            return 1
        return 2 if self.isolation is not None and self.isolation.status == "undetermined" else 0


def probe(endpoint: Endpoint, plan: Plan, folder: Path) -> Outcome:
    """Runs the probe and writes ``folder/requests.jsonl`` and ``folder/probe.json``; no answer's text is written.

    Raises if the folder exists, a bound is exceeded, a key is refused or the endpoint does not answer.
    """
    check(plan)
    pacer = Pacer(plan.rate, plan.most)
    try:
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise ForensicsError(
            f"cannot make the folder ({error.strerror})", where=str(folder), fix="Give a new one"
        ) from error
    key = secrets.token_bytes(32)
    (folder / "probe.key").touch(mode=0o600)
    (folder / "probe.key").write_text(key.hex() + "\n", encoding="ascii")
    with (folder / "requests.jsonl").open("a", encoding="utf-8") as log:

        def note(row: dict[str, Any]) -> None:
            log.write(json.dumps(row, sort_keys=True) + "\n")
            log.flush()

        client = Client(endpoint, pacer, timeout=plan.timeout, note=note)
        began = _now()
        try:
            outcome = _provoking(client, plan, key) if plan.provoke else _passive(client, plan, key)
        finally:
            client.close()
    _write(folder, endpoint, plan, outcome, began)
    return outcome


def check(plan: Plan) -> None:
    """Raises where a plan must not be carried out."""
    if plan.provoke and not plan.statement.strip():
        raise ForensicsError(
            "provoking needs a statement that nobody else is served at this endpoint",
            fix='Give --statement "who vouches for it, and since when", which is recorded',
        )
    if plan.provoke and plan.over_words <= 0:
        raise ForensicsError(
            "the length of an over-long prompt is not given", fix="Give --over-words, above what the prefill pool holds"
        )
    if not 0.5 <= plan.confidence < 1:
        raise ForensicsError(f"a confidence of {plan.confidence} makes no sense", fix="Give one such as 0.99")


def _passive(client: Client, plan: Plan, key: bytes) -> Outcome:
    passive.warm_up(client, 3)
    isolation = passive.weigh(passive.time_prefixes(client, plan.prefixes, plan.words), 1 - plan.confidence)
    _, hits = passive.plant_and_look(client, plan.canaries)
    return Outcome(isolation, tuple(_hit("ordinary", each, hit, key) for each, hit in hits), (), client.pacer.sent)


def _provoking(client: Client, plan: Plan, key: bytes) -> Outcome:
    passive.warm_up(client, 1)
    canaries, unexplained = [], []
    for seen in provoke(client, rounds=plan.rounds, over_words=plan.over_words):
        if seen.hit:
            canaries.append(_hit(seen.provocation, seen.answer, seen.hit, key))
        else:
            unexplained.append({"provocation": seen.provocation, **_trace(seen.answer, key)})
    return Outcome(None, tuple(canaries), tuple(unexplained), client.pacer.sent)


def _hit(provocation: str, answer: Answer, hit: Hit, key: bytes) -> dict[str, Any]:
    found = {"provocation": provocation, "marker": hit.marker, "how": hit.how, "likeness": hit.likeness}
    return found | _trace(answer, key)


def _trace(answer: Answer, key: bytes) -> dict[str, Any]:
    """What may be kept of an answer: never its text."""
    digest = hmac.new(key, answer.text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    return {"request_id": answer.request_id, "at": answer.at, "length": len(answer.text), "hmac_sha256": digest}


def _write(folder: Path, endpoint: Endpoint, plan: Plan, outcome: Outcome, began: str) -> None:
    found = {
        "endpoint": endpoint.url,
        "model": endpoint.model,
        "mode": "provoking" if plan.provoke else "passive",
        "statement": plan.statement,
        "began": began,
        "ended": _now(),
        "requests": outcome.requests,
        "confidence": plan.confidence,
        "salts_sent": sorted(endpoint.salts),
        "isolation": outcome.isolation.told() if outcome.isolation else None,
        "canaries_found": list(outcome.canaries),
        "unexplained": list(outcome.unexplained),
    }
    (folder / "probe.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def lines(outcome: Outcome) -> Iterable[str]:
    """Yields what the command prints."""
    if found := outcome.isolation:
        yield f"T1 prefix-cache timing: isolation {found.status}. {found.reason} ({found.prefixes} prefixes)."
        share = found.share
        between = f"{share.likely:.0%}, between {share.low:.0%} and {share.high:.0%}"
        yield f"   of B's first uses served from a cache: {between}"
        yield f"   salts: {found.salts}. The naive rule would say: {found.naive}"
    yield f"T2 canaries: {len(outcome.canaries)} answers to B held a marker of A's"
    for each in (*outcome.canaries, *outcome.unexplained):
        how = f"marker {each['marker']} {each['how']}" if "marker" in each else "unexplained text, not kept"
        trace = f"request {each['request_id']} at {each['at']}, {each['length']} characters"
        yield f"   {each['provocation']}: {trace}: {how}"
    if outcome.unexplained:
        yield REPORT_IT
    yield f"{outcome.requests} requests in all."


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
