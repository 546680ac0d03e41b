"""Bounded, paced requests to one OpenAI-compatible endpoint. Answers are handed on and kept nowhere."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic, perf_counter_ns, sleep
from typing import Any, Final

import httpx

from forensics.errors import ForensicsError

FASTEST: Final = 10.0  # requests per second
MOST: Final = 2_000  # requests of one run
ANSWER_CHARACTERS: Final = 100_000  # of which no more is read


@dataclass(frozen=True)
class Endpoint:
    """What is asked, as whom: base URL (up to ``/v1``), model, a key and a cache salt for each of two test tenants."""

    url: str
    model: str
    keys: dict[str, str]
    salts: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What one request brought. ``waited_ns`` is the time to the first piece of content, None without any."""

    request_id: str
    at: str
    status: int
    text: str
    waited_ns: int | None
    cached_tokens: int | None


class Pacer:
    """Lets through at most ``rate`` requests a second and ``most`` in all; thread-safe."""

    def __init__(self, rate: float, most: int) -> None:
        if not 0 < rate <= FASTEST:
            raise ForensicsError(f"{rate} requests a second is not allowed", fix=f"Choose up to {FASTEST:g}")
        if not 0 < most <= MOST:
            raise ForensicsError(f"{most} requests is not allowed", fix=f"Choose up to {MOST:,}")
        self.gap, self.most, self.sent = 1 / rate, most, 0
        self._next, self._lock = 0.0, threading.Lock()

    def wait(self) -> None:
        """Returns when the next request may go. Raises once the count is used up."""
        with self._lock:
            if self.sent >= self.most:
                raise ForensicsError(
                    f"the bound of {self.most:,} requests is reached", fix="Raise --most, or ask fewer prefixes"
                )
            self.sent += 1
            now = monotonic()
            at = max(now, self._next)
            self._next = at + self.gap
        sleep(at - now)


class Client:
    """Sends streamed chat completions for tenants ``a`` and ``b``, with a connection of its own each."""

    def __init__(
        self, endpoint: Endpoint, pacer: Pacer, *, timeout: float, note: Callable[[dict[str, Any]], None]
    ) -> None:
        self.endpoint, self.pacer, self.note = endpoint, pacer, note
        # no proxy or .netrc of the environment: nothing goes anywhere but to the endpoint that was named
        self._http = {
            who: httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False) for who in endpoint.keys
        }

    def close(self) -> None:
        """Closes all connections."""
        for each in self._http.values():
            each.close()

    def ask(
        self, who: str, prompt: str, kind: str, *, most_tokens: int = 16, salt: str | None = None,
        timeout: float | None = None, leave: bool = False,
    ) -> Answer | None:  # fmt: skip
        """Returns the answer to ``prompt``; None where the request was left (``leave``: before a byte) or timed out.

        ``timeout`` (s) makes running out of time an expected end. Raises if the endpoint cannot be reached.
        """
        self.pacer.wait()
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        try:
            answer = self._stream(who, self._body(who, prompt, most_tokens, salt), at, timeout=timeout, leave=leave)
        except httpx.TimeoutException as error:
            if timeout is None:
                raise self._unreachable(error) from error
            answer = None
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        told = {"request_id": answer.request_id, "status": answer.status, "length": len(answer.text)} if answer else {}
        waited = {"waited_ns": answer.waited_ns, "cached_tokens": answer.cached_tokens} if answer else {}
        self.note({"at": at, "tenant": who, "kind": kind, "prompt_characters": len(prompt), **told, **waited})
        return answer

    def _unreachable(self, error: Exception) -> ForensicsError:
        return ForensicsError(
            f"the endpoint does not answer ({type(error).__name__})",
            where=self.endpoint.url,
            fix="Check the URL, or give more time with --timeout",
        )

    def _body(self, who: str, prompt: str, most_tokens: int, salt: str | None) -> dict[str, Any]:
        chosen = salt or self.endpoint.salts.get(who)
        return {
            "model": self.endpoint.model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": most_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
            **({"cache_salt": chosen} if chosen else {}),
        }

    def _stream(self, who: str, body: dict[str, Any], at: str, *, timeout: float | None, leave: bool) -> Answer | None:
        began = perf_counter_ns()
        with self._http[who].stream(
            "POST",
            f"{self.endpoint.url.rstrip('/')}/chat/completions",
            json=body,
            headers={"Authorization": f"Bearer {self.endpoint.keys[who]}"},
            timeout=httpx.USE_CLIENT_DEFAULT if timeout is None else timeout,
        ) as response:
            if leave:
                return None
            found = _Reading(response.headers.get("x-request-id", ""))
            if response.status_code == httpx.codes.OK:
                for line in response.iter_lines():
                    if found.take(line):
                        break
                    if found.pieces and found.waited_ns is None:
                        found.waited_ns = perf_counter_ns() - began
            return Answer(
                found.request_id, at, response.status_code, "".join(found.pieces), found.waited_ns, found.cached_tokens
            )


class _Reading:
    """What a stream has told so far."""

    def __init__(self, request_id: str) -> None:
        self.request_id, self.length = request_id, 0
        self.pieces: list[str] = []
        self.waited_ns: int | None = None
        self.cached_tokens: int | None = None

    def take(self, line: str) -> bool:
        """Takes one line; returns whether to stop reading."""
        if not line.startswith("data:"):
            return False
        data = line[5:].strip()
        if data == "[DONE]":
            return True
        try:
            event = json.loads(data)
        except ValueError:
            return False
        if isinstance(event, dict):
            self.request_id = str(event.get("id") or self.request_id)
            self._content(event)
            self._usage(event.get("usage"))
        return self.length > ANSWER_CHARACTERS

    def _content(self, event: dict[str, Any]) -> None:
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or {}
            for name in ("content", "reasoning_content", "reasoning"):
                if isinstance(piece := delta.get(name), str) and piece:
                    self.pieces.append(piece)
                    self.length += len(piece)

    def _usage(self, usage: Any) -> None:
        details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
        if isinstance(details, dict) and isinstance(details.get("cached_tokens"), int):
            self.cached_tokens = details["cached_tokens"]
