"""The dev capture: everything is accounted for, prompts meet across formats, and the draft finds its tenants."""

# ruff: noqa: E501 - log lines are as long as their writers make them

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from forensics.case.draft import template
from forensics.case.folder import Case
from forensics.ingest.run import IngestReport, ingest
from forensics.ingest.survey import suggest
from tests.ingest.cases import records, rows

CAPTURE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "captures" / "dev"
pytestmark = pytest.mark.skipif(
    not CAPTURE.is_dir(), reason="the dev capture is not here (../shared/data/captures/dev)"
)


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Case, IngestReport]:
    found = suggest([CAPTURE])
    case = Case.create(tmp_path_factory.mktemp("capture") / "case", template("dev", found))
    return found, case, ingest(case, [CAPTURE])


def test_every_record_is_accounted_for(drafted: tuple[Any, Case, IngestReport]) -> None:
    _, case, report = drafted
    assert report.problems == []
    assert len(report.files) == 83
    assert sum((Counter(each.rejected) for each in report.files), Counter()) == {"foreign_line": 10, "cut_short": 1}
    assert [each.path for each in report.files if each.cut_short] == ["dev/sglang/prefill-2/req/pd-prefill-2_0.log"]
    assert [each.records_duplicate for each in report.files if each.status == "copy"] == [197]
    kinds = Counter((row["format"], row["kind"]) for row in records(case))
    assert kinds["litellm_payload", "client"] == 400
    assert kinds["otlp_genai", "client"] == 174
    assert kinds["sglang_request_log", "openai"] == 268
    assert (kinds["sglang_engine_log", "reject"], kinds["sglang_engine_log", "release"]) == (8, 6)
    assert (kinds["sglang_engine_log", "limits"], kinds["sglang_server_info", "limits"]) == (7, 7)


def test_prompts_hash_equal_across_formats(drafted: tuple[Any, Case, IngestReport]) -> None:
    _, case, _ = drafted
    lonely = rows(
        case,
        "SELECT format, count(*) AS n FROM record WHERE prompt_hash IS NOT NULL AND format <> 'litellm_payload' "
        "AND prompt_hash NOT IN (SELECT prompt_hash FROM record WHERE format = 'litellm_payload') GROUP BY format",
    )
    assert lonely == []


def test_the_draft_finds_twelve_tenants_and_every_worker(drafted: tuple[Any, Case, IngestReport]) -> None:
    found, case, _ = drafted
    assert len(found.tenants) == 12
    assert sum(count for _, count in found.tenants) == 399
    placed = rows(case, "SELECT DISTINCT worker, role, zone FROM file WHERE worker IS NOT NULL ORDER BY worker")
    assert [(row["worker"], row["role"]) for row in placed] == [
        *((f"decode-{n}", "decode") for n in range(4)), ("osprey-24b", "unified"), *((f"prefill-{n}", "prefill") for n in range(3)),
    ]  # fmt: skip
    assert {row["zone"] for row in placed} == {"UTC"}
    engines = rows(
        case, "SELECT path FROM file WHERE worker IS NULL AND (path LIKE '%/sglang/%' OR path LIKE '%/vllm/%')"
    )
    assert engines == []
    assert {(model.name, model.aliases) for model in found.models} >= {("aster-7b", ("aster-7b-instruct",))}
    assert [backend.model for backend in found.backends] == ["osprey-24b"]
