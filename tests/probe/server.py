"""A local OpenAI-compatible server whose shared cache and whose leaks can be switched on and off."""
# ruff: noqa: S311 - dice

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COLD, WARM = 600_000_000, 90_000_000  # ns, give or take a fifth
KEYS = {"key-of-a": "a", "key-of-b": "b"}
STRANGER = "The patient Ms. Okafor was admitted on the third of May with a fracture of the left wrist. " * 3


@dataclass
class Engine:
    """What the server does: shares caches or not, heeds salts or not, and what answers over ``pool`` characters hold.

    ``leak`` is ``none``, ``canary`` (the last prompt of the other tenant), ``garbled`` (the same, with letters lost),
    ``echo`` (the own prompt) or ``stranger`` (somebody's text).
    """

    shared_cache: bool = False
    heeds_salt: bool = True
    counts_cached: bool = False
    leak: str = "none"
    leaks_always: bool = False
    pool: int = 20_000
    cached: set[tuple[str, str]] = field(default_factory=set)
    last: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    clock_ns: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(5))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, tenant: str, body: dict[str, Any]) -> tuple[str, int, int]:
        """Returns text, the time to the first token in ns of its own clock, and cached tokens."""
        prompt = body["messages"][0]["content"]
        salt = body.get("cache_salt", "") if self.heeds_salt else ""
        key = ("" if self.shared_cache else tenant) + salt, prompt[:400]
        with self.lock:
            warm = key in self.cached
            self.cached.add(key)
            self.asked.append({"tenant": tenant, **body})
            other = self.last.get("b" if tenant == "a" else "a", "")
            self.last[tenant] = prompt
        text = "OK"
        if self.leaks_always or len(prompt) > self.pool:
            text = {
                "canary": f"OK. {other[:400]}",
                "garbled": f"OK. {''.join(c for n, c in enumerate(other[:400]) if n % 11)}",
                "stranger": STRANGER,
                "echo": prompt[:400],
            }.get(self.leak, text)
        return text, round((WARM if warm else COLD) * self.rng.uniform(0.8, 1.2)), 100 if warm else 0

    def clock(self) -> int:
        """Returns the time: no real one passes, so that a busy machine changes nothing."""
        return self.clock_ns


class _Handler(BaseHTTPRequestHandler):
    engine: Engine

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tenant = KEYS.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if tenant is None:
            self.send_error(401)
            return
        text, wait, cached = self.engine.answer(tenant, body)
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.engine.clock_ns += wait
            request_id = f"req-{len(self.engine.asked)}"
            self._event({"id": request_id, "choices": [{"delta": {"role": "assistant", "content": ""}}]})
            for at in range(0, len(text), 50):
                self._event({"id": request_id, "choices": [{"delta": {"content": text[at : at + 50]}}]})
            if self.engine.counts_cached:
                usage = {"prompt_tokens": 150, "prompt_tokens_details": {"cached_tokens": cached}}
                self._event({"id": request_id, "choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")
        except (BrokenPipeError, ConnectionResetError):
            return

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def serving(engine: Engine) -> Iterator[str]:
    """Yields the base URL of a server of ``engine`` on a free local port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"engine": engine}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
