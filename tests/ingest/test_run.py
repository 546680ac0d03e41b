"""The stage as a whole: order, threads, interruptions, copies, refusals, damage and bounds."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import gzip
import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import zstandard

from forensics import resources
from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import streams
from forensics.ingest.run import ingest
from forensics.ingest.streams import Decoded
from tests.ingest.cases import UTC, new_case, records, rows, take, told

LINE = '{{"timestamp": "2026-03-01T10:00:{:02d}.5", "event": "request.received", "rid": "r{}", "obj": {{"bootstrap_room": {}, "text": "p{}"}}}}\n'


def story(folder: Path) -> Path:
    """Writes logs of three workers, with a compressed copy, a rotation and an overlap."""
    logs = folder / "logs"
    for worker in ("decode-0", "decode-1", "prefill-0"):
        (logs / worker / "req").mkdir(parents=True)
        body = "".join(LINE.format(n, f"{worker}{n}", 2**62 + n, n) for n in range(20))
        (logs / worker / "req" / "host_0.log.2026-03-01_09").write_text(body)
        (logs / worker / "req" / "host_0.log").write_text("".join(body.splitlines(keepends=True)[15:]) + "not json\n")
    copied = (logs / "decode-0" / "req" / "host_0.log").read_bytes()
    (logs / "decode-0" / "again.gz").write_bytes(gzip.compress(copied))
    (logs / ".hidden.zst").write_bytes(zstandard.compress(b"[2026-03-01 10:00:00] The server is fired up\n"))
    return logs


DECLARED = "".join(
    f'[[source]]\nfiles = "*/{name}/*"\nworker = "{name}"\nzone = "UTC"\n'
    for name in ("decode-0", "decode-1", "prefill-0")
)


def content(case: Case) -> list[list[tuple[Any, ...]]]:
    """All that ingest has made, in the order in which it stands there."""
    found = [rows(case, f"SELECT * FROM {table}") for table in ("file", "record", "reject")]  # noqa: S608
    found.append(rows(case, "SELECT * FROM text ORDER BY ALL"))
    return [[tuple(map(str, row.values())) for row in each] for each in found]


def test_accounting_copies_and_overlaps(tmp_path: Path) -> None:
    logs = story(tmp_path)
    case = new_case(tmp_path / "case", DECLARED + UTC)
    report = ingest(case, [logs])
    assert report.problems == []
    by_path = {each.path: each for each in report.files}
    assert by_path["logs/decode-0/req/host_0.log"].copy_of == "logs/decode-0/again.gz"
    assert by_path["logs/decode-0/req/host_0.log"].records_duplicate == 6
    assert by_path["logs/decode-0/again.gz"].records_kept == 5
    assert by_path["logs/decode-0/req/host_0.log.2026-03-01_09"].records_duplicate == 5
    assert by_path["logs/decode-1/req/host_0.log"].rejected == {"foreign_line": 1}
    assert by_path["logs/.hidden.zst"].compression == "zstd"
    for row in rows(case, "SELECT * FROM file"):
        assert row["records_read"] == row["records_kept"] + row["records_rejected"] + row["records_duplicate"]
    assert len(records(case)) == 61
    assert {row["room"] for row in records(case)} >= {str(2**62 + n) for n in range(20)}
    first = rows(case, "SELECT record.*, path FROM record JOIN file USING (file_id) WHERE rid = 'rdecode-17'")[0]
    assert first["line"] == 8
    assert (
        (logs / "decode-1/req/host_0.log.2026-03-01_09")
        .read_bytes()[first["byte_offset"] :]
        .startswith(b'{"timestamp": "2026-03-01T10:00:07')
    )


def test_order_and_threads_change_nothing(tmp_path: Path) -> None:
    logs = story(tmp_path)
    wanted = None
    for number, threads in enumerate((1, 2, 2)):
        case = new_case(tmp_path / f"case{number}", DECLARED + UTC)
        if number < 2:
            ingest(case, [logs], threads=threads)
        else:
            paths = [
                logs / "prefill-0/req/host_0.log",
                logs / ".hidden.zst",
                logs / "decode-0/req/host_0.log",
                logs / "decode-0/again.gz",
            ]
            here = Path.cwd()
            os.chdir(tmp_path)
            try:
                for path in paths:
                    ingest(case, [path.relative_to(tmp_path)], threads=threads)
            finally:
                os.chdir(here)
        ingest(case, [logs], threads=threads)
        found = content(case), case.manifest.read_bytes(), sorted(path.name for path in case.evidence.iterdir())
        wanted = wanted or found
        assert found == wanted


class Killed(BaseException):
    """Stands for a process that ends."""


def test_killed_at_any_moment_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = story(tmp_path)
    plain = new_case(tmp_path / "plain", DECLARED + UTC)
    ingest(plain, [logs], threads=1)
    case = new_case(tmp_path / "case", DECLARED + UTC)
    real = Path.rename, Path.replace
    moves: Iterator[None]

    def counted(which: int) -> Any:
        def move(self: Path, target: Path) -> Path:
            next(moves)
            return real[which](self, target)

        return move

    def fuse(length: int) -> Iterator[None]:
        yield from (None for _ in range(length))
        raise Killed

    monkeypatch.setattr(Path, "rename", counted(0))
    monkeypatch.setattr(Path, "replace", counted(1))
    for length in range(0, 12, 2):
        moves = fuse(length)
        try:
            ingest(case, [logs], threads=1)
        except (Killed, RuntimeError):
            continue
    monkeypatch.undo()
    ingest(case, [logs], threads=1)
    assert content(case) == content(plain)
    assert case.manifest.read_bytes() == plain.manifest.read_bytes()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.log", b"", "is empty"),
        ("blank.log", b"\n \n", "nothing but blanks"),
        ("photo.png", bytes(range(256)) * 40, "is binary"),
        ("notes.txt", b"buy milk\n", "not recognised"),
        ("cut.gz", gzip.compress(LINE.format(1, 1, 1, 1).encode())[:4], "nothing can be read"),
        ("junk.gz", b"\x1f\x8b" + b"junk" * 9, "nothing can be read"),
    ],
)
def test_bad_files_are_told_in_one_line_and_the_rest_is_kept(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / name).write_bytes(data)
    (logs / "good.log").write_text(LINE.format(1, 1, 1, 1))
    case = new_case(tmp_path / "case")
    report = ingest(case, [logs])
    assert report.exit_code == 2
    assert [problem.where for problem in report.problems] == [f"logs/{name}"]
    assert words in str(report.problems[0])
    assert report.problems[0].fix
    assert len(str(report.problems[0]).splitlines()) == 1
    assert len(records(case)) == 1


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_compressed_stream_that_ends_early_keeps_what_is_there(tmp_path: Path, pack: Any) -> None:
    noise = random.Random(3)  # noqa: S311 - incompressible filler
    body = "".join(LINE.format(n % 60, n, noise.getrandbits(60), noise.getrandbits(900)) for n in range(400)).encode()
    case, report = take(tmp_path, pack(body)[:-900], "x.log.z")
    assert report.exit_code == 2
    assert "early" in str(report.problems[0])
    (each,) = report.files
    assert each.cut_short
    assert 0 < each.records_kept < 400
    assert each.records_read == each.records_kept + sum(each.rejected.values())
    assert ingest(case, [tmp_path / "logs"]).exit_code == 2


def test_members_and_frames_that_follow_one_another(tmp_path: Path) -> None:
    halves = [LINE.format(n, n, n + 1, n).encode() for n in range(2)]
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.gz").write_bytes(b"".join(map(gzip.compress, halves)) + b"\0" * 512)
    (logs / "b.zst").write_bytes(b"".join(map(zstandard.compress, halves)))
    report = ingest(new_case(tmp_path / "case"), [logs])
    assert report.problems == []
    assert [(each.records_kept, each.copy_of) for each in report.files] == [(2, None), (0, "logs/a.gz")]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_bombs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(streams, "RATIO_FLOOR", 1 << 16)
    _, report = take(tmp_path, pack(b"\n" * (1 << 24)), "bomb")
    assert "bomb" in str(report.problems[0])


def test_local_stamps_without_a_zone_are_refused_with_the_lines_to_add(tmp_path: Path) -> None:
    case, report = take(tmp_path, LINE.format(1, 1, 1, 1), 'we"ird [1].log', declared="")
    (problem,) = report.problems
    assert "refused" in str(problem)
    assert report.files == []
    addition = str(problem).partition("case.toml:")[2]
    (case.root / "case.toml").write_text(addition)
    assert ingest(Case.open(case.root), [tmp_path / "logs"]).problems == []


def test_dates_without_a_year_are_refused(tmp_path: Path) -> None:
    line = "INFO 03-01 10:00:00 [x.py:1] Received request chatcmpl-1: params: S(n=1), lora_request: None.\n"
    _, report = take(tmp_path, line, declared='[[source]]\nfiles = "*"\nzone = "UTC"\n')
    assert "without a year" in str(report.problems[0])
    assert "year = " in str(report.problems[0])


def test_a_wrong_format_is_refused(tmp_path: Path) -> None:
    _, report = take(tmp_path, LINE.format(1, 1, 1, 1), form="litellm_payload")
    assert "holds no record of format litellm_payload" in str(report.problems[0])
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(ForensicsError, match="no format"):
        take(other, "x", form="litelm")


def test_a_full_disk_is_one_clear_line_and_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    case = new_case(tmp_path / "case")
    logs = story(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", full)
        report = ingest(case, [logs])
    assert "No space left" in str(report.problems[0])
    assert report.files == []
    assert list(case.evidence.iterdir()) == []
    assert ingest(case, [logs]).problems == []


def test_an_interrupt_ends_soon_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    class Impatient:
        def stage(self, name: str, total: int) -> None:
            self.name = name

        def advance(self, done: int) -> None:
            if self.name == "ingesting":
                raise KeyboardInterrupt

    logs = story(tmp_path)
    case = new_case(tmp_path / "case", DECLARED + UTC)
    with pytest.raises(KeyboardInterrupt):
        ingest(case, [logs], progress=Impatient())
    assert list(case.evidence.iterdir()) == []
    assert ingest(case, [logs]).problems == []


def test_links_folders_and_the_case_itself(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    (logs / "in").mkdir(parents=True)
    (logs / "in" / "good.log").write_text(LINE.format(1, 1, 1, 1))
    (logs / "link.log").symlink_to(logs / "in" / "good.log")
    (tmp_path / "outside.log").write_text(LINE.format(2, 2, 2, 2))
    (logs / "out.log").symlink_to(tmp_path / "outside.log")
    (logs / "loop").symlink_to(logs)
    (logs / "gone.log").symlink_to(tmp_path / "nowhere")
    os.mkfifo(logs / "pipe")
    case = new_case(logs / "case")
    report = ingest(case, [logs])
    assert [each.path for each in report.files] == ["logs/in/good.log", "logs/link.log"]
    assert [problem.where for problem in report.problems] == ["logs/gone.log", "logs/loop", "logs/out.log", "logs/pipe"]
    with pytest.raises(ForensicsError, match="no such file"):
        ingest(case, [tmp_path / "nowhere"])


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Decoded.__iter__

    def grown(self: Any) -> Iterator[bytes]:
        yield from real(self)
        yield from ()

    calls = iter(range(10))

    def growing(self: Any) -> Iterator[bytes]:
        if next(calls) == 1:
            with self.path.open("a") as more:
                more.write(LINE.format(9, 9, 9, 9))
        return grown(self)

    monkeypatch.setattr(streams.Decoded, "__iter__", growing)
    _, report = take(tmp_path, LINE.format(1, 1, 1, 1))
    assert "changed while it was read" in str(report.problems[0])


def test_hostile_lines_of_every_kind(tmp_path: Path) -> None:
    lines = [
        json.dumps({"timestamp": "2026-03-01T10:00:01", "event": "request.finished", "rid": "'; DROP TABLE record; --", "obj": {"bootstrap_room": 2**63 - 1},
                    "out": {"text": "half \ud83d", "meta_info": {"e2e_latency": 1e300, "prompt_tokens": 1e40, "completion_tokens": "x", "dp_rank": 1e12}}}),
        '{"timestamp": "2026-03-01T10:00:02", "event": "request.finished", "rid": "n", "obj": {"bootstrap_room": NaN}, "out": {"text": "\\u0000 nul"}}',
        '{"timestamp": 5, "event": ["request.received"], "rid": {"a": 1}, "obj": [], "out": "x"}',
        '{"timestamp": "2026-03-01T10:00:03", "event": "request.received", "rid": "big", "obj": {"text": "' + "x" * (20 << 20) + '"}}',
        "[" * 50_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        "[1]", "null", '{"event": "request.received"', "\x00\x00", "\x1b[31mred\x1b[0m",
    ]  # fmt: skip
    case, report = take(tmp_path, "\n".join(lines), form="sglang_request_log")
    assert report.problems == []
    found = {row["rid"]: row for row in records(case)}
    hostile = found["'; DROP TABLE record; --"]
    assert (hostile["room"], hostile["prompt_tokens"], hostile["dp_rank"]) == (str(2**63 - 1), None, None)
    assert found["big"]["prompt_chars"] == 20 << 20
    assert ("response", 0, 0, None, "text", "whole", "half �") in told(case)
    assert report.files[0].counts["replaced_surrogates"] == 1


def test_a_format_of_ones_own(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text(
        "-- question: q\nSELECT byte_offset, item, 'client' AS kind, 'whole' AS phase, epoch_ns_of(raw ->> 'when') AS at_ns,\n"
        "raw ->> 'id' AS response_id, raw ->> 'prompt' AS prompt_text, json_object('who', raw ->> 'who') AS identity FROM raw\n"
    )
    table = 'id,when,who,prompt\n1,2026-03-01T10:00:00Z,lune,"two\nlines"\n2,2026-03-01T10:00:01Z,sol\n'
    case, report = take(tmp_path, table, "mine.csv", form=str(query), declared="")
    assert report.files[0].rejected == {"wrong_number_of_fields": 1}
    (row,) = records(case)
    assert (row["format"], row["response_id"], row["identity"], row["line"]) == ("mine", "1", {"who": "lune"}, 2)
    assert told(case)[0][-1] == "two\nlines"


def test_a_sites_format_is_detected_and_its_faults_are_told(tmp_path: Path) -> None:
    case = new_case(tmp_path / "case", "")
    formats = case.root / "queries" / "formats"
    formats.mkdir(parents=True)
    good = "-- framing: json lines\n-- detect: \"my_app\"\nSELECT byte_offset, item, 'note' AS kind FROM raw\n"
    (formats / "mine.sql").write_text(good)
    log = tmp_path / "app.jsonl"
    log.write_text('{"my_app": 1}\n')
    assert ingest(case, [log]).files[0].format == "mine"
    for broken, words in (
        (good.replace("byte_offset,", ""), "no byte_offset"),
        (good.replace("kind", "kid"), "unknown column 'kid'"),
        (good.replace("FROM raw", "FROM raw, range(2)"), "at most one row"),
        (good.replace("FROM", "FRM"), "the query failed"),
        (good.replace("json lines", "jsonl"), "unknown framing"),
        (good.replace('"my_app"', "("), "no regular expression"),
    ):
        (formats / "mine.sql").write_text(broken)
        resources.query.cache_clear()
        assert words in fault(case, log)


def fault(case: Case, log: Path) -> str:
    """What ingest says against this file, in one way or the other."""
    try:
        return str(ingest(case, [log]).problems[0])
    except ForensicsError as error:
        return str(error)


def test_parquet_by_a_projection(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    query = tmp_path / "mine.sql"
    query.write_text("SELECT byte_offset, item, 'client' AS kind, raw ->> 'id' AS response_id FROM raw\n")
    logs = tmp_path / "logs"
    logs.mkdir()
    pq.write_table(
        pa.table({"id": ["a", "b"], "room": [2**63 - 1, None], "bad": [float("nan"), 1.0]}), logs / "x.parquet"
    )
    case = new_case(tmp_path / "case", "")
    assert ingest(case, [logs], format=str(query)).problems == []
    assert [row["response_id"] for row in records(case)] == ["a", "b"]
    shutil.rmtree(case.evidence)
    with pytest.raises(ForensicsError, match="no such file"):
        ingest(case, [tmp_path / "missing"])
