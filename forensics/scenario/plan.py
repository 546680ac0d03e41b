"""The bundled story, exchange by exchange: about an hour of eleven tenants on three backends.

Sizes are tokens, times seconds. They are chosen so that each rank's pages run dry now and then; which pages an
exchange gets, and what those hold, follows in ``serve``. The comments say what each passage is there for.
"""

from forensics.scenario.exchanges import Plan
from forensics.scenario.world import CONTEXT_TOKENS, PREFILL_POOL

LIMIT = PREFILL_POOL - 6
DECODE_LIMIT = CONTEXT_TOKENS - 6


def _minutes(clock: str) -> float:
    minutes, seconds = clock.split(":")
    return int(minutes) * 60 + float(seconds)


def _plan(key: str, clock: str, tenant: str, size: int, route: str, **more: object) -> Plan:
    return Plan(key, _minutes(clock), tenant, size, route, **more)  # type: ignore[arg-type]


# decode-a, rank 0.
_RANK_A0 = (
    _plan("a01", "00:20", "brightmoor", 1_520, "aa0"),
    _plan("a02", "01:30", "cobalt", 1_480, "ba0", layout="mail", stream=True),
    _plan("a03", "02:40", "tidewell", 1_310, "aa0", layout="tool"),
    _plan("a04", "03:30", "marlstone", 900, "ba0", client="otel"),
    # The first over-pool prompt; its pages were brightmoor's, cobalt's, tidewell's and marlstone's.
    _plan("a05", "05:10", "saffron", 6_480, "aa0", layout="mail", client="otel"),
    _plan("a06", "07:00", "brightmoor", 1_020, "ba0", asks="boilerplate"),
    _plan("a07", "08:20", "pinegate", 1_610, "aa0", stream=True),
    _plan("a08", "10:00", "cobalt", 1_240, "ba0", asks="quote"),
    _plan("a09", "12:00", "pinegate", 7_050, "aa0", style="mixed"),
    _plan("a10", "14:10", "tidewell", 1_130, "ba0"),
    # One token below the limit: an ordinary exchange, and later a source for its own tenant only.
    _plan("a11", "16:00", "cobalt", LIMIT - 1, "aa0"),
    _plan("a12", "18:00", "cobalt", 6_700, "ba0", style="verbatim"),
    _plan("a13", "20:20", "saffron", 820, "aa0", asks="name"),
    _plan("a14", "22:00", "marlstone", 2_350, "ba0", layout="mail"),
    # The provider's own reproduction, later that hour.
    _plan("a15", "57:30", "platform", 6_600, "aa0", client="curl", stream=True),
    _plan("a16", "59:40", "tidewell", 760, "ba0"),
)

# decode-a, rank 1.
_RANK_A1 = (
    _plan("c01", "00:50", "lanqiao", 1_640, "ba1"),
    _plan("c02", "02:05", "hoshikawa", 1_350, "aa1", layout="mail"),
    _plan("c03", "03:50", "brightmoor", 730, "ba1", asks="boilerplate", stream=True),
    _plan("c04", "06:10", "tidewell", 6_900, "aa1", stream=True, client="curl"),
    _plan("c05", "08:50", "hoshikawa", 1_480, "ba1", client="otel"),
    _plan("c06", "11:00", "lanqiao", 1_210, "aa1", layout="parts"),
    # Above the other prefill worker's limit, below this one's: not over-pool.
    _plan("c07", "13:20", "hoshikawa", 6_080, "ba1"),
    _plan("c15", "18:30", "tidewell", 1_020, "aa1", asks="quote"),
    # A transfer hangs; an over-pool prompt empties the free list meanwhile; the released pages go to pinegate.
    _plan("c08", "24:00", "saffron", 1_180, "aa1", patience=20.0, stalls=True, lands_after=5.8, lands_seen=True),
    _plan("c09", "24:09", "brightmoor", 7_400, "aa1", style="truncated"),
    _plan("c10", "24:55", "pinegate", 2_300, "ba1", style="mixed", stream=True),
    _plan("c11", "26:10", "lanqiao", 640, "aa1"),
    _plan("c12", "29:00", "hoshikawa", 990, "ba1", asks="tool", stream=True, client="curl"),
    # A researcher's probe, reported the same day.
    _plan("c13", "50:00", "outis", 6_240, "aa1", style="verbatim", client="curl"),
    _plan("c14", "53:00", "brightmoor", 870, "ba1", asks="recall:a01"),
)

# decode-b, whose clock is fast by 1.2 s.
_RANK_B = (
    _plan("b01", "00:35", "alderforge", 1_700, "ab"),
    _plan("b02", "02:20", "pinegate", 1_090, "bb", layout="mail"),
    _plan("b03", "04:30", "saffron", 840, "ab", asks="public:0"),
    _plan("b04", "06:40", "cobalt", 6_320, "bb", style="garbled"),
    _plan("b05", "09:10", "tidewell", 2_060, "ab", client="otel"),
    _plan("b06", "11:30", "marlstone", 1_480, "bb", asks="name"),
    # Exactly at the limit; the foreign words stand in the reasoning only.
    _plan("b07", "14:40", "hoshikawa", LIMIT, "ab", style="reasoning", stream=True),
    _plan("b08", "17:00", "tidewell", 1_500, "bb"),
    _plan("b09", "19:10", "alderforge", 6_850, "ab", style="paraphrased"),
    _plan("b10", "21:40", "brightmoor", 7_900, "bb", style="incoherent"),
    # The client gives up before the first byte of an over-pool answer.
    _plan("b11", "25:10", "marlstone", 6_400, "ab", patience=5.0),
    _plan("b12", "27:00", "saffron", 910, "bb", asks="boilerplate"),
    _plan("b13", "31:00", "lanqiao", 1_020, "ab", stream=True, leaves_after=14),
    # The second late write; nothing shows when the transfer ended.
    _plan("b14", "34:00", "alderforge", 1_260, "ab", patience=20.0, stalls=True, lands_after=5.7),
    _plan("b15", "34:10", "lanqiao", 7_100, "bb", style="verbatim"),
    _plan("b16", "34:55", "marlstone", 2_260, "ab", style="verbatim"),
    _plan("b17", "36:00", "tidewell", 700, "bb"),
    _plan("b18", "39:30", "pinegate", 1_180, "ab", link_fails=True),
    _plan("b19", "42:00", "cobalt", 1_000, "bb", stream=True, leaves_after=20),
    # Over both limits, below the context: refused on both sides.
    _plan("b20", "45:00", "saffron", DECODE_LIMIT + 2, "ab"),
    _plan("b21", "47:00", "hoshikawa", CONTEXT_TOKENS + 420, "bb"),
    _plan("b22", "54:00", "alderforge", 2_740, "ab", asks="again:b01"),
)

# The small model, on its own pair with equal pools.
_SMALL = (
    _plan("w01", "01:00", "brightmoor", 640, "ww"),
    _plan("w02", "05:40", "saffron", 890, "ww", asks="public:1", stream=True),
    _plan("w03", "10:30", "cobalt", 720, "ww", asks="public:1"),
    _plan("w04", "16:40", "lanqiao", 810, "ww", asks="reasoning"),
    _plan("w05", "23:00", "pinegate", 7_040, "ww"),
    _plan("w06", "33:00", "tidewell", 980, "ww", asks="reasoning", stream=True, client="curl"),
    _plan("w07", "48:30", "marlstone", 560, "ww"),
    _plan("w08", "58:20", "alderforge", 700, "ww"),
)

# vLLM, not disaggregated; and a call with a key that nobody knows.
_PLAIN = (
    _plan("v01", "03:10", "pinegate", 900, "v"),
    _plan("v02", "12:50", "saffron", 7_200, "v"),
    _plan("v03", "28:10", "lanqiao", 640, "v"),
    _plan("v04", "40:30", "alderforge", 830, "v", asks="quote"),
    _plan("v05", "55:10", "brightmoor", 600, "v"),
    _plan("x01", "30:00", "saffron", 420, "ab", known_key=False),
)

STORY = (*_RANK_A0, *_RANK_A1, *_RANK_B, *_SMALL, *_PLAIN)
