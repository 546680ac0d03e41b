"""The docs cannot drift from the code."""

import runpy
from pathlib import Path

from forensics.resources import queries

ROOT = Path(__file__).parent.parent
KINDS = (
    "formats", "link", "mechanisms", "timing", "signs", "verdicts", "coverage", "controls", "reports", "preflight",
    "audit",
)  # fmt: skip

REASONS = (
    "response_missing",
    "response_truncated",
    "prompt_missing",
    "prompt_truncated",
    "text_not_kept",
    "tokens_unknown",
    "placement_unknown",
    "limits_unknown",
    "other_side_missing",
    "mechanism_possible",
    "client_record_missing",
    "engine_log_missing",
    "no_response",
    "suspected_cleared",
    "excluded_by_records",
    "mechanism_established",
    "foreign_text",
)


def test_reference_is_what_the_code_says() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))["PAGES"]
    for name, page in pages.items():
        written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        assert written == page(), f"docs/reference/{name} is stale: run `make reference`"


def test_every_query_says_what_it_answers() -> None:
    for kind in KINDS:
        for each in queries(kind):
            assert {"question", "grain", "inputs"} <= set(each.header), each.name


def test_every_reason_code_is_explained() -> None:
    method = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    for code in REASONS:
        assert f"`{code}`" in method, code


def test_every_format_says_where_it_comes_from_and_what_it_lacks() -> None:
    for each in queries("formats"):
        assert {"where from", "assumptions", "cannot say", "traps", "evidence"} <= set(each.header), each.name
