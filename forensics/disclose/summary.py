"""``summary.json``: the counts of a case, checked against one another."""

import hashlib
from typing import Any

import duckdb

from forensics import __version__
from forensics.case.folder import Case
from forensics.disclose.controls import controls
from forensics.disclose.tables import Row, one, rows
from forensics.errors import ForensicsError
from forensics.resources import folder

OUTCOMES = ("refused", "no_output", "truncated", "answered")
DISCLOSURES = ("confirmed", "probable", "none_found", "undetermined")


def summary(con: duckdb.DuckDBPyConnection, case: Case) -> dict[str, Any]:
    """Returns the counts of the case; ``con`` must have been given to ``tables.prepare``.

    The unit of every count is one response, unless its key names another. Each is over customers and unresolved
    tenants, but for ``affected_by_class``, ``over_pool``, ``examined``, ``delivered`` and ``scanned``, which are over
    all classes. Raises if parts do not add up.
    """
    totals = one(con, case, "totals")
    disclosed = rows(con, case, "disclosure")
    result: dict[str, Any] = {
        "affected": totals["affected"],
        "affected_by_mechanism": _counts(rows(con, case, "affected_by_mechanism"), "mechanism"),
        "disclosure": {name: _sum(disclosed, disclosure=name) for name in DISCLOSURES},
        "disclosure_not_examined": totals["disclosure_not_examined"],
        "disclosure_undetermined": _counts(
            [each for each in disclosed if each["disclosure"] == "undetermined"], "reason"
        ),
        "undetermined": _counts(rows(con, case, "undetermined"), "reason"),
        "over_pool": one(con, case, "over_pool"),
        "boundary": one(con, case, "boundary"),
        "affected_by_class": _counts(rows(con, case, "affected_by_class"), "tenant_class"),
        "affected_unresolved": totals["affected_unresolved"],
        "outside_window": totals["outside_window"],
        "examined": totals["examined"],
        "delivered": totals["delivered"],
        "scanned": totals["scanned"],
        "basis": _basis(totals),
        "scope": case.config.scope,
        "bounds": one(con, case, "bounds"),
        "missing": rows(con, case, "missing", scope=case.config.scope),
        "reported": len({each["sighting"] for each in rows(con, case, "sighting")}),
        "own_unexplained": len(rows(con, case, "own_unexplained")),
        "controls": controls(rows(con, case, "control")),
        "isolation": isolation(con, case),
        "signs": signs(con, case),
        "tenants": one(con, case, "tenants"),
        "detector": {"version": __version__, "rules": rules_hash()},
        "versions": {"forensics": __version__, "duckdb": duckdb.__version__},
        "manifest_hash": manifest_hash(con, case),
    }
    _check(result, totals)
    return result


def isolation(con: duckdb.DuckDBPyConnection, case: Case) -> list[Row]:
    """Returns what is said of prefix caches at each boundary; it is no count of responses."""
    return rows(con, case, "isolation", confidence_milli=round(1000 * case.config.timing.confidence))


def signs(con: duckdb.DuckDBPyConnection, case: Case) -> list[Row]:
    """Returns which signs of use were looked for, over what, and how many were found; no count of responses."""
    return rows(con, case, "sign_search")


def manifest_hash(con: duckdb.DuckDBPyConnection, case: Case) -> str:
    """Returns one SHA-256 over the evidence: the decoded hashes and formats, whatever the files' names and order."""
    contents = sorted({(each["decoded_sha256"] or "", each["format"] or "") for each in rows(con, case, "manifest")})
    return hashlib.sha256("".join(f"{digest} {name}\n" for digest, name in contents).encode()).hexdigest()


def rules_hash() -> str:
    """Returns the first 12 hex digits of a SHA-256 over all SQL of this installation: same digits, same rules."""
    root = folder("queries")
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.sql")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _basis(totals: Row) -> str:
    """``metadata`` where there were suspects and none was scanned, else ``text``."""
    read = totals["scanned"] or totals["judged_by_text"]
    return "metadata" if totals["suspects"] and not read else "text"


def _counts(found: list[Row], key: str) -> dict[str, int]:
    return {str(each[key] or "unknown"): each["responses"] for each in found}


def _sum(found: list[Row], disclosure: str) -> int:
    return sum(each["responses"] for each in found if each["disclosure"] == disclosure)


def _check(result: dict[str, Any], totals: Row) -> None:
    """A sum that does not add up would be a silently wrong number; there is no report with one."""
    over_pool, by_class = result["over_pool"], result["affected_by_class"]
    sums = {
        "affected by mechanism": (sum(result["affected_by_mechanism"].values()), result["affected"]),
        "affected by class": (by_class["customer"] + by_class.get("unresolved", 0), result["affected"]),
        "affected of all classes": (sum(by_class.values()), totals["affected_all_classes"]),
        "disclosure": (sum(result["disclosure"].values()) + result["disclosure_not_examined"], result["affected"]),
        "undetermined": (sum(result["undetermined"].values()), totals["undetermined"]),
        "over-pool requests": (sum(over_pool[outcome] for outcome in OUTCOMES), over_pool["total"]),
    }
    for what, (parts, total) in sums.items():
        if parts != total:
            raise ForensicsError(
                f"the parts of '{what}' add up to {parts}, not to their total {total}",
                where="table verdict",
                fix="Run `forensics analyze` again; if it stays, a rule in queries/verdicts gives an unknown value",
            )
