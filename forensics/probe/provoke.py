"""The provoking probe, on an endpoint that serves nobody else: what has leaked elsewhere, done on purpose."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from forensics.probe import markers
from forensics.probe.client import Answer, Client
from forensics.probe.passive import ASK

AT_ONCE: Final = 8
EXPECTED: Final = 160  # characters: an answer of "OK", with some talk around it
TIMEOUTS: Final = (0.002, 0.005, 0.01)


@dataclass(frozen=True)
class Seen:
    """An answer to B and what it held: a marker of A's, or (``hit`` None) text that nothing of ours explains."""

    provocation: str
    answer: Answer
    hit: markers.Hit | None


def provoke(client: Client, *, rounds: int, over_words: int) -> Iterator[Seen]:
    """Yields what was seen, and ends at the first text that nothing of ours explains.

    ``over_words`` is the length of a prompt that the prefill pool cannot hold.
    """
    planted: list[str] = []
    for _ in range(rounds):
        for name, act in (
            ("over-long", _over_long), ("disconnect", _disconnect), ("timeout", _time_out), ("burst", _burst),
        ):  # fmt: skip
            planted.append(markers.make())
            canary = f"Remember this code: {planted[-1]}. {markers.filler(200)}{ASK}"
            for prompt, answer in act(client, canary, over_words):
                seen = _look(name, prompt, answer, planted)
                if seen:
                    yield seen
                    if seen.hit is None:
                        return


Asked = tuple[str, Answer | None]


def _over_long(client: Client, canary: str, over_words: int) -> list[Asked]:
    """B asks more than the pool holds, right after A's canary was released."""
    client.ask("a", canary, "canary")
    return [_b(client, markers.filler(over_words) + ASK, "over-long")]


def _disconnect(client: Client, canary: str, _over_words: int) -> list[Asked]:
    """A leaves before the first token, while its pages may still be written."""
    client.ask("a", canary, "disconnect", leave=True)
    return [_b(client, markers.filler(200) + ASK, "after disconnect")]


def _time_out(client: Client, canary: str, _over_words: int) -> list[Asked]:
    """A's patience ends after a few milliseconds."""
    for seconds in TIMEOUTS:
        client.ask("a", canary, "timeout", timeout=seconds)
    return [_b(client, markers.filler(200) + ASK, "after timeout")]


def _burst(client: Client, canary: str, over_words: int) -> list[Asked]:
    """Both fill the pool at once."""
    size = max(over_words // AT_ONCE, 50)
    tasks: list[Callable[[], Asked]] = [lambda: (canary, client.ask("a", canary, "burst canary"))] * 2
    tasks += [lambda: _b(client, markers.filler(size) + ASK, "burst")] * (AT_ONCE - 2)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda task: task(), tasks))[2:]


def _b(client: Client, prompt: str, kind: str) -> Asked:
    return prompt, client.ask("b", prompt, kind, most_tokens=96)


def _look(name: str, prompt: str, answer: Answer | None, planted: list[str]) -> Seen | None:
    if answer is None or answer.status != 200:
        return None
    if hit := markers.find(planted, answer.text):
        return Seen(name, answer, hit)
    own = markers.find([answer.text[:EXPECTED]], prompt) if answer.text else None  # an echo of the own prompt
    return Seen(name, answer, None) if len(answer.text) > EXPECTED and not own else None
