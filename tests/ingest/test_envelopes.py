"""Logs inside other logs: runtimes, journals, log stores, encodings; each record keeps the place of its line."""

import base64
import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.ingest.cases import records, take, told

ENGINE = [
    "[2026-03-01 10:00:04 TP0] max_total_num_tokens=51200, chunked_prefill_size=8192, context_len=32768",
    "[2026-03-01 10:00:14 TP0] Input length (51300 tokens) exceeds the maximum allowed length (51194 tokens)., rid='c'",
    "[2026-03-01 10:00:15] The server is fired up",
]
KINDS = ["limits", "reject", "note"]
STAMP = "2026-03-01T10:00:04.123456789Z"


def cri(lines: list[str]) -> str:
    return "".join(f"{STAMP} stdout F {line}\n" for line in lines)


def docker(lines: list[str]) -> str:
    return "".join(json.dumps({"log": f"{line}\n", "stream": "stdout", "time": STAMP}) + "\n" for line in lines)


def journald(lines: list[str]) -> str:
    entries = [{"__CURSOR": "s=1;i=2", "__REALTIME_TIMESTAMP": "1772359204000000", "MESSAGE": line} for line in lines]
    entries[1]["MESSAGE"] = list(lines[1].encode())  # type: ignore[assignment]
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def logcli(lines: list[str]) -> str:
    return "".join(json.dumps({"labels": {"pod": "d"}, "line": line, "timestamp": STAMP}) + "\n" for line in lines)


def loki_answer(lines: list[str], indent: int | None = None) -> str:
    values = [[str(1772359204000000000 + n), line] for n, line in enumerate(lines)]
    result = [{"stream": {"pod": "d"}, "values": values[:2]}, {"stream": {"pod": "d"}, "values": values[2:]}]
    return json.dumps({"status": "success", "data": {"resultType": "streams", "result": result}}, indent=indent)


def grafana(lines: list[str]) -> str:
    return json.dumps([{"line": line, "timestamp": "1772359204000000000", "fields": {}} for line in lines], indent=2)


def filtered(lines: list[str]) -> str:
    found = [
        {"logStreamName": "a", "timestamp": 1, "message": line, "ingestionTime": 2, "eventId": "3"} for line in lines
    ]
    return json.dumps({"events": found, "searchedLogStreams": []}, indent=4)


def delivered(lines: list[str]) -> str:
    events = [{"id": "1", "timestamp": 1, "message": line} for line in lines]
    about = {"messageType": "DATA_MESSAGE", "owner": "1", "logGroup": "g", "logStream": "s"}
    return "".join(json.dumps({**about, "logEvents": part}) for part in (events[:1], events[1:]))


def insights(lines: list[str]) -> str:
    rows = [[{"field": "@timestamp", "value": "x"}, {"field": "@message", "value": line}] for line in lines]
    return json.dumps({"results": rows}, indent=4)


def stamped(lines: list[str]) -> str:
    return "".join(f"{STAMP} {line}\n" for line in lines)


def syslog(lines: list[str]) -> str:
    heads = [
        "<134>1 2026-03-01T10:00:04.1Z h sglang 7 - - ",
        "Mar  1 10:00:04 h sglang[7]: ",
        "<30>Mar 11 10:00:04 h s: ",
    ]
    return "".join(f"{head}{line}\n" for head, line in zip(heads, lines, strict=True))


def compose(lines: list[str]) -> str:
    return "".join(f"decode-0  | {line}\n" for line in lines)


def kubectl(lines: list[str]) -> str:
    return "".join(f"[pod/decode-0/sglang] {STAMP} {line}\n" for line in lines)


def cloud_logging(lines: list[str]) -> str:
    return "".join(json.dumps({"insertId": "i", "textPayload": line, "logName": "projects/p"}) + "\n" for line in lines)


def cloud_logging_document(lines: list[str]) -> str:
    return json.dumps([{"insertId": "i", "textPayload": line, "logName": "projects/p"} for line in lines], indent=2)


def elastic(lines: list[str]) -> str:
    return "".join(
        json.dumps({"_index": "k8s", "_source": {"@timestamp": STAMP, "message": line}}) + "\n" for line in lines
    )


def splunk(lines: list[str]) -> str:
    return "".join(json.dumps({"preview": False, "result": {"_raw": line, "_time": STAMP}}) + "\n" for line in lines)


def vector(lines: list[str]) -> str:
    return "".join(json.dumps({"message": line, "source_type": "kubernetes_logs"}) + "\n" for line in lines)


def datadog(lines: list[str]) -> str:
    rows = [f'"{STAMP}","decode-0","{line.replace(chr(34), chr(34) * 2)}"\n' for line in lines]
    return "Date,Host,Message\n" + "".join(rows)


def stern(lines: list[str]) -> str:
    return "".join(f"decode-0 sglang {line}\n" for line in lines)


def ray(lines: list[str]) -> str:
    return "".join(f"\x1b[36m(Replica pid=12, ip=10.0.0.1)\x1b[0m {line}\n" for line in lines)


def srun(lines: list[str]) -> str:
    return "".join(f" 3: {line}\n" for line in lines)


STORES = (cloud_logging, cloud_logging_document, elastic, splunk, vector, datadog)
ONE = {
    each.__name__: each for each in (cri, docker, journald, logcli, loki_answer, grafana, filtered, delivered, insights)
} | {each.__name__: each for each in (stamped, syslog, compose, kubectl, stern, ray, srun, *STORES)}


@pytest.mark.parametrize("name", ONE)
def test_lines_are_taken_out_and_keep_their_place(tmp_path: Path, name: str) -> None:
    content = ONE[name](ENGINE)
    case, report = take(tmp_path, content)
    assert report.problems == []
    found = records(case)
    assert [row["kind"] for row in found] == KINDS
    assert report.files[0].compression != "none"
    data = content.encode()
    for row, line in zip(found, ENGINE, strict=True):
        assert line[1:20].encode() in data[row["byte_offset"] :][: 120 + len(line)] or name == "journald"
        assert row["line"] == data[: row["byte_offset"]].count(b"\n") + 1


def test_what_a_store_had_parsed_is_opened_too(tmp_path: Path) -> None:
    record = {"timestamp": "2026-03-01T10:00:05.5", "event": "request.received", "rid": "r1", "obj": {"text": "für"}}
    entry = {"insertId": "i", "jsonPayload": record, "logName": "projects/p"}
    case, report = take(tmp_path, cloud_logging(ENGINE) + json.dumps(entry) + "\n")
    assert (report.problems, report.files[0].rejected) == ([], {})
    assert [row["kind"] for row in records(case)][:3] == KINDS
    assert [row["rid"] for row in records(case)][3:] == ["r1"]


def test_a_tables_text_may_span_lines(tmp_path: Path) -> None:
    table = datadog(["Traceback:\n" + ENGINE[0], ENGINE[1]]) + 'a row of, one\n"never ends'
    case, report = take(tmp_path, table)
    assert report.problems == []
    assert [(row["kind"], row["line"]) for row in records(case)] == [("limits", 3), ("reject", 4)]
    assert sum(report.files[0].rejected.values()) == 3  # what the traceback begins with, and the two odd rows


def test_coloured_lines_are_known(tmp_path: Path) -> None:
    case, _ = take(tmp_path, "".join(f"\x1b[32m{line}\x1b[0m\r\n" for line in ENGINE))
    assert [row["kind"] for row in records(case)] == KINDS


def test_envelopes_of_odd_values_are_rejects_at_most(tmp_path: Path) -> None:
    odd: list[Any] = [{}, [], [1], [2**70], ["x"], None, -1, 2**70, 1.5, True, "", "\ud83d", {"a": [1]}]
    lines = []
    for value in odd:
        lines += [{"log": "x\n", "stream": value, "time": value}, {"log": value, "stream": "stdout", "logtag": value}]
        lines += [{"__CURSOR": value, "_STREAM_ID": value, "_PID": value, "MESSAGE": "y", "_LINE_BREAK": value}]
        lines += [{"__CURSOR": "s", "MESSAGE": value}, {"labels": value, "line": value, "timestamp": value}]
        lines += [{"message": value, "ingestionTime": value, "logEvents": value}]
        lines += [{"insertId": value, "textPayload": value, "jsonPayload": value, "_source": value, "result": value}]
    for number, wrap in enumerate((docker, journald, logcli, filtered, *STORES)):
        folder = tmp_path / str(number)
        folder.mkdir()
        content = wrap(ENGINE * 30) + "\n" + "\n".join(json.dumps(line) for line in lines)
        case, report = take(folder, content)
        assert report.problems == []
        assert [row["kind"] for row in records(case)][:3] == KINDS


def test_a_wrong_escape_costs_its_record_at_most(tmp_path: Path) -> None:
    content = loki_answer(ENGINE).replace("max_total_num_tokens=51200", r"max_total_num_tokens=51200, \x41 \u12")
    case, report = take(tmp_path, content)
    assert report.problems == []
    assert [row["kind"] for row in records(case)] == KINDS


def test_indented_answers(tmp_path: Path) -> None:
    case, _ = take(tmp_path, loki_answer(ENGINE, 2))
    assert [row["kind"] for row in records(case)] == KINDS


@pytest.mark.parametrize(
    "chain", [[cri, logcli], [docker, delivered], [cri, journald, loki_answer], [stamped, docker], [docker, syslog]]
)
def test_envelopes_in_one_another(tmp_path: Path, chain: list[Callable[[list[str]], str]]) -> None:
    lines = ENGINE
    for each in chain:
        lines = each(lines).splitlines()
    case, report = take(tmp_path, "\n".join(lines))
    assert report.problems == []
    assert [row["kind"] for row in records(case)] == KINDS


def long_record(rid: str, text: str) -> str:
    return json.dumps(
        {"timestamp": "2026-03-01T10:00:05.5", "event": "request.received", "rid": rid, "obj": {"text": text}},
        ensure_ascii=False,
    )


def split_cri(line: str, stream: str, size: int = 100) -> list[bytes]:
    data = line.encode()
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return [
        f"{STAMP} {stream} {'P' if n < len(parts) - 1 else 'F'} ".encode() + part + b"\n"
        for n, part in enumerate(parts)
    ]


def test_parts_of_two_streams_are_joined_even_within_a_character(tmp_path: Path) -> None:
    texts = {"a": "für " * 200, "b": "日本" * 200}
    parts = [
        split_cri(long_record(rid, text), f"std{where}", 101)
        for (rid, text), where in zip(texts.items(), ("out", "err"), strict=True)
    ]
    mixed = [part for pair in zip(*parts, strict=False) for part in pair]
    mixed += [part for each in parts for part in each[min(map(len, parts)) :]]
    case, report = take(tmp_path, b"".join(mixed))
    assert report.files[0].rejected == {}
    assert {row[-1] for row in told(case)} == set(texts.values())


def test_a_part_without_its_end_is_cut_short(tmp_path: Path) -> None:
    parts = split_cri(long_record("a", "x" * 500), "stdout")
    whole = b"".join(split_cri(long_record("b", "y" * 500), "stdout"))
    _, report = take(tmp_path, whole + b"".join(parts[:-1]))
    (each,) = report.files
    assert (each.records_kept, each.rejected, each.cut_short) == (1, {"cut_short": 1}, True)
    assert each.counts["lines_without_their_end"] == 1


def test_parts_of_docker_and_of_the_journal(tmp_path: Path) -> None:
    line = long_record("a", "x" * 40_000)
    parts = [line[at : at + 16_384] for at in range(0, len(line), 16_384)]
    parts[-1] += "\n"
    docked = "".join(json.dumps({"log": part, "stream": "stdout", "time": STAMP}) + "\n" for part in parts)
    broken: list[dict[str, Any]] = [
        {"__CURSOR": "s", "_PID": "1", "MESSAGE": part, "_LINE_BREAK": "line-max"} for part in parts
    ]
    broken[-1] = {"__CURSOR": "s", "_PID": "1", "MESSAGE": parts[-1].strip()}
    for number, content in enumerate((docked, "".join(json.dumps(each) + "\n" for each in broken))):
        folder = tmp_path / str(number)
        folder.mkdir()
        case, report = take(folder, content)
        assert report.files[0].rejected == {}
        assert [row["prompt_chars"] for row in records(case)] == [40_000]


def test_an_applications_own_json_stays_closed(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text(
        "-- framing: json lines\n-- envelopes: keep\n"
        "SELECT byte_offset, item, 'note' AS kind, raw ->> 'log' AS rid FROM raw\n"
    )
    case, _ = take(tmp_path, docker(ENGINE), form=str(query))
    assert [row["rid"] for row in records(case)] == [f"{line}\n" for line in ENGINE]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_wide_text_and_marks(tmp_path: Path, codec: str) -> None:
    case, report = take(tmp_path, "\r\n".join([*ENGINE, ""]).encode(codec))
    assert report.problems == []
    assert [row["kind"] for row in records(case)] == KINDS
    assert {row["error_text"] for row in records(case) if row["kind"] == "reject"} == {ENGINE[1].partition("] ")[2]}


def test_holes_and_stray_nuls(tmp_path: Path) -> None:
    data = (
        b"\x00" * 4096 + f"{ENGINE[0]}\n".encode() + ENGINE[1][:60].encode() + b"\x00" * 500 + f"{ENGINE[2]}\n".encode()
    )
    case, report = take(tmp_path, data + f"{ENGINE[1]}\n".encode("utf-16-le"))
    assert [row["kind"] for row in records(case)] == ["limits", "note", "note", "reject"]
    for row in records(case):
        assert data[row["byte_offset"] :].startswith(b"[2026") or row["kind"] == "reject"
    assert report.files[0].counts["dropped_nuls"] == len(ENGINE[1]) + 1


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
}


@pytest.mark.parametrize("name", PACK)
def test_concatenated_streams_and_an_early_end(tmp_path: Path, name: str) -> None:
    halves = [f"{line}\n".encode() for line in ENGINE]
    tail = b"" if name == "lzma" else b"\x00" * 512
    packed = [PACK[name](half) for half in halves]
    case, report = take(tmp_path, b"".join(packed) + tail)
    assert report.problems == []
    assert [row["kind"] for row in records(case)] == KINDS
    assert report.files[0].compression == ("xz" if name == "lzma" else name)
    filler = base64.b64encode(bytes(range(256)) * 4000 + halves[0])
    folder = tmp_path / "cut"
    folder.mkdir()
    _, report = take(folder, PACK[name](halves[0] * 500 + filler + halves[1] * 500)[:-40])
    assert "early" in str(report.problems[0])
    assert report.files[0].cut_short


@pytest.mark.parametrize("chain", list(permutations(["gzip", "zstd", "bzip2", "xz"], 3))[::5])
def test_compressions_in_one_another(tmp_path: Path, chain: tuple[str, ...]) -> None:
    data = cri(ENGINE).encode("utf-16")
    for name in chain:
        data = PACK[name](data)
    case, report = take(tmp_path, data)
    assert report.files[0].compression == "+".join([*reversed(chain), "utf-16", "cri"])
    assert [row["kind"] for row in records(case)] == KINDS


def test_a_paste_is_read_in_spite_of_its_quote_marks_and_shell_text(tmp_path: Path) -> None:
    shell = "".join(f"root@node-{n}:~# ls -l /var/log/{n}\n" for n in range(400))
    case, report = take(tmp_path, shell + "".join(f"{line}\n" for line in ENGINE * 2))
    assert [row["kind"] for row in records(case)] == KINDS * 2
    assert report.files[0].rejected == {"foreign_line": 400}
    folder = tmp_path / "quoted"
    folder.mkdir()
    case, _ = take(folder, "They said:\n\n" + "".join(f"> {line}\n" for line in ENGINE))
    assert [row["kind"] for row in records(case)] == KINDS
