"""The dev capture end to end: the draft's declarations, the verdicts, and what each missing file changes."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forensics.case.folder import Case
from forensics.ingest import manifest
from tests.capture.road import ingested, verdicts, without

Rows = list[dict[str, object]]


@pytest.fixture(scope="module")
def case(capture: Path, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return ingested(tmp_path_factory.mktemp("capture") / "case", capture)


@pytest.fixture(scope="module")
def rows(case: Case) -> Rows:
    return verdicts(case)


def test_the_capture_is_judged_right(rows: Rows, faults: Callable[[Rows], list[str]]) -> None:
    assert faults(rows) == []


def test_every_record_is_accounted_for(case: Case) -> None:
    for entry in manifest.load(case).values():
        assert entry.records_read == entry.records_kept + entry.records_rejected, entry.path


def test_metadata_alone_leaves_late_writes_open(case: Case, truth: dict[str, Any], tmp_path: Path) -> None:
    bare = without(case, tmp_path / "bare", None)
    told = {str(row["request_id"]): row for row in verdicts(bare, metadata_only=True)}
    assert sum(row["integrity"] == "affected" for row in told.values()) == 8
    late = [c["request"]["response_id"] for c in truth["contaminations"] if c["class"] == 2]
    for request_id in late:
        assert told[request_id]["integrity"] == "undetermined"
        assert told[request_id]["integrity_reason"] == "mechanism_possible"
    workers = {told[request_id]["decode_worker"] for request_id in late}
    lost = set(truth["damage"]["gap"]["decode_rids_lost"])
    mocked = {q["client_response_id"] for q in truth["requests"] if q["kind"] == "mock"}
    for request_id, row in told.items():
        if row["integrity"] == "undetermined" and request_id not in lost | mocked:
            assert row["decode_worker"] in workers, request_id
    assert {row["disclosure"] for row in told.values()} == {None}


def plans(truth: dict[str, Any]) -> dict[str, str]:
    """Every id that an exchange of the capture goes by, and the exchange."""
    names: dict[str, str] = {}
    for q in truth["requests"]:
        known = [q.get("response_id"), q.get("client_response_id"), q.get("litellm_call_id")]
        known += [each.get(key) for each in q.get("litellm") or [] for key in ("id", "call_id")]
        known += [(q.get(side) or {}).get("rid") for side in ("decode", "prefill")]
        names |= {name: q["id"] for name in known if name}
    return names


def integrity(rows: Rows, names: dict[str, str]) -> dict[str, set[object]]:
    found: dict[str, set[object]] = defaultdict(set)
    for row in rows:
        found[names.get(str(row["request_id"]), str(row["request_id"]))].add(row["integrity"])
    return found


PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_missing_file_makes_anything_clean(
    part: int, case: Case, rows: Rows, truth: dict[str, Any], tmp_path: Path
) -> None:
    """Each file is left out in turn; what was affected or undetermined never becomes *not affected* for it."""
    names = plans(truth)
    before = integrity(rows, names)
    paths = sorted(manifest.load(case))
    for number, path in enumerate(paths[part::PARTS]):
        after = integrity(verdicts(without(case, tmp_path / str(number), path)), names)
        for exchange, values in after.items():
            if "not_affected" in values and exchange in before:
                assert "not_affected" in before[exchange], f"{exchange} without {path}"


REDUNDANT = ("otel/", "sse/", "router/", "proxy.log", "model_info", "old/", "server_info/decode", "metrics/")


def test_a_missing_redundant_file_moves_nothing(case: Case, rows: Rows, tmp_path: Path) -> None:
    before = {row["request_id"]: (row["integrity"], row["disclosure"]) for row in rows}
    chosen = [path for mark in REDUNDANT for path in sorted(manifest.load(case)) if mark in path][::6]
    for number, path in enumerate(chosen):
        made = verdicts(without(case, tmp_path / str(number), path))
        assert {row["request_id"]: (row["integrity"], row["disclosure"]) for row in made} == before, path
