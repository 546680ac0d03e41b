"""Puts what ``case.toml`` declares into tables, so that queries join declarations like any other fact."""

import re
from fnmatch import fnmatchcase

import duckdb

from forensics.case.config import CaseConfig
from forensics.case.database import insert


def declare(con: duckdb.DuckDBPyConnection, config: CaseConfig) -> None:
    """Writes the declaration tables and brings ``file``'s worker, role and rank up to date with ``[[source]]``."""
    _sources(con, config)
    _tenants(con, config)
    _models(con, config)


def _fill(con: duckdb.DuckDBPyConnection, name: str, columns: str, rows: list[tuple[object, ...]]) -> None:
    con.execute(f'CREATE OR REPLACE TABLE "{name}" ({columns})')
    insert(con, name, rows)


def _sources(con: duckdb.DuckDBPyConnection, config: CaseConfig) -> None:
    paths = [row[0] for row in con.execute("SELECT path FROM file ORDER BY path").fetchall()]
    matched = {path: config.source_for(path) for path in paths}
    con.executemany(
        "UPDATE file SET worker = ?, role = ?, dp_rank = ? WHERE path = ?",
        [(s.worker, s.role, s.dp_rank, path) for path, s in matched.items()],
    ) if matched else None
    addresses = {s.worker: s.address for s in matched.values() if s.worker and s.address}
    _fill(con, "worker_declared", "worker VARCHAR, address VARCHAR", sorted(addresses.items()))


def _tenants(con: duckdb.DuckDBPyConnection, config: CaseConfig) -> None:
    rules: list[tuple[object, ...]] = [
        (n, rule.name or rule.path, rule.path, _grouped(rule.pattern), list(rule.ignore), rule.format)
        for n, rule in enumerate(config.tenant_rule)
    ]
    _fill(
        con,
        "tenant_rule",
        "ordinal INTEGER, name VARCHAR, path VARCHAR, pattern VARCHAR, ignored VARCHAR[], format VARCHAR",
        rules,
    )
    _fill(
        con,
        "tenant_alias",
        "alias VARCHAR, tenant VARCHAR",
        [(alias, tenant.name) for tenant in config.tenant for alias in tenant.aliases],
    )
    _fill(
        con,
        "tenant_declared",
        "tenant VARCHAR, class VARCHAR",
        [(tenant.name, tenant.tenant_class) for tenant in config.tenant],
    )


def _models(con: duckdb.DuckDBPyConnection, config: CaseConfig) -> None:
    names: dict[str, str] = {}
    for model in config.model:
        for alias in (model.name, *model.aliases):
            names.setdefault(alias, model.name)
    _fill(con, "model_name", "alias VARCHAR, name VARCHAR", sorted(names.items()))
    _fill(
        con,
        "model_declared",
        "name VARCHAR, context_tokens BIGINT, pool_tokens BIGINT",
        [(model.name, model.context_tokens, model.pool_tokens) for model in config.model],
    )
    seen = [row[0] for row in con.execute("SELECT DISTINCT model FROM record WHERE model IS NOT NULL").fetchall()]
    backends: dict[str, tuple[object, ...]] = {}
    for backend in config.backend:
        for model in sorted({*seen, *names.values(), backend.model}):
            if fnmatchcase(model, backend.model):
                why = backend.why or "declared in case.toml"
                backends.setdefault(model, (model, backend.disaggregated, why, backend.detectors))
    columns = "model VARCHAR, disaggregated BOOLEAN, why VARCHAR, detectors BOOLEAN"
    _fill(con, "backend_declared", columns, list(backends.values()))


def _grouped(pattern: str | None) -> str | None:
    """Gives a pattern without a group one around all of it, so that group 1 is always the name."""
    if pattern is None or re.compile(pattern).groups:
        return pattern
    return f"({pattern})"
