"""Gateways behind one another, and stores beside them, saw one exchange: counted once, placed, named by any of them."""

import shutil
from pathlib import Path

import pytest

from forensics.case.database import connect
from forensics.case.folder import Case
from forensics.ingest.run import ingest
from forensics.link.run import link
from tests.cases.story import HERE

DECLARED = """
[window]
start = 2026-09-02T00:00:00Z
end = 2026-09-03T00:00:00Z
[[source]]
files = "*/decode/*"
zone = "Etc/GMT-2"
worker = "decode-0"
role = "decode"
[[source]]
files = "*"
zone = "UTC"
[[tenant_rule]]
name = "property"
path = "$.request_properties.tenant"
[[tenant_rule]]
name = "team"
path = "$.metadata.user_api_key_team_id"
[[tenant_rule]]
name = "arn"
path = "$.arn"
pattern = "assumed-role/([^/]+)/"
"""
CALL = "7be1d0c4a9f24f0e9d1c2b3a4f5e6d70"


def exchanges(folder: Path, *stories: str) -> list[tuple[object, ...]]:
    """Returns request id, tenant and decode worker of each exchange that these stories' files and a decode log tell."""
    case = Case.create(folder / "case", DECLARED)
    logs = folder / "logs"
    for story in stories:
        shutil.copytree(HERE / story / "logs", logs / story, ignore=shutil.ignore_patterns("*.parquet.yml"))
    shutil.copytree(HERE / "sglang_engine" / "logs" / "0.5.23", logs / "decode")
    assert ingest(case, [logs], threads=1).problems == []
    con = connect(case, read_only=False)
    try:
        link(con, case)
        return con.execute(
            "SELECT request_id, tenant, decode_worker, prompt_tokens FROM exchange ORDER BY ALL"
        ).fetchall()
    finally:
        con.close()


@pytest.mark.parametrize(
    "stories",
    [
        ("helicone",),
        ("litellm_spend_logs",),
        ("azure_apim",),
        ("helicone", "litellm_payload", "litellm_spend_logs", "azure_apim", "langfuse", "streams"),
    ],
    ids="+".join,
)
def test_one_call_is_one_exchange(stories: tuple[str, ...], tmp_path: Path) -> None:
    found = [row for row in exchanges(tmp_path, *stories) if row[0] == CALL]
    assert [row[2:] for row in found] == [("decode-0", 284937)]
    assert stories == ("azure_apim",) or found[0][1] == "acme"


def test_an_offloaded_body_belongs_to_its_invocation(tmp_path: Path) -> None:
    found = {row[0]: row for row in exchanges(tmp_path, "bedrock")}
    assert found["aws-1"][1] == "acme"
    assert not any(str(name).startswith("trace:") for name in found)


def test_a_batch_answer_belongs_to_its_request(tmp_path: Path) -> None:
    found = [row[0] for row in exchanges(tmp_path, "openai_batch")]
    assert {"chatcmpl-1", "cmpl-2"} <= set(found)
    assert len([name for name in found if "acme-0000" in str(name)]) == 2  # those that failed have no response id
