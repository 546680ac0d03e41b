"""Plays planned exchanges on the machines: routing, limits, pages, transfers, aborts, and what is read at the end.

A small discrete-event simulation of prefill/decode serving as SGLang up to 0.5.19 does it (public issue #30233):
prefill rejects a prompt of ``limit`` tokens or more, but swaps it for a one-token stub and hands that over; decode has
reserved pages for the whole prompt and reads what they still hold.
"""

import heapq
import itertools
import random
from collections.abc import Callable, Iterable
from uuid import UUID

from forensics.scenario import faults
from forensics.scenario.author import Author, StoryAuthor
from forensics.scenario.exchanges import Exchange, Plan, Response, Times
from forensics.scenario.pool import Lease, PagedPool, PoolExhaustedError
from forensics.scenario.world import Worker, World

# Seconds; plausible and constant, so that seeds differ in texts and ids but not in who gets which pages.
TO_ROUTER, TO_ENGINE, BOOTSTRAP, SECONDS_PER_TOKEN = 0.021, 0.034, 0.06, 0.026
PREFILL_TOKENS_PER_SECOND = 11_000.0
DEFERRED_RELEASE = 30.0
DECODE_QUEUE = 8.0
LINK_TIMEOUT = 1.7
READING = 0.4
QUEUEING = 0.5


class Serving:
    """One run of a world. ``play`` returns the exchanges in the order of their arrival."""

    def __init__(
        self, world: World, *, seed: int, start: float, fixed_engine: bool = False, author: Author | None = None
    ) -> None:
        self.world, self.seed, self.start, self.fixed_engine = world, seed, start, fixed_engine
        self.author = author or StoryAuthor(world)
        self.exchanges: dict[str, Exchange] = {}
        self.pools = {
            (worker.name, worker.started, rank): PagedPool(worker.pool, worker.page_size)
            for worker in world.workers
            if worker.role == "decode"
            for rank in range(worker.dp)
        }
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def play(self, plans: Iterable[Plan]) -> list[Exchange]:
        """Runs every plan to its end."""
        for plan in plans:
            self._at(self.start + plan.at, lambda plan=plan: self._arrive(plan))  # type: ignore[misc]
        while self._events:
            _, _, happen = heapq.heappop(self._events)
            happen()
        return sorted(self.exchanges.values(), key=lambda item: (item.times.received, item.key))

    def _at(self, time: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._order), happen))

    def _dice(self, key: str, purpose: str) -> random.Random:
        return random.Random(f"{self.seed}/{key}/{purpose}")

    def _arrive(self, plan: Plan) -> None:
        kind, _, first = plan.asks.partition(":")
        if kind == "retry" and not self.exchanges[first].unseen:
            return  # its first attempt got an answer of some kind
        exchange = self._met(plan)
        self.exchanges[plan.key] = exchange
        times = exchange.times
        if faults.replayed(exchange, self.exchanges):
            return
        if not plan.known_key:
            exchange.outcome = "bad_key"
            times.ended = times.received + 0.007
            return
        times.routed = self.start + plan.at + TO_ROUTER
        times.engine = times.routed + TO_ENGINE + exchange.prompt_tokens / 60_000
        prefill = exchange.prefill
        if prefill is None:
            self._answer_whole(exchange)
        elif exchange.prompt_tokens >= exchange.decode.context:
            exchange.outcome = "too_long"
            times.ended = times.engine + 0.02
        else:
            self._at(times.engine, lambda: self._enter(exchange, prefill))

    def _met(self, plan: Plan) -> Exchange:
        """Returns the exchange with its ids and its route; its room leads to the planned rank, as ``room % dp``."""
        prefill, decode, rank = self.world.routes[plan.route]
        now = self.start + plan.at
        dice = self._dice(plan.key, "ids")
        prompt = self.author.prompt(plan, self.exchanges, self._dice(plan.key, "prompt"))
        worker = self.world.worker(decode, now)
        room = dice.getrandbits(62)
        rid = f"{dice.getrandbits(128):032x}"
        if prefill is None:
            rid = f"chatcmpl-{UUID(int=dice.getrandbits(128))}"
        room = dict(self.world.forged_rooms).get(plan.key, room - room % worker.dp + rank)
        kind, _, earlier = plan.asks.partition(":")
        sent_on = self.exchanges[earlier].response if kind in ("again", "forward") else None
        called = self.exchanges[earlier].times.received if kind == "retry" else now
        return Exchange(
            plan,
            self.world.tenant(plan.tenant),
            worker.model,
            prompt,
            prompt.tokens,
            call_id=str(UUID(int=dice.getrandbits(128), version=4)),
            router_id="chatcmpl-"
            + "".join(dice.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghkmnpqrstuvwxyz23456789", k=24)),
            trace_id=f"{dice.getrandbits(128):032x}",
            decode_rid=dict(self.world.forged_rids).get(plan.key, rid),
            prefill_rid=f"{dice.getrandbits(128):032x}",
            room=room,
            times=Times(received=called),
            prefill=self.world.worker(prefill, now) if prefill else None,
            decode=worker,
            rank=room % worker.dp,
            carried=sent_on.words if sent_on else (),
            fault=None if self.fixed_engine else plan.fault,
            other_room=self.exchanges[plan.fault.source].room if plan.fault and plan.fault.kind == "collision" else 0,
        )

    def _answer_whole(self, exchange: Exchange) -> None:
        """A backend that is not disaggregated: nothing is handed over."""
        times = exchange.times
        exchange.stale = faults.misread(exchange, self.exchanges)
        exchange.response = self._said(exchange)
        times.first_token = times.received + 0.2 + exchange.prompt_tokens / PREFILL_TOKENS_PER_SECOND
        times.ended = times.first_token + SECONDS_PER_TOKEN * exchange.response.tokens

    def _enter(self, exchange: Exchange, prefill: Worker) -> None:
        """Both engines have the request: prefill checks it, decode checks it and reserves."""
        times = exchange.times
        times.prefill_entry = times.engine + 0.004
        exchange.rejected_by_prefill = exchange.prompt_tokens >= prefill.limit
        exchange.rejected_by_decode = exchange.prompt_tokens >= exchange.decode.limit
        if exchange.rejected_by_prefill and prefill.allow_auto_truncate and exchange.decode.limit >= prefill.limit:
            # Both engines cut the prompt to the limit; from here on that is the prompt.
            exchange.truncated, exchange.prompt_tokens = True, prefill.limit
            exchange.rejected_by_prefill = exchange.rejected_by_decode = False
        if exchange.rejected_by_decode or (self.fixed_engine and exchange.rejected_by_prefill):
            exchange.outcome = "refused"
            times.prefill_done = times.engine + 0.11
            times.ended = times.engine + 0.14
            return
        times.reserved = times.engine + 0.012
        self._admit(exchange, prefill)

    def _admit(self, exchange: Exchange, prefill: Worker) -> None:
        """Decode reserves pages for the whole prompt; where there are too few, the request waits in its queue."""
        try:
            lease = self._pool(exchange).reserve(exchange.key, exchange.prompt_tokens)
        except PoolExhaustedError:
            exchange.times.reserved += QUEUEING
            self._at(exchange.times.reserved, lambda: self._admit(exchange, prefill))
            return
        self._hand_over(exchange, prefill, lease)

    def _hand_over(self, exchange: Exchange, prefill: Worker, lease: Lease) -> None:
        times, plan = exchange.times, exchange.plan
        if not exchange.rejected_by_prefill:
            shared = min(self.author.shared(exchange, prefill.name), exchange.prompt_tokens - 1)
            exchange.cached_tokens = shared // prefill.page_size * prefill.page_size
        if plan.stalls:
            self._stall(exchange, lease)
            return
        computed = exchange.prefill_tokens - exchange.cached_tokens
        waited = times.reserved - times.engine
        times.prefill_done = times.prefill_entry + waited + BOOTSTRAP + 0.038 + computed / PREFILL_TOKENS_PER_SECOND
        if plan.link_fails or (exchange.fault and exchange.fault.failed):
            exchange.outcome = "transfer_failed"
            times.ended = times.prefill_done + LINK_TIMEOUT
            self._at(times.ended, lambda: self._release(exchange, lease, times.ended))
        else:
            times.transferred = times.prefill_done + 0.04
            self._at(times.transferred, lambda: self._transfer(exchange, lease))

    def _stall(self, exchange: Exchange, lease: Lease) -> None:
        """The transfer hangs; the client gives up, decode waits for it in vain and releases, then it lands.

        A fixed engine keeps the pages until the transfer has ended.
        """
        times, plan = exchange.times, exchange.plan
        exchange.outcome = "timeout"
        times.ended = times.received + (plan.patience or DECODE_QUEUE)
        released = times.ended + DEFERRED_RELEASE
        times.landed = released + plan.lands_after
        self._at(times.landed, lambda: self._pool(exchange).write(lease, 0, exchange.prompt_tokens))
        if self.fixed_engine:
            released = times.landed
        self._at(released, lambda: self._release(exchange, lease, released))

    def _transfer(self, exchange: Exchange, lease: Lease) -> None:
        times, plan = exchange.times, exchange.plan
        self._pool(exchange).write(lease, 0, exchange.transferred)
        if plan.patience is not None:
            # Decode is busy; the client's patience ends before the first token.
            exchange.outcome = "timeout"
            times.ended = times.received + plan.patience
            self._at(times.ended, lambda: self._release(exchange, lease, times.ended))
            return
        times.first_token = times.transferred + 0.09
        self._at(times.first_token + READING, lambda: self._read(exchange, lease))

    def _read(self, exchange: Exchange, lease: Lease) -> None:
        """Decode has read the pages as they are now, and says what follows from them."""
        times, pool = exchange.times, self._pool(exchange)
        exchange.stale = pool.foreign(lease, exchange.prompt_tokens) or faults.misread(exchange, self.exchanges)
        exchange.response = self._said(exchange)
        if exchange.plan.leaves_after is not None:
            exchange.outcome = "left"
            exchange.response = exchange.response.cut(exchange.plan.leaves_after)
        total = exchange.prompt_tokens + exchange.response.tokens
        try:
            pool.extend(lease, total)
            pool.write(lease, exchange.prompt_tokens, total)
        except PoolExhaustedError:
            # The engine retracts it and goes on when there is room; the pages of what it says are not followed.
            pass
        times.ended = times.first_token + READING + SECONDS_PER_TOKEN * exchange.response.tokens
        self._at(times.ended, lambda: self._release(exchange, lease, times.ended))

    def _said(self, exchange: Exchange) -> Response:
        """Returns what the model says: an answer of its own, or what follows from pages that are not its own."""
        own = faults.strayed(exchange, self.exchanges, self._own(exchange))
        if not exchange.stale:
            return own
        return self.author.leak(exchange, self.exchanges, own.content, self._dice(exchange.key, "voice"))

    def _own(self, exchange: Exchange) -> Response:
        return self.author.answer(exchange, self.exchanges, self._dice(exchange.key, "answer"))

    def _release(self, exchange: Exchange, lease: Lease, now: float) -> None:
        exchange.times.released = now
        self._pool(exchange).release(lease)

    def _pool(self, exchange: Exchange) -> PagedPool:
        return self.pools[exchange.decode.name, exchange.decode.started, exchange.rank]
