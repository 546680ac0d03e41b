"""The judge stage: findings before verdicts, one verdict per exchange."""

from dataclasses import dataclass

import duckdb

from forensics.case.database import create_table
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.resources import query


@dataclass(frozen=True)
class JudgeReport:
    """Verdicts by integrity and disclosure."""

    verdicts: tuple[tuple[str, str | None, int], ...]

    @property
    def affected(self) -> int:
        """Number of affected responses, of every tenant class."""
        return sum(n for integrity, _, n in self.verdicts if integrity == "affected")


def judge(con: duckdb.DuckDBPyConnection, case: Case, *, metadata_only: bool) -> JudgeReport:
    """Writes ``finding``, ``source``, ``verdict``, ``possible_source``. Raises unless each exchange has one verdict."""
    values: dict[str, object] = {"metadata_only": metadata_only, "scope": case.config.scope}
    for name in ("finding", "source", "verdict", "possible_source"):
        create_table(con, name, query(f"verdicts/{name}", case.site), **values)
    exchanges, rows, distinct = con.execute(
        "SELECT (SELECT count(*) FROM exchange), count(*), count(DISTINCT exchange_id) FROM verdict"
    ).fetchone() or (0, 0, 0)
    if not exchanges == rows == distinct:
        raise ForensicsError(
            f"{rows} verdicts for {exchanges} exchanges",
            where="queries/verdicts/verdict.sql",
            fix="Please report this with `forensics sql CASE` output of both tables",
        )
    found = con.execute(
        "SELECT integrity, disclosure, count(*) FROM verdict GROUP BY ALL ORDER BY integrity, disclosure NULLS LAST"
    ).fetchall()
    return JudgeReport(tuple((i, d, n) for i, d, n in found))
