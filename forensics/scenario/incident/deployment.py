"""The incident's machines and tenants, as plain data."""

from datetime import datetime, timedelta
from typing import Final

from forensics.scenario import domains
from forensics.scenario.incident.figures import LAUNCH, MODEL, RESTORED, Figures
from forensics.scenario.trades import trade
from forensics.scenario.world import BOILERPLATE, PUBLIC_TEXTS, Route, Tenant, Worker, World

OTHER_PD: Final = "@cf/lark/wren-8b"
OTHER_WHOLE: Final = "@cf/lark/linnet-24b"
STARTED: Final = LAUNCH - timedelta(minutes=40)
DECODE_B_RESTART: Final = LAUNCH + timedelta(days=5, hours=18, minutes=4)
RAISED_FROM: Final = LAUNCH + timedelta(days=6, hours=17, minutes=10)
RAISED_UNTIL: Final = LAUNCH + timedelta(days=8, hours=16, minutes=40)
FIXED: Final = RESTORED - timedelta(minutes=25)

PREFILLS: Final = ("prefill-a", "prefill-b", "prefill-c")
RANKS: Final = (("decode-a", 0), ("decode-a", 1), ("decode-b", 0), ("decode-b", 1), ("decode-c", 0))
PLATFORM, RESEARCHER = "Serving Platform Team", "Outis Research"

_CUSTOMERS = (
    ("Amberline Freight", "en", "AF", "team"),
    ("Bexley Reinsurance", "en", "BR", "team"),
    ("Corvid Analytics", "en", "CA", "team"),
    ("Dunmore Clinics", "en", "DC", "end_user"),
    ("Eastgate Lettings", "en", "EL", "team"),
    ("Fallow & Pike Counsel", "en", "FP", "team"),
    ("Greyfriars Trust", "en", "GT", "metadata"),
    ("Hartwell Pharma", "en", "HP", "team"),
    ("Inkwell Press", "en", "IP", "header"),
    ("Juniper Estates", "en", "JE", "team"),
    ("Larch Pensions", "en", "LP", "team"),
    ("Millrace Foods", "en", "MF", "end_user"),
    ("Northcote Surveys", "en", "NS", "team"),
    ("Oderbruch Technik", "de", "OT", "team"),
    ("Pfälzer Speditionskontor", "de", "PS", "team"),
    ("Река и Порт", "ru", "RP", "team"),
    ("한결상사", "ko", "HG", "metadata"),
)

TENANTS: Final = (
    *(Tenant(name, name, trade(name, language, prefix), known_by) for name, language, prefix, known_by in _CUSTOMERS),
    Tenant("Brightmoor Insurance", "Brightmoor Insurance", domains.INSURANCE),
    Tenant("Cobalt & Lowe Solicitors", "Cobalt & Lowe Solicitors", domains.LEGAL),
    Tenant("Tidewell Hospital Group", "Tidewell Hospital Group", domains.HOSPITAL, known_by="end_user"),
    Tenant("星川ロジスティクス", "星川ロジスティクス", domains.DELIVERY, known_by="metadata"),
    Tenant("蓝桥支付", "蓝桥支付", domains.RISK, known_by="header"),
    Tenant(PLATFORM, PLATFORM, domains.PROBE, tenant_class="internal"),
    Tenant(RESEARCHER, RESEARCHER, domains.PROBE, tenant_class="researcher"),
)
CUSTOMERS: Final = tuple(tenant.name for tenant in TENANTS if tenant.tenant_class == "customer")
BOILERPLATE_HOLDERS: Final = frozenset(
    {
        "Amberline Freight",
        "Corvid Analytics",
        "Eastgate Lettings",
        "Hartwell Pharma",
        "Juniper Estates",
        "Millrace Foods",
    }
)


def deployment(figures: Figures) -> World:
    """Returns who served whom: three prefill and three decode workers of the model, a pair of its own that cuts long
    prompts, and two other models. Every restart with other limits is a worker of its own.
    """
    routes: dict[str, Route] = {
        route(prefill, decode, rank): (prefill, decode, rank) for prefill in PREFILLS for decode, rank in RANKS
    }
    routes |= {
        "trimmed": ("prefill-t", "decode-t", 0),
        "wren": ("prefill-w", "decode-w", 0),
        "linnet": (None, "vllm-0", 0),
    }
    return World(
        (*_prefills(figures), *_decodes(figures), *_others(figures)),
        TENANTS,
        BOILERPLATE,
        BOILERPLATE_HOLDERS,
        PUBLIC_TEXTS,
        routes=routes,
    )


def route(prefill: str, decode: str, rank: int) -> str:
    """Returns the name of a route."""
    return f"{prefill}>{decode}/{rank}"


def _worker(name: str, figures: Figures, host: str, pool: int, started: datetime, **more: object) -> Worker:
    role = name.partition("-")[0]
    port = 30001 if role == "decode" else 30000
    settings: dict[str, object] = {
        "model": MODEL,
        "context": figures.context,
        "request_level": 1,
        "page_size": figures.page_size,
        **more,
    }
    return Worker(name, role, host=host, port=port, pool=pool, started=started.timestamp(), **settings)  # type: ignore[arg-type]


def _prefills(figures: Figures) -> tuple[Worker, ...]:
    """Pools of one size, but for two days on prefill-c; all are raised beyond the context when the model comes back."""
    logs: dict[str, dict[str, object]] = {
        "prefill-a": {"request_level": 0},
        "prefill-b": {"dp": 2, "request_log": "none"},
        "prefill-c": {"metrics": True, "request_log": "none"},
    }
    hosts = {name: f"10.40.1.{number}" for number, name in enumerate(PREFILLS, 11)}
    workers = []
    for name in PREFILLS:
        pools = [(STARTED, figures.pool)]
        if name == "prefill-c":
            pools += [(RAISED_FROM, figures.raised_pool), (RAISED_UNTIL, figures.pool)]
        for started, pool in [*pools, (FIXED, figures.fixed_pool)]:
            workers.append(_worker(name, figures, hosts[name], pool, started, **logs[name]))
    return tuple(workers)


def _decodes(figures: Figures) -> tuple[Worker, ...]:
    a, b, c = "10.40.2.21", "10.40.2.22", "10.40.2.23"
    wide, later, narrow = figures.decode_pool, figures.decode_pool_later, figures.narrow_decode_pool
    return (
        _worker("decode-a", figures, a, wide, STARTED, dp=2, zone="Europe/Berlin"),
        # Its clock is fast; its request log is in the text format.
        _worker("decode-b", figures, b, wide, STARTED, dp=2, skew=1.4, request_log="text"),
        _worker("decode-b", figures, b, later, DECODE_B_RESTART, dp=2, skew=1.4, request_log="text"),
        # Smaller than the context: what it cannot hold either, both sides refuse. Its log keeps the ends of texts.
        _worker("decode-c", figures, c, narrow, STARTED, request_level=2),
        # A pair with equal pools that cuts a long prompt on both sides instead of rejecting it.
        _worker("prefill-t", figures, "10.40.1.19", figures.pool, STARTED, allow_auto_truncate=True, request_level=0),
        _worker("decode-t", figures, "10.40.2.29", figures.pool, STARTED, allow_auto_truncate=True),
    )


def _others(figures: Figures) -> tuple[Worker, ...]:
    pool, context = figures.pool // 4 // 64 * 64 + 64 * 64, figures.pool // 5
    small = {"model": OTHER_PD, "context": max(context, 2_400), "tp": 1, "request_level": 0}
    vllm = Worker(
        "vllm-0", "unified", OTHER_WHOLE, "10.40.3.41", 8000, 400_000, context=131_072, started=STARTED.timestamp()
    )
    return (
        _worker("prefill-w", figures, "10.40.1.31", pool, STARTED, **small),
        _worker("decode-w", figures, "10.40.2.31", pool, STARTED, **small),
        vllm,
    )
