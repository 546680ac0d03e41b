"""What an audit takes for new, and what it does not."""

import gzip
import os
from dataclasses import replace
from pathlib import Path

import pytest

from forensics.audit import grown, inputs
from forensics.audit.store import Seen, Store, Watermark, run_name
from forensics.errors import ForensicsError
from forensics.ingest.manifest import Entry
from forensics.ingest.remote import Objects
from forensics.ingest.streams import survey
from tests.ingest import store


def _fresh(folder: Path, mark: Watermark) -> list[str]:
    listing = inputs.listed(["logs"], folder, folder / "store", mark)
    mark.seen |= {each.label: Seen(each.signature) for each in listing.fresh}
    assert listing.problems == ()
    return [Path(each.label).name for each in listing.fresh]


def test_a_file_is_new_once_and_again_when_it_changed_whatever_the_clock_says(tmp_path: Path) -> None:
    logs, mark = tmp_path / "logs", Watermark()
    logs.mkdir()
    (logs / "a.log").write_text("one\n")
    assert _fresh(tmp_path, mark) == ["a.log"]
    assert _fresh(tmp_path, mark) == []
    (logs / "late.log").write_text("from last week\n")
    os.utime(logs / "late.log", (1_000_000, 1_000_000))
    assert _fresh(tmp_path, mark) == ["late.log"]
    with (logs / "a.log").open("a") as log:
        log.write("two\n")
    os.utime(logs / "a.log", (1, 1))
    assert _fresh(tmp_path, mark) == ["a.log"]
    assert _fresh(tmp_path, mark) == []


def test_an_input_that_is_not_there_is_a_problem_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("one\n")
    listing = inputs.listed(["gone", "logs"], tmp_path, tmp_path / "store", Watermark())
    assert [Path(each.label).name for each in listing.fresh] == ["a.log"]
    assert "no such file" in str(listing.problems[0])


def _entry(path: Path) -> Entry:
    seen = survey(path, str(path))
    facts = {"raw_sha256": seen.raw_sha256, "decoded_sha256": seen.decoded_sha256, "content": seen.decoded_sha256}
    return Entry(
        path=str(path), key=seen.decoded_sha256, **facts, raw_bytes=seen.raw_bytes, decoded_bytes=seen.decoded_bytes,
        compression=seen.compression, cut=None, format="x", format_why="", file_id=seen.decoded_sha256[:16], zone=None,
        year=None, records_read=1, records_kept=1, records_rejected=0, first_ns=1, last_ns=2, cut_short=False,
    )  # fmt: skip


def test_what_grew_or_was_rotated_continues_what_was_kept(tmp_path: Path) -> None:
    log = tmp_path / "app.log"
    log.write_bytes(b"one\ntwo\n")
    before = _entry(log)
    kept = {before.key: before}
    log.write_bytes(b"one\ntwo\nthree\n")
    assert grown.continued(_entry(log), log, kept) == {before.key}
    rotated = tmp_path / "app.log.1.gz"
    rotated.write_bytes(gzip.compress(log.read_bytes()))
    assert grown.continued(_entry(rotated), rotated, kept) == {before.key}
    log.write_bytes(b"another\nlog\nafter a rotation\n")
    assert grown.continued(_entry(log), log, kept) == set()
    assert grown.continued(replace(_entry(log), path="/elsewhere"), log, kept) == set()


def test_the_store_lets_one_run_in_and_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    mine = Store.open(tmp_path / "store")
    with mine.lock():
        mine.tidy(Watermark())
        with pytest.raises(ForensicsError, match="another audit is running"), Store.open(tmp_path / "store").lock():
            pass
        for folder in (mine.evidence / "half", mine.kept / run_name(1), mine.runs / run_name(1), mine.work / "x"):
            folder.mkdir()
        mark = Watermark(run=1, contents={"k": {}}, runs={run_name(1): [1, 2]})
        (mine.evidence / "k").mkdir()
        mine.tidy(mark)
        assert [each.name for each in mine.evidence.iterdir()] == ["k"]
        assert [each.name for each in mine.kept.iterdir()] == [run_name(1)]
        mine.commit(mark)
        assert mine.load() == mark
    mine.watermark.write_text("{}")
    with pytest.raises(ForensicsError, match=r"version|cannot be read"):
        mine.load()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("")
    with pytest.raises(ForensicsError, match="not an audit's store"):
        Store.open(tmp_path / "other")


@pytest.mark.enable_socket
def test_a_prefix_is_listed_and_each_object_is_new_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in store.KEYS.items():
        monkeypatch.setenv(name, value)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a[1].log").write_text("one\n")
    (logs / "b.log").write_text("two\n")
    with store.served() as address:
        query = store.put(address, logs, "evidence")
        mark = Watermark()
        listing = inputs.listed([f"s3://evidence/logs{query}"], tmp_path, tmp_path / "store", mark)
        assert [each.label for each in listing.fresh] == ["s3://evidence/logs/a[1].log", "s3://evidence/logs/b.log"]
        mark.seen = {each.label: Seen(each.signature) for each in listing.fresh}
        given = [each.given for each in listing.fresh]
        assert [[info.path for info in Objects(each).found] for each in given] == [
            ["evidence/logs/a[1].log"], ["evidence/logs/b.log"],
        ]  # fmt: skip
        (logs / "b.log").write_text("two\nthree\n")
        store.put(address, logs, "evidence")
        (again,) = [each for each in inputs.listed([f"s3://evidence/logs{query}"], tmp_path, tmp_path, mark).fresh
                    if each.label.endswith("b.log")]  # fmt: skip
        assert again.signature[0] == 10
