"""The search for shared prefix caches: SQL says what the records say, ranks and binomial bounds weigh it."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import duckdb
import numpy as np

from forensics.case import texts
from forensics.case.database import create_table, insert, run
from forensics.case.folder import Case
from forensics.resources import query
from forensics.timing.statistics import (
    Groups,
    Share,
    Work,
    bounds,
    corrected,
    cost,
    divide,
    expected,
    served,
    smaller,
    smaller_overall,
)

LEAST: Final = {"cold": 10, "warm": 5, "first": 3}  # uses of one tenant below which nothing is said of it
LEAST_SHARE: Final = 0.25  # a tenant's first uses served, below which a difference in rank may be the model's own error
AT_ONCE: Final = 20_000  # prompts whose beginnings are read at once, of at most 64,000 characters each
FEWEST_COLD: Final = 5  # of a tenant that counts in the pooled test

_TEST: Final = """
    boundary VARCHAR, tenant VARCHAR, tenant_class VARCHAR, cold INTEGER, warm INTEGER, first INTEGER, status VARCHAR,
    reason VARCHAR, chance_milli BIGINT, share_low_milli BIGINT, share_likely_milli BIGINT, share_high_milli BIGINT
"""
_POOLED: Final = """
    boundary VARCHAR, cold INTEGER, warm INTEGER, first INTEGER, works BOOLEAN, chance_milli BIGINT,
    share_low_milli BIGINT, share_likely_milli BIGINT, share_high_milli BIGINT, counted_high_milli BIGINT
"""

Tenant = tuple[str, str]


@dataclass(frozen=True)
class TimingReport:
    """One line per boundary: whether caches were kept apart there, why that is said, and over how many first uses."""

    boundaries: tuple[tuple[str, str, str, int], ...]


def timing(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool = False) -> TimingReport:
    """Writes the tables ``timing_*``, ``salt_use`` and ``isolation`` (contract: ``docs/architecture.md``).

    Reads the tables of link and, unless ``metadata_only``, the view ``text``, which it attaches. Moves no verdict.
    """
    declared = case.config.timing
    con.execute("CREATE OR REPLACE TEMP TABLE tenant_organization (tenant VARCHAR, organization VARCHAR)")
    owned = [(each.name, each.organization) for each in case.config.tenant if each.organization]
    insert(con, "tenant_organization", owned)
    create_table(con, "timing_use", query("timing/use", case.site), user_paths=list(declared.users))
    _prefixes(con, case, metadata_only=metadata_only)
    return weigh(con, case)


def _prefixes(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> None:
    """Writes ``timing_prefix``, so many prompts at a time as fit into memory whatever their lengths."""
    create_table(con, "timing_prefix", query("timing/no_prefix", case.site))
    if metadata_only:
        return
    texts.attach(con, case)
    (uses,) = con.execute("SELECT count(*) FROM timing_use").fetchone() or (0,)
    batches = 1 + uses // AT_ONCE
    statement = query("timing/prefix", case.site)
    for batch in range(batches):
        values: dict[str, object] = {"batches": batches, "batch": batch}
        run(con, f"INSERT INTO timing_prefix BY NAME\n{statement.sql}", statement.path, values)


def weigh(con: duckdb.DuckDBPyConnection, case: Case) -> TimingReport:
    """Does what :func:`timing` does once ``timing_use`` and ``timing_prefix`` are written."""
    declared = case.config.timing
    memory_ns = int(declared.cache_memory_s * 1e9)
    create_table(con, "timing_reuse", query("timing/reuse", case.site), cache_memory_ns=memory_ns)
    con.execute("DROP TABLE timing_prefix")
    for name in ("class", "case", "excess"):
        create_table(con, f"timing_{name}", query(f"timing/{name}", case.site))
    create_table(con, "salt_use", query("timing/salt", case.site))
    alpha = 1 - declared.confidence
    _test(con, alpha)
    create_table(con, "isolation", query("timing/isolation", case.site), alpha_milli=_milli(alpha))
    rows = con.execute("SELECT boundary, status, reason, first_uses FROM isolation").fetchall()
    return TimingReport(tuple((b, s, r, n) for b, s, r, n in rows))


def _test(con: duckdb.DuckDBPyConnection, alpha: float) -> None:
    """Writes ``timing_test`` and ``timing_pooled``."""
    con.execute(f"CREATE OR REPLACE TABLE timing_test ({_TEST})")
    con.execute(f"CREATE OR REPLACE TABLE timing_pooled ({_POOLED})")
    for (boundary,) in con.execute("SELECT DISTINCT boundary FROM timing_class ORDER BY boundary").fetchall():
        groups = _ratios(con, boundary)
        insert(con, "timing_test", _by_tenant(boundary, groups, alpha))
        found, of = con.execute(
            "SELECT count(*) FILTER (WHERE served), count(served) FROM timing_class"
            " WHERE boundary = ? AND class = 'first' AND tenant_class != 'unresolved'",
            [boundary],
        ).fetchone() or (0, 0)
        row = (boundary, *_pooled(list(groups.values()), alpha), round(1000 * bounds(found, of, alpha).high))
        insert(con, "timing_pooled", [row])


def _ratios(con: duckdb.DuckDBPyConnection, boundary: str) -> dict[Tenant, Groups]:
    """Returns each tenant's times over what an uncached prompt takes, in the environment it was measured in."""
    found = con.execute(
        "SELECT tenant, tenant_class, class, model || chr(30) || measured_by || alone AS environment, taken_ns,"
        " new_tokens, beside_tokens, beside_squares FROM timing_case"
        " WHERE boundary = ? AND tenant_class != 'unresolved' ORDER BY tenant, exchange_id",
        [boundary],
    ).fetchnumpy()
    taken, new, beside, squares = (
        np.asarray(found[name], dtype=np.float64)
        for name in ("taken_ns", "new_tokens", "beside_tokens", "beside_squares")
    )
    work = Work(new, beside, squares)
    environments, classes = np.asarray(found["environment"], dtype=str), np.asarray(found["class"], dtype=str)
    ratios = np.full(len(taken), np.nan)
    for name in np.unique(environments):
        here = environments == name
        cold = here & (classes == "cold")
        if cold.any():
            costs = cost(work.where(cold), taken[cold])
            ratios[here] = taken[here] / expected(work.where(here), costs)
    members: dict[Tenant, list[int]] = defaultdict(list)
    for at, tenant in enumerate(zip(found["tenant"], found["tenant_class"], strict=True)):
        members[tenant].append(at)
    return {tenant: _groups(ratios[rows], classes[rows]) for tenant, rows in sorted(members.items())}


def _groups(ratios: np.ndarray, classes: np.ndarray) -> Groups:
    known = ~np.isnan(ratios)
    return Groups(*(np.sort(ratios[known & (classes == name)]) for name in ("cold", "warm", "first")))


def _by_tenant(boundary: str, groups: dict[Tenant, Groups], alpha: float) -> list[list[object]]:
    """Returns a row for each tenant that has first uses; chances are corrected for the number of tenants tested."""
    having = {tenant: each for tenant, each in groups.items() if len(each.first)}
    enough = {tenant: each for tenant, each in having.items() if _enough(each)}
    chances = dict(zip(enough, corrected([smaller(each.first, each.cold) for each in enough.values()]), strict=True))
    rows: list[list[object]] = []
    for tenant, each in having.items():
        share = Share(0.0, 0.0, 1.0)
        status: str = "undetermined"
        reason: str | None = "too_few_uses"
        if tenant in enough:
            share = _share([each], alpha)
            status, reason = _said(each, chances[tenant], share, alpha)
        chance = _milli(chances.get(tenant, 1.0))
        rows.append([boundary, *tenant, *_sizes([each]), status, reason, chance, *_milli_share(share)])
    return rows


def _said(each: Groups, chance: float, share: Share, alpha: float) -> tuple[str, str | None]:
    if smaller(each.warm, each.cold) > alpha:
        return "undetermined", "cold_and_warm_alike"
    if chance <= alpha and share.likely >= LEAST_SHARE:
        return "shared", None
    return ("apart", None) if share.high <= LEAST_SHARE else ("undetermined", "too_few_uses")


def _pooled(groups: list[Groups], alpha: float) -> list[object]:
    """Returns counts, whether the clock tells warm from cold at all, and the chance and share over all tenants."""
    used = [each for each in groups if len(each.cold) >= FEWEST_COLD and len(each.first)]
    control = [(each.warm, each.cold) for each in groups if len(each.cold) >= FEWEST_COLD and len(each.warm)]
    works = smaller_overall(control) <= alpha
    chance = smaller_overall([(each.first, each.cold) for each in used])
    measured = [each for each in groups if len(each.cold) >= FEWEST_COLD]
    share = _share(measured, alpha) if used and control else Share(0.0, 0.0, 1.0)
    return [*_sizes(measured), works, _milli(chance), *_milli_share(share)]


def _share(groups: list[Groups], alpha: float) -> Share:
    cold, warm, first = (np.concatenate([getattr(each, name) for each in groups]) for name in ("cold", "warm", "first"))
    parting = divide(cold, warm)
    return served([(int((each < parting).sum()), len(each)) for each in (first, cold, warm)], alpha)


def _enough(each: Groups) -> bool:
    return all(len(getattr(each, name)) >= least for name, least in LEAST.items())


def _sizes(groups: Iterable[Groups]) -> list[int]:
    return [sum(len(getattr(each, name)) for each in groups) for name in ("cold", "warm", "first")]


def _milli_share(share: Share) -> list[int]:
    return [round(1000 * value) for value in (share.low, share.likely, share.high)]


def _milli(chance: float) -> int:
    """Returns a probability as thousandths of its negative decimal logarithm: 2000 is one in a hundred."""
    return round(-1000 * math.log10(max(chance, 1e-300)))
