"""Runs every file of ``queries/signs`` and keeps an account of what each could look at."""

from dataclasses import dataclass
from typing import Any, Final

import duckdb

from forensics.case import texts
from forensics.case.database import create_table, dicts, run, select
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.resources import Query, queries, query

_SIGN: Final = """
    sign VARCHAR, tenant VARCHAR, tenant_class VARCHAR, key VARCHAR, requests BIGINT, first_ns BIGINT, last_ns BIGINT,
    detail VARCHAR, request_ids VARCHAR[]
"""
_SEARCH: Final = """
    sign VARCHAR, looked_for VARCHAR, status VARCHAR, missing VARCHAR, found BIGINT, of_researchers BIGINT,
    exchanges BIGINT, usable BIGINT, files BIGINT, first_ns BIGINT, last_ns BIGINT
"""
_USABLE: Final = {"lengths": "with_length", "limits": "with_limit", "texts": "with_text"}


@dataclass(frozen=True)
class SignReport:
    """One line per search: the sign, ``looked`` or ``not_looked``, what was missing, and how many were found."""

    searches: tuple[tuple[str, str, str | None, int], ...]


def signs(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool = False) -> SignReport:
    """Writes ``sign_subject``, ``sign`` and ``sign_search``; reads the tables up to judge, and texts for padding.

    Moves no verdict. Raises if a site's own file lacks a header or a column.
    """
    declared = case.config.signs
    create_table(con, "sign_subject", query("signs/shared/subject", case.site), key_paths=list(declared.keys))
    if not metadata_only:
        texts.attach(con, case)
    con.execute(f"CREATE OR REPLACE TABLE sign ({_SIGN})")
    con.execute(f"CREATE OR REPLACE TABLE sign_search ({_SEARCH})")
    over = _looked_over(con, case)
    report_ns = declared.public_report_ns
    for each in queries("signs", case.site):
        missing = _missing(each, over, public_report=report_ns is not None, metadata_only=metadata_only)
        if not missing:
            _search(con, each, public_report_ns=report_ns)
        _account(con, each, over, missing)
    rows = con.execute("SELECT sign, status, missing, found FROM sign_search ORDER BY sign").fetchall()
    return SignReport(tuple((sign, status, missing, found) for sign, status, missing, found in rows))


def _looked_over(con: duckdb.DuckDBPyConnection, case: Case) -> dict[str, Any]:
    (row,) = dicts(select(con, query("signs/shared/looked_over", case.site)))
    return row


def _missing(each: Query, over: dict[str, Any], *, public_report: bool, metadata_only: bool) -> str | None:
    """Returns why a search cannot look, or None."""
    needs = _needs(each)
    if "public_report" in needs and not public_report:
        return "no public_report under [signs] in case.toml"
    if "texts" in needs and metadata_only:
        return "texts were not read (--metadata-only)"
    lacking = [need for need in needs if need in _USABLE and not over[_USABLE[need]]]
    return f"no record tells {' or '.join(lacking)}" if lacking else None


def _needs(each: Query) -> list[str]:
    return [need.strip() for need in each.header.get("needs", "").split(",") if need.strip()]


def _search(con: duckdb.DuckDBPyConnection, each: Query, **values: object) -> None:
    if "sign" not in each.header or "looks for" not in each.header:
        raise ForensicsError(
            "the file does not say which sign it looks for",
            where=str(each.path),
            fix="Add header lines `-- sign: name` and `-- looks for: …`",
        )
    statement = f"INSERT INTO sign BY NAME SELECT $sign AS sign, * FROM (\n{each.sql}\n)"  # noqa: S608 - a file of ours or the site's
    run(con, statement, each.path, {"sign": each.header["sign"], **values})


def _account(con: duckdb.DuckDBPyConnection, each: Query, over: dict[str, Any], missing: str | None) -> None:
    sign = each.header.get("sign", each.name)
    found, researchers = con.execute(
        "SELECT count(*), count(*) FILTER (WHERE tenant_class = 'researcher') FROM sign WHERE sign = ?", [sign]
    ).fetchone() or (0, 0)
    usable = min([over[_USABLE[need]] for need in _needs(each) if need in _USABLE], default=over["exchanges"])
    con.execute(
        f"INSERT INTO sign_search VALUES ({', '.join('?' * 11)})",  # noqa: S608 - marks
        [
            sign, each.header.get("looks for", ""), "not_looked" if missing else "looked", missing, found, researchers,
            over["exchanges"], 0 if missing else usable, over["files"], over["first_ns"], over["last_ns"],
        ],
    )  # fmt: skip
