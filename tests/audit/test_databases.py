"""A live table, of which each run reads the new rows."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from adbc_driver_postgresql import dbapi

from forensics.audit.config import Postgres
from forensics.audit.databases import copied
from forensics.audit.store import Watermark
from tests.postgres import serving

pytestmark = pytest.mark.filterwarnings("ignore:XDG_RUNTIME_DIR")


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    statements = (
        'CREATE TABLE "Spend" (request_id text PRIMARY KEY, "startTime" timestamp)',
        """INSERT INTO "Spend" VALUES ('a', '2026-03-01 10:00:00')""",
        """INSERT INTO "Spend" VALUES ('b', '2026-03-01 12:00:00.5')""",
    )
    with serving(tmp_path_factory.mktemp("pg"), *statements) as address:
        yield address


def test_each_run_copies_what_is_new_and_a_little_of_what_was_before(
    uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEND_URI", uri)
    table, mark = Postgres("SPEND_URI", table="Spend", overlap_s=600), Watermark()

    def copy() -> list[str]:
        mark.run += 1
        found, problems = copied([table], tmp_path / str(mark.run), mark)
        assert problems == []
        return [row for each in found for row in pq.read_table(each.given)["request_id"].to_pylist()]

    assert copy() == ["a", "b"]
    assert copy() == ["b"]
    with dbapi.connect(uri) as con, con.cursor() as cursor:
        cursor.execute("""INSERT INTO "Spend" VALUES ('late', '2026-03-01 11:55:00'), ('new', '2026-03-01 13:00:00')""")
        con.commit()
    assert copy() == ["b", "late", "new"]
    assert copy() == ["new"]
    assert mark.since == {"SPEND_URI Spend": "2026-03-01T13:00:00"}


def test_a_database_without_an_address_is_a_problem_and_no_end(tmp_path: Path) -> None:
    found, problems = copied([Postgres("NO_SUCH_VARIABLE_IS_SET")], tmp_path, Watermark())
    assert found == []
    assert "no address" in str(problems[0])
