"""Where evidence comes from: archives in any nesting, patterns, object stores, pipes; it makes no difference."""

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from forensics.case.folder import Case
from forensics.errors import ForensicsError
from forensics.ingest import streams
from forensics.ingest.gather import Pipe
from forensics.ingest.run import IngestReport, ingest
from forensics.ingest.spool import Spool
from tests.ingest import store
from tests.ingest.cases import UTC, new_case, records, rows, take
from tests.ingest.test_run import DECLARED, LINE, Killed, story

BODY = LINE.format(1, "a", 5, 1).encode()
OTHER = LINE.format(2, "b", 6, 2).encode()


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def paths(report: IngestReport) -> list[str]:
    return [each.path for each in report.files]


PACKED = {
    "logs.tar": tarred({"./d/a.log": BODY, "b.log.gz": gzip.compress(OTHER)}),
    "logs.tgz": tarred({"./d/a.log": BODY, "b.log.gz": gzip.compress(OTHER)}, "w:gz"),
    "logs.tar.bz2": bz2.compress(tarred({"d//a.log": BODY, "/b.log.gz": gzip.compress(OTHER)})),
    "logs.tar.xz": lzma.compress(tarred({"d/a.log": BODY, "b.log.gz": OTHER})),
    "logs.tar.zst": zstandard.compress(tarred({"d/a.log": BODY, "b.log.gz": OTHER})),
    "logs.zip": zipped({"d/a.log": BODY, "b.log.gz": gzip.compress(OTHER)}),
    "logs.zip.gz": gzip.compress(zipped({"d/a.log": BODY, "b.log.gz": OTHER})),
}


@pytest.mark.parametrize("name", PACKED)
def test_members_are_evidence(tmp_path: Path, name: str) -> None:
    case, report = take(tmp_path, PACKED[name], name)
    assert report.problems == []
    assert paths(report) == [f"logs/{name}!b.log.gz", f"logs/{name}!d/a.log"]
    assert sorted(row["rid"] for row in records(case)) == ["ra", "rb"]
    events = [json.loads(line) for line in case.custody.read_text().splitlines()]
    (archive,) = events[-1]["archives"]
    assert (archive["label"], archive["raw_bytes"], archive["files"]) == (f"logs/{name}", len(PACKED[name]), 2)
    assert list(case.work.iterdir()) == []


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = zipped({"x/in.tar.gz": tarred({"a.log": BODY}, "w:gz"), "b.log": OTHER})
    case, report = take(tmp_path, tarred({"deep.zip": inner}, "w:gz"), "all.tgz")
    assert report.problems == []
    assert paths(report) == ["logs/all.tgz!deep.zip!b.log", "logs/all.tgz!deep.zip!x/in.tar.gz!a.log"]
    assert len(json.loads(case.custody.read_text().splitlines()[-1])["archives"]) == 3
    nested = BODY
    for _ in range(10):
        nested = tarred({"n": nested})
    folder = tmp_path / "deep"
    folder.mkdir()
    _, report = take(folder, nested)
    assert "nested too deeply" in str(report.problems[0])


def test_links_and_odd_members(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, target in (
            ("pods/link.log", tarfile.SYMTYPE, "../d/a.log"),
            ("hard.log", tarfile.LNKTYPE, "d/a.log"),
            ("gone.log", tarfile.SYMTYPE, "/etc/passwd"),
            ("pipe", tarfile.FIFOTYPE, ""),
            ("d", tarfile.DIRTYPE, ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        for data in (BODY, OTHER):
            info = tarfile.TarInfo("d/a.log")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    _, report = take(tmp_path, out.getvalue(), "t.tar")
    copies = {each.path: each.copy_of for each in report.files}
    assert copies == {
        "logs/t.tar!d/a.log": None,
        "logs/t.tar!d/a.log#2": None,
        "logs/t.tar!hard.log": "logs/t.tar!d/a.log#2",
        "logs/t.tar!pods/link.log": "logs/t.tar!d/a.log#2",
    }
    assert [problem.where for problem in report.problems] == ["logs/t.tar!gone.log", "logs/t.tar!pipe"]


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    names = ["../../etc/cron.d/x", "/abs", "C:\\win\\x.log", "new\nline", "\x1b[2J", "a" * 300, "..", "tab\t!x"]
    data = {name: LINE.format(n, n, n + 1, n).encode() for n, name in enumerate(names)}
    before = sorted(tmp_path.parent.rglob("*"))
    case, report = take(tmp_path, tarred(data), "t.tar")
    assert report.problems == []
    assert len(report.files) == len(names)
    assert all("/../" not in path and "!/" not in path for path in paths(report))
    written = [path for path in sorted(tmp_path.parent.rglob("*")) if path not in before]
    assert all(tmp_path in path.parents for path in written)
    assert len(rows(case, "SELECT path FROM file")) == len(names)


@pytest.mark.parametrize("pack", ["tar", "tgz", "zip"])
def test_damaged_archives_keep_what_is_there_and_say_so(tmp_path: Path, pack: str) -> None:
    members = {f"{n}.log": LINE.format(n, n, n + 1, os.urandom(700).hex()).encode() for n in range(9)}
    whole = {"tar": tarred(members), "tgz": tarred(members, "w:gz"), "zip": zipped(members)}[pack]
    for place, data in enumerate((whole[: len(whole) // 2], whole[:600] + b"\xff" * 700 + whole[1300:], whole[:3000])):
        folder = tmp_path / str(place)
        folder.mkdir()
        _, report = take(folder, data, f"x.{pack}")
        assert report.exit_code == 2
        for problem in report.problems:
            assert len(str(problem).splitlines()) == 1
        for each in report.files:
            assert each.records_read == each.records_kept + sum(each.rejected.values())


def test_an_encrypted_member(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.log": BODY, "b.log": OTHER}))
    for at in (6, data.index(b"PK\x01\x02") + 8):
        data[at] |= 1
    _, report = take(tmp_path, bytes(data), "x.zip")
    assert "encrypted" in str(report.problems[0])
    assert paths(report) == ["logs/x.zip!b.log"]


def bombs() -> Iterator[bytes]:
    zeros = b"\n" * (1 << 22)
    yield tarred({"a": gzip.compress(zeros), "b": zeros}, "w:gz")
    yield zipped({"a": zeros})
    yield gzip.compress(gzip.compress(gzip.compress(zeros)))
    yield tarred({f"{n}.tgz": tarred({"a": zeros}, "w:gz") for n in range(3)}, "w:gz")
    pax = tarfile.TarInfo("x")
    pax.type, pax.size = tarfile.XHDTYPE, 1 << 40
    yield pax.tobuf() + zeros
    sparse = bytearray(tarfile.TarInfo("x").tobuf(format=tarfile.GNU_FORMAT))
    sparse[156:157] = b"S"
    sparse[386:410] = b"%011o\0%011o\0" % (0, 0)
    sparse[483:495] = b"%011o\0" % (1 << 32)
    sparse[148:156] = b"        "
    sparse[148:156] = b"%06o\0 " % sum(sparse)
    yield gzip.compress(bytes(sparse) + b"\0" * 1024)


@pytest.mark.parametrize("number", range(6))
def test_bombs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(streams, "RATIO_FLOOR", 1 << 16)
    monkeypatch.setattr(streams, "MAX_RATIO", 20)
    case, report = take(tmp_path, list(bombs())[number], "bomb")
    assert report.exit_code == 2
    assert report.files == []
    assert any("bomb" in str(problem) or "header" in str(problem) for problem in report.problems)
    assert list(case.work.iterdir()) == []


def test_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story(tmp_path)
    monkeypatch.chdir(tmp_path)
    case = new_case(tmp_path / "case", DECLARED + UTC)
    report = ingest(case, ["logs/*/req/*.log", "logs/decode-[0]"])
    assert paths(report)[:3] == [
        "decode-0/again.gz",
        "decode-0/req/host_0.log",
        "decode-0/req/host_0.log.2026-03-01_09",
    ]
    assert len(report.files) == 6
    with pytest.raises(ForensicsError, match="nothing matches"):
        ingest(case, ["logs/*.nothing"])
    (tmp_path / "odd[1].log").write_bytes(BODY)
    assert paths(ingest(case, ["odd[1].log"])) == ["odd[1].log"]


def test_pipes_have_names_of_their_own(tmp_path: Path) -> None:
    case = new_case(tmp_path / "case")
    first = ingest(case, ["-"], pipe=Pipe(io.BytesIO(gzip.compress(BODY))))
    second = ingest(case, ["-"], pipe=Pipe(io.BytesIO(OTHER)))
    named = ingest(case, ["-"], pipe=Pipe(io.BytesIO(tarred({"a/x.log": OTHER + BODY})), "node.tar"))
    assert paths(first)[0].startswith("stdin-")
    assert paths(first) != paths(second)
    assert paths(named) == ["node.tar!a/x.log"]
    assert len(rows(case, "SELECT path FROM file")) == 3
    with pytest.raises(ForensicsError, match="no standard input"):
        ingest(case, ["-"])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    pytest.importorskip("moto")
    with store.served() as address:
        yield address


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in store.KEYS.items():
        monkeypatch.setenv(name, value)


def comparable(case: Case) -> list[list[tuple[Any, ...]]]:
    """All that later stages read, without the paths and what was around the bytes."""
    asked = (
        """SELECT * EXCLUDE (raw_sha256, raw_bytes, compression) REPLACE (
               regexp_replace(path, '^.*logs/', '') AS path, regexp_replace(copy_of, '^.*logs/', '') AS copy_of
           ) FROM file ORDER BY ALL""",
        "SELECT * FROM record ORDER BY ALL",
        "SELECT * FROM reject ORDER BY ALL",
        "SELECT * FROM text ORDER BY ALL",
    )
    return [[tuple(map(str, row.values())) for row in rows(case, each)] for each in asked]


@pytest.mark.usefixtures("keys")
def test_the_same_evidence_makes_the_same_case_wherever_it_lies(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = story(tmp_path)
    query = store.put(server, logs, "evidence")
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        archive.add(logs, "logs")
    (tmp_path / "logs.tar.gz").write_bytes(whole.getvalue())
    (tmp_path / "logs.zip").write_bytes(
        zipped({p.relative_to(tmp_path).as_posix(): p.read_bytes() for p in logs.rglob("*") if p.is_file()})
    )
    ways: dict[str, list[Any]] = {
        "files": [logs],
        "tar": [tmp_path / "logs.tar.gz"],
        "zip": [tmp_path / "logs.zip"],
        "pipe": ["-"],
        "objects": [f"s3://evidence/logs{query}"],
        "patterns": [f"s3://evidence/logs/*{query}"],
    }
    wanted = None
    for name, given in ways.items():
        case = new_case(tmp_path / name, DECLARED + UTC)
        report = ingest(case, given, pipe=Pipe(io.BytesIO(whole.getvalue()), "logs/x.tar.gz"))
        assert report.problems == [], name
        wanted = wanted or comparable(case)
        assert comparable(case) == wanted, name
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{server}")
    case = new_case(tmp_path / "by-environment", DECLARED + UTC)
    assert ingest(case, ["s3://evidence/"]).problems == []
    assert {row["path"].partition("/logs/")[0] for row in rows(case, "SELECT path FROM file")} == {"s3://evidence"}


@pytest.mark.usefixtures("keys")
def test_addresses_that_cannot_be_read(tmp_path: Path, server: str) -> None:
    case = new_case(tmp_path / "case")
    query = f"?endpoint_override={server}&scheme=http&region=us-east-1"
    for address, words in (
        (f"s3://nothing-here/x{query}", "no such object|cannot be listed"),
        ("s3://user:secret@bucket/x", "holds credentials"),
        ("ftp://host/x", "are not read"),
        ("s3://", "cannot be listed"),
    ):
        with pytest.raises(ForensicsError, match=words) as caught:
            ingest(case, [address])
        assert "secret" not in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


def test_a_truncated_deflate_in_a_zip(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.log": BODY * 50}))
    data[60] ^= 0xFF
    _, report = take(tmp_path, bytes(data), "x.zip")
    assert report.exit_code == 2


def test_killed_while_unpacking_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = story(tmp_path)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.add(logs, "logs")
    (tmp_path / "x.tgz").write_bytes(out.getvalue())
    plain = new_case(tmp_path / "plain", DECLARED + UTC)
    ingest(plain, [tmp_path / "x.tgz"])
    case = new_case(tmp_path / "case", DECLARED + UTC)
    real, calls = Spool.keep, iter(range(100))

    def killed(self: Spool, chunks: Any) -> Path:
        path = real(self, chunks)
        if next(calls) in {3, 6}:
            raise Killed
        return path

    with monkeypatch.context() as patch:
        patch.setattr(Spool, "keep", killed)
        patch.setattr(Spool, "__exit__", lambda *_: None)
        for _ in range(2):
            with pytest.raises(Killed):
                ingest(case, [tmp_path / "x.tgz"])
        assert list((case.work / "spool").iterdir())
    ingest(case, [tmp_path / "x.tgz"])
    assert comparable(case) == comparable(plain)
    assert list(case.work.iterdir()) == []
