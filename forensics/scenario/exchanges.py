"""One exchange of a scenario: what its client plans, and what the machines make of it."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from forensics.scenario import tokens
from forensics.scenario.faults import Fault
from forensics.scenario.pool import StaleRun
from forensics.scenario.texts import Asked
from forensics.scenario.world import Tenant, Worker


@dataclass(frozen=True)
class Plan:
    """What is decided beforehand: who asks what, when (seconds of the story), where it is routed, how its client acts.

    What becomes of it is not planned: whether it is over-pool, whose pages it reads and how it ends follow from limits
    and pages. ``style`` only says in what manner a model that reads foreign pages talks. ``unseen`` marks the first
    attempt of a call that was tried again (``asks`` of the next is ``retry:KEY``): no client saw its answer.
    ``lingers`` are seconds that a slow client reads on after the engine is done. ``fault`` is what goes wrong beside
    limits and aborts; ``session`` is a session id that the client sends.
    """

    key: str
    at: float
    tenant: str
    size: int
    route: str
    asks: str = "plain"
    style: str = "verbatim"
    layout: str = "notes"
    client: str = "sdk"
    stream: bool = False
    patience: float | None = None
    leaves_after: int | None = None
    stalls: bool = False
    lands_after: float = 0.0
    lands_seen: bool = False
    link_fails: bool = False
    known_key: bool = True
    unseen: bool = False
    lingers: float = 0.0
    max_tokens: int = 512
    session: str = ""
    fault: Fault | None = None


@dataclass(frozen=True)
class Words:
    """A piece of another exchange's text in a response, before and after the model garbled it."""

    source: str
    source_text: str
    output_text: str
    how: str


@dataclass(frozen=True)
class Response:
    """What the model says. ``finish`` is the engine's finish type; ``words`` are in the order of saying."""

    content: str
    reasoning: str = ""
    tool: tuple[str, str] | None = None
    finish: str = "stop"
    words: tuple[Words, ...] = ()

    @property
    def raw(self) -> str:
        """The text as the engine generates it, before the server splits reasoning and calls off."""
        thought = f"<think>{self.reasoning}</think>" if self.reasoning else ""
        call = f"<tool_call>{self.tool[0]} {self.tool[1]}</tool_call>" if self.tool else ""
        return thought + self.content + call

    @cached_property
    def tokens(self) -> int:
        """How many tokens were generated, the end of the turn among them."""
        return tokens.count(self.raw) + (self.finish == "stop")

    def cut(self, pieces: int) -> "Response":
        """Returns the response as a client holds it that left after ``pieces`` tokens of content."""
        end = tokens.spans(self.content)[:pieces][-1][1]
        return replace(self, content=self.content[:end], finish="length")


NEVER = 0.0


@dataclass
class Times:
    """True times in epoch seconds; ``NEVER`` where it never came to that."""

    received: float
    routed: float = NEVER
    engine: float = NEVER
    prefill_entry: float = NEVER
    prefill_done: float = NEVER
    reserved: float = NEVER
    transferred: float = NEVER
    first_token: float = NEVER
    ended: float = NEVER
    released: float = NEVER
    landed: float = NEVER


@dataclass
class Exchange:
    """One planned exchange with everything that happened to it.

    ``outcome``: ``answered``, ``left`` (client went away after the first token), ``timeout`` (client gave up before),
    ``refused`` (both sides rejected it), ``too_long`` (the HTTP layer did), ``transfer_failed`` or ``bad_key``.
    ``carried`` are foreign words that an earlier answer brought and that this prompt sends on as history. ``fault`` is
    none on fixed engines; ``kept_rid`` is the id of the answer that a gateway's cache replays instead of asking an
    engine; ``other_room`` the room whose metadata arrived.
    """

    plan: Plan
    tenant: Tenant
    model: str
    prompt: Asked
    prompt_tokens: int
    call_id: str
    router_id: str
    trace_id: str
    decode_rid: str
    prefill_rid: str
    room: int
    times: Times
    decode: Worker
    prefill: Worker | None = None
    rank: int = 0
    cached_tokens: int = 0
    rejected_by_prefill: bool = False
    rejected_by_decode: bool = False
    truncated: bool = False
    outcome: str = "answered"
    response: Response | None = None
    stale: list[StaleRun] = field(default_factory=list)
    carried: tuple[Words, ...] = ()
    fault: Fault | None = None
    kept_rid: str = ""
    other_room: int = 0

    @property
    def key(self) -> str:
        return self.plan.key

    @property
    def unseen(self) -> bool:
        """Whether another attempt took this one's place at the client and at the gateway."""
        return self.plan.unseen and self.outcome == "answered"

    @property
    def request_id(self) -> str:
        """The id that the client saw, else the gateway's call id; an attempt that no client saw has the engine's."""
        return self.decode_rid if self.outcome in ("answered", "left") else self.call_id

    @property
    def over_pool(self) -> str | None:
        """The over-pool outcome; None where the prompt was below prefill's limit or never reached an engine queue."""
        if self.truncated:
            return "truncated"
        if not self.rejected_by_prefill or self.outcome == "too_long":
            return None
        if self.outcome == "refused":
            return "refused"
        return "answered" if self.outcome in ("answered", "left") and not self.unseen else "no_output"

    @property
    def prefill_rank(self) -> int:
        """The data-parallel rank of prefill that took it: the room decides, as on decode."""
        return self.room % self.prefill.dp if self.prefill else 0

    @property
    def refused_at(self) -> int:
        """The limit that the refusal names: decode's own where it rejects too, else prefill's, passed on."""
        worker = self.decode if self.rejected_by_decode or self.prefill is None else self.prefill
        return worker.limit

    @property
    def full_text(self) -> str:
        """Prompt and generated text: the token sequence whose KV stands in this exchange's pages."""
        return self.prompt.text + (self.response.raw if self.response else "")

    @property
    def prefill_tokens(self) -> int:
        """What prefill computed: one token where it swapped a rejected prompt for its stub."""
        if self.rejected_by_prefill:
            return 1
        return self.fault.tokens if self.fault and self.fault.kind == "short" else self.prompt_tokens

    @property
    def transferred(self) -> int:
        """Of how many tokens the KV arrived: a transfer that broke leaves the rest of the pages as they were."""
        return self.fault.tokens if self.fault and self.fault.kind == "broken" else self.prefill_tokens
