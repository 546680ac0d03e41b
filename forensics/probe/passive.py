"""The passive probe: ordinary requests of two test tenants. T1 times fresh prefixes, T2 looks for planted canaries."""

import random
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np

from forensics.errors import ForensicsError
from forensics.probe import markers
from forensics.probe.client import Answer, Client
from forensics.timing.statistics import Floats, Share, divide, served, smaller

NAIVE: Final = 0.7
LEAST_SERVED: Final = 0.05
MOST_SERVED: Final = 0.35  # of B's first uses, up to which isolation is said to have held
ASK: Final = "\n\nReply with the single word OK."


@dataclass
class Times:
    """Times to the first content (ns), one per prefix: A cold, A warm, B first; A warm under another salt, if any."""

    cold: list[int] = field(default_factory=list)
    warm: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    other_salt: list[int] = field(default_factory=list)
    cached: dict[str, list[int | None]] = field(default_factory=lambda: {"warm": [], "first": []})


@dataclass(frozen=True)
class Isolation:
    """T1's answer: ``status`` is ``refuted``, ``held`` or ``undetermined``; chance is that of the ranks, share of B's
    first uses."""

    status: str
    reason: str
    prefixes: int
    chance: float
    share: Share
    salts: str
    naive: str

    def told(self) -> dict[str, Any]:
        """Returns it as plain data."""
        return asdict(self)


def warm_up(client: Client, requests: int) -> None:
    """Sends a few short requests of both tenants, whose times count for nothing. Raises if a key is refused."""
    for number in range(requests):
        for who in ("a", "b"):
            answer = client.ask(who, f"{markers.filler(12)} {number}{ASK}", "warm-up")
            if answer is None or answer.status != 200:
                status = answer.status if answer else "no answer"
                raise ForensicsError(
                    f"tenant {who} was refused ({status})",
                    where=client.endpoint.url,
                    fix="Check the key, the model and the URL (it ends before /chat/completions)",
                )


def time_prefixes(client: Client, prefixes: int, words: int) -> Times:
    """Sends each of ``prefixes`` fresh prefixes cold and warm by A, then first by B."""
    times = Times()
    for _ in range(prefixes):
        prefix = markers.filler(words)
        _timed(client, "a", prefix, "cold", times.cold)
        warm = _timed(client, "a", prefix, "warm", times.warm)
        first = _timed(client, "b", prefix, "first", times.first)
        times.cached["warm"].append(warm.cached_tokens)
        times.cached["first"].append(first.cached_tokens)
        if client.endpoint.salts:
            _timed(client, "a", prefix, "other salt", times.other_salt, salt=markers.make())
    return times


def weigh(times: Times, alpha: float) -> Isolation:
    """Returns whether B's first times follow A's cold or warm ones, and what the naive rule would have said."""
    cold, warm, first = (np.array(each, dtype=np.float64) for each in (times.cold, times.warm, times.first))
    naive = "refuted" if np.median(first) < NAIVE * np.median(cold) else "held"
    chance = smaller(first, cold)
    parting = divide(cold, warm)
    share = served([(int((each < parting).sum()), len(each)) for each in (first, cold, warm)], alpha)
    status, reason = _said(times, smaller(warm, cold), chance, share, alpha)
    return Isolation(status, reason, len(first), chance, share, _salts(times, cold, alpha), naive)


def plant_and_look(client: Client, rounds: int) -> tuple[list[str], list[tuple[Answer, markers.Hit]]]:
    """Plants a canary in each of A's prompts and looks for all of them in B's answers; returns canaries and hits."""
    planted: list[str] = []
    hits: list[tuple[Answer, markers.Hit]] = []
    order = random.SystemRandom()
    for _ in range(rounds):
        planted.append(markers.make())
        client.ask("a", f"Remember this code: {planted[-1]}.{ASK}", "canary")
        topic = order.choice(("rivers", "bread", "bridges", "clouds", "maps"))
        answer = client.ask("b", f"Write two sentences about {topic}.", "looked at", most_tokens=96)
        if answer and (hit := markers.find(planted, answer.text)):
            hits.append((answer, hit))
    return planted, hits


def _timed(client: Client, who: str, prefix: str, kind: str, into: list[int], *, salt: str | None = None) -> Answer:
    answer = client.ask(who, prefix + ASK, kind, salt=salt)
    if answer is None or answer.waited_ns is None:
        raise ForensicsError(
            f"a request brought no content ({kind}, status {answer.status if answer else 'none'})",
            where=client.endpoint.url,
            fix="Choose a shorter prefix with --words, or look at the endpoint's log",
        )
    into.append(answer.waited_ns)
    return answer


def _said(times: Times, control: float, chance: float, share: Share, alpha: float) -> tuple[str, str]:
    counted = [each for each in times.cached["first"] if each is not None]
    counts = [each for each in times.cached["warm"] if each]
    if counts and any(2 * each >= min(counts) for each in counted):
        return "refuted", "the endpoint itself counts cached tokens in B's first uses"
    if control > alpha:
        return "undetermined", "A's own repetitions are not faster than its cold prompts: times tell nothing here"
    if chance <= alpha and share.low >= LEAST_SERVED:
        return "refuted", "B's first times follow A's warm ones"
    if share.high <= MOST_SERVED:
        return "held", "B's first times follow A's cold ones"
    return "undetermined", "too few prefixes, or times too noisy"


def _salts(times: Times, cold: Floats, alpha: float) -> str:
    """Says whether a salt of A's own kept A's own prefix cold: shown, not shown, or none was sent."""
    if not times.other_salt:
        return "none sent"
    other = np.array(times.other_salt, dtype=np.float64)
    works = smaller(np.array(times.warm, dtype=np.float64), other) <= alpha and smaller(other, cold) > alpha
    return "took effect" if works else "not shown to take effect"
