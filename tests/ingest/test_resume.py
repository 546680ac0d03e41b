"""A run that is killed within a large file goes on behind what it sealed, and the case is the same."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from forensics.case.folder import Case
from forensics.ingest import segment
from forensics.ingest.project import Projector
from forensics.ingest.run import ingest
from tests.ingest.cases import new_case
from tests.ingest.test_run import content

LINES = 240
BATCH = 20_000
PLAIN = '{{"timestamp": "2026-03-01T10:00:{:02d}.5", "event": "request.received", "rid": "r{}", "obj": {{"bootstrap_room": {}, "text": "{}"}}}}'


class Killed(BaseException):
    """Stands for a process that ends."""


def lines() -> bytes:
    """Returns a request log that holds what framing counts: lines it cannot read, NULs, bytes that are no UTF-8, CR LF."""
    found = []
    for n in range(LINES):
        found.append(PLAIN.format(n % 60, n, n + 1, f"p{n} " * 200).encode())
        if n % 7 == 0:
            found.append(b"shell text that is no record " + str(n).encode() + b"\r")
        if n % 11 == 0:
            found.append(
                PLAIN.format(n % 60, f"b{n}", n + 1000, "cut \xff").encode("latin-1") + b"\x00\x00\x00" + found[-1]
            )
        if n % 13 == 0:
            found.append(b"\x00\x00\x00\x00\n")
    return b"\n".join(found) + b'\n{"timestamp": "2026-03-0'


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment, "BATCH_BYTES", BATCH)
    monkeypatch.setattr(segment, "PART_BYTES", 2 * BATCH)


def projections(monkeypatch: pytest.MonkeyPatch, killed_at: int | None = None) -> list[int]:
    """Counts batches, and ends the process at one of them."""
    counted: list[int] = []
    real = Projector.project

    def project(self: Projector, files: Any) -> Any:
        counted.append(len(files[0]))
        if len(counted) - 1 == killed_at:
            raise Killed
        return real(self, files)

    monkeypatch.setattr(Projector, "project", project)
    return counted


def tables(case: Case) -> dict[str, bytes]:
    """Returns the bytes of everything that ingest wrote for good."""
    return {path.name: path.read_bytes() for path in sorted(case.evidence.glob("[!.]*/*"))}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("killed_at", [1, 5, 9])
def test_a_killed_run_goes_on_within_the_file(
    killed_at: int, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_parts: None
) -> None:
    monkeypatch.setattr(segment, "SMALL", 0)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "host_0.log").write_bytes(gzip.compress(lines(), mtime=0) if packed else lines())
    with monkeypatch.context() as patch:
        plain = new_case(tmp_path / "plain")
        whole = projections(patch)
        assert ingest(plain, [logs], threads=1).problems == []
    assert len(whole) > 11
    case = new_case(tmp_path / "case")
    with monkeypatch.context() as patch:
        projections(patch, killed_at)
        with pytest.raises(Killed):
            ingest(case, [logs], threads=1)
    left = [path.name for path in case.evidence.iterdir()]
    assert all(name.startswith(".") for name in left)
    with monkeypatch.context() as patch:
        again = projections(patch)
        assert ingest(case, [logs], threads=1).problems == []
    sealed = killed_at // 2 * 2 if killed_at > 2 else 0
    assert len(again) <= len(whole) - sealed + 1
    assert bool(sealed) == (len(again) < len(whole))
    assert content(case) == content(plain)
    assert tables(case) == tables(plain)
    assert [path for path in case.evidence.iterdir() if path.name.startswith(".")] == []


def test_a_document_on_one_line_is_not_resumed_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_parts: None
) -> None:
    monkeypatch.setattr(segment, "SMALL", 0)
    logs = tmp_path / "logs"
    logs.mkdir()
    members = [
        {"id": f"r{n}", "call_type": "acompletion", "custom_llm_provider": "openai", "startTime": 1788912265.4, "litellm_call_id": f"c{n}",
         "messages": [{"role": "user", "content": f"w{n} " * 500}]}
        for n in range(60)
    ]  # fmt: skip
    (logs / "batch.json").write_text(json.dumps(members))
    case = new_case(tmp_path / "case")
    with monkeypatch.context() as patch:
        projections(patch, 4)
        with pytest.raises(Killed):
            ingest(case, [logs], threads=1)
    assert list(case.evidence.iterdir()) == []
    report = ingest(case, [logs], threads=1)
    assert report.problems == []
    assert report.files[0].records_kept == 60
