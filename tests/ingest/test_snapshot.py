"""LiteLLM's spend table on a real Postgres server, which these tests start: copied, ingested, and nothing changed."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from adbc_driver_postgresql import dbapi
from typer.testing import CliRunner

from forensics.cli.app import app
from forensics.errors import ForensicsError
from forensics.ingest.run import ingest
from forensics.ingest.snapshot import place_of, snapshot
from tests.ingest.cases import new_case, records, told
from tests.postgres import serving

TABLE = """
CREATE TABLE "LiteLLM_SpendLogs" (
    request_id text PRIMARY KEY, call_type text NOT NULL, api_key text NOT NULL, spend double precision,
    prompt_tokens integer, completion_tokens integer, "startTime" timestamp, "endTime" timestamp,
    "completionStartTime" timestamp, model text, team_id text, end_user text, metadata jsonb, messages jsonb,
    response jsonb, proxy_server_request jsonb, status text, litellm_call_id text, cost numeric, created_at timestamptz
)
"""
ROWS = """
INSERT INTO "LiteLLM_SpendLogs" VALUES
    ('b', 'acompletion', '88', 0.1, 284937, 512, '2026-03-01 10:00:07.100001', '2026-03-01 10:00:31.1',
     '2026-03-01 10:00:07.6', 'glm-5', 'acme', 'u-17', '{"user_api_key_alias": "acme-prod"}', '{}',
     '{"id": "b", "choices": [{"message": {"role": "assistant", "content": "Ms. Okafor\\u00e9"}}]}',
     '{"model": "glm-5", "messages": [{"role": "user", "content": "''; DROP TABLE x; --"}]}', 'success', 'call-b', 1.5,
     '2026-03-01 10:00:31+02'),
    ('a', 'acompletion', '77', NULL, NULL, NULL, '2026-03-01 10:00:00', '2026-03-01 10:00:00', NULL, 'glm-5', 'birch',
     NULL, '{}', '{}', '{}', '{}', 'failure', NULL, NULL, NULL)
"""
pytestmark = pytest.mark.filterwarnings("ignore:XDG_RUNTIME_DIR")


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("pg"), TABLE, ROWS) as address:
        yield address


def test_a_live_table_becomes_evidence(uri: str, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    done = snapshot(uri, logs / "spend.parquet")
    assert done.rows == 2
    case = new_case(tmp_path / "case", "")
    report = ingest(case, [logs])
    assert report.problems == []
    assert (report.files[0].format, report.files[0].why) == ("litellm_spend_logs", "its columns")
    failed, good = records(case)
    assert (failed["call_id"], failed["response_id"], failed["outcome"]) == ("a", None, "error")
    assert (good["response_id"], good["call_id"], good["prompt_tokens"]) == ("b", "call-b", 284937)
    assert good["received_ns"] == 1772359207100001000
    assert good["identity"]["metadata"]["user_api_key_alias"] == "acme-prod"
    assert good["identity"]["metadata"]["user_api_key_team_id"] == "acme"
    assert [part[6] for part in told(case)] == ["'; DROP TABLE x; --", "Ms. Okaforé"]


def test_the_same_state_gives_the_same_file_and_the_server_is_only_read(uri: str, tmp_path: Path) -> None:
    first, second = snapshot(uri, tmp_path / "1.parquet"), snapshot(uri, tmp_path / "2.parquet")
    assert first.sha256 == second.sha256
    with dbapi.connect(uri) as con, con.cursor() as cursor:
        cursor.execute("SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables")
        assert cursor.fetchone()[0] in (0, 2)


def test_refusals_say_what_to_do_and_keep_the_password(uri: str, tmp_path: Path) -> None:
    taken = tmp_path / "taken.parquet"
    taken.write_text("mine")
    with pytest.raises(ForensicsError, match="exists already"):
        snapshot(uri, taken)
    with pytest.raises(ForensicsError, match="no table 'nothing'"):
        snapshot(uri, tmp_path / "x.parquet", "nothing")
    unreachable = "postgresql://reader:hush@127.0.0.1:1/litellm"
    with pytest.raises(ForensicsError) as refused:
        snapshot(unreachable, tmp_path / "x.parquet")
    assert "hush" not in str(refused.value)
    assert place_of(f"{unreachable}?password=hush&a=b") == "postgresql://127.0.0.1:1/litellm?password=…&a=b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken.parquet"]


def test_the_command_tells_what_it_wrote(uri: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["snapshot", uri, str(tmp_path / "spend.parquet")])
    assert result.exit_code == 0, result.output
    assert "2 rows of LiteLLM_SpendLogs" in result.output
    assert "SHA-256" in result.output


def test_a_live_address_is_evidence_that_stays_in_the_case(uri: str, tmp_path: Path) -> None:
    case = new_case(tmp_path / "case", "")
    report = ingest(case, [uri])
    assert report.problems == []
    (taken,) = report.files
    assert (taken.format, taken.records_kept) == ("litellm_spend_logs", 2)
    (kept,) = (case.root / "snapshots").iterdir()
    digest = hashlib.sha256(kept.read_bytes()).hexdigest()
    assert kept.name == f"{digest}.parquet"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert taken.path.endswith(f"LiteLLM_SpendLogs@{digest[:16]}")
    entry = json.loads(case.custody.read_text().splitlines()[-1])
    assert [each["sha256"] for each in entry["snapshots"]] == [digest]
    again = ingest(case, [f"{uri}#LiteLLM_SpendLogs"])
    assert [each.status for each in again.files] == ["known"]
    with dbapi.connect(uri) as con, con.cursor() as cursor:
        cursor.execute("""CREATE TABLE "Later" AS SELECT * FROM "LiteLLM_SpendLogs" WHERE request_id = 'b'""")
        con.commit()
    later = ingest(case, [f"{uri}#Later"])
    assert later.problems == []
    assert len(list((case.root / "snapshots").iterdir())) == 2
    assert [each["call_id"] for each in records(case)] == ["a", "call-b"]
    with pytest.raises(ForensicsError, match="no table 'nothing'"):
        ingest(case, [f"{uri}#nothing"])
    assert len(list((case.root / "snapshots").iterdir())) == 2
