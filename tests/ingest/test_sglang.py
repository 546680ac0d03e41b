"""SGLang's engine log, request log, metrics export and server info, on small stories."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import json
from pathlib import Path

import pytest

from tests.ingest.cases import UTC, records, rows, take, told

ROOM = "8876543210987654321"
BERLIN = UTC.replace('"UTC"', '"Europe/Berlin"')


def test_engine_lines_are_told_apart(tmp_path: Path) -> None:
    log = f"""\
[2026-03-01 10:00:00] server_args={{'model_path': '/m/heron', 'served_model_name': 'heron', 'host': '10.1.0.4', 'port': 31000, 'disaggregation_mode': 'decode', 'page_size': 64, 'api_key': 'sk-secret', 'dp_size': 1, 'context_length': None, 'allow_auto_truncate': False}}
[2026-03-01 10:00:04 TP0] max_total_num_tokens=51200, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=64, context_len=32768, available_gpu_mem=9.70 GB
[2026-03-01 10:00:09] INFO:     10.1.0.9:4411 - "POST /v1/chat/completions HTTP/1.1" 200 OK
[2026-03-01 10:00:10 DP3 TP0 EP0] Decode batch, #running-req: 1, #token: 293, token usage: 0.02
[2026-03-01 10:00:11 DP3 TP0] ReqTimeStats(rid=aa11, bootstrap_room={ROOM}, input_len=260, cached_input_len=7, output_len=48, attempts=0, type=decode): bootstrap_duration=48.72ms, transfer_duration=2.1ms, queue_duration=0.12ms, forward_duration=9.90ms, entry_time=1772359205.125
[2026-03-01 10:00:12 TP0] Req Time Stats(rid=bb22, bootstrap_room={ROOM}, input len=1, output len=1, type=prefill): bootstrap_queue_duration(1ms) = bootstrap(1ms) + alloc_wait(0ms); start=12.5, transfer_speed=1.0GB/s, transfer_total=0.07MB, #retries=0
[2026-03-01 10:00:13 TP0] ReqTimeStats(rid=HEALTH_CHECK_1, bootstrap_room=0, input_len=1, cached_input_len=0, output_len=1, attempts=0, type=decode): entry_time=1772359206.0
[2026-03-01 10:00:14 TP0] Input length (51300 tokens) exceeds the maximum allowed length (51194 tokens). Use a shorter input or enable --allow-auto-truncate., self.rid='cc33'
[2026-03-01 10:00:15 TP1] Request dd44 exceeds the maximum number of tokens: 600 > 500
[2026-03-01 10:00:16 TP0] Deferred KV release for room {ROOM} timed out after 30.0s without a full drain ack from prefill; releasing anyway.
[2026-03-01 10:00:17 TP0] Decode transfer failed for request rank=0 decode_req.req.rid='ee55' decode_req.req.bootstrap_room={ROOM} with exception KVTransferError(bootstrap_room={ROOM}): it might be dead
[2026-03-01 10:00:18 TP0] KV checksum mismatch req=ff66 bootstrap_room={ROOM} expected=0x1 got=0x2
[2026-03-01 10:00:19 TP0] Context corruption detected: Request gg77 (bootstrap_room=11) received metadata from bootstrap_room=22. Metadata buffer index: 3.
[2026-03-01 10:00:20] The server is fired up and ready to roll!
Traceback (most recent call last):
"""
    case, report = take(tmp_path, log)
    assert report.problems == []
    found = {row["kind"] if row["rid"] != "bb22" else "old": row for row in records(case)}
    assert found["start"]["worker_address"] == "10.1.0.4:31000"
    assert (found["start"]["disaggregation"], found["start"]["page_size"]) == ("decode", 64)
    assert "sk-secret" not in json.dumps(found["start"], default=str)
    assert (found["limits"]["pool_tokens"], found["limits"]["context_tokens"]) == (51200, 32768)
    engine = found["engine"]
    assert (engine["rid"], engine["room"], engine["role"], engine["dp_rank"], engine["tp_rank"]) == (
        "aa11",
        ROOM,
        "decode",
        3,
        0,
    )
    assert (engine["prompt_tokens"], engine["cached_tokens"], engine["completion_tokens"]) == (260, 7, 48)
    assert engine["received_ns"] == 1772359205125000000
    assert engine["finished_ns"] == engine["at_ns"] == 1772359211 * 10**9
    assert (found["old"]["prompt_tokens"], found["old"]["role"], found["old"]["received_ns"]) == (1, "prefill", None)
    assert found["warmup"]["room"] is None
    assert (found["reject"]["rid"], found["reject"]["input_tokens"], found["reject"]["allowed_tokens"]) == (
        "cc33",
        51300,
        51194,
    )
    assert (found["gate"]["rid"], found["gate"]["allowed_tokens"]) == ("dd44", 500)
    assert found["release"]["room"] == ROOM
    assert (found["transfer"]["rid"], found["transfer"]["room"], found["transfer"]["role"]) == ("ee55", ROOM, "decode")
    assert found["detector"]["detail"]["other_room"] == "22"
    assert found["access"]["http_status"] == 200
    assert report.files[0].rejected == {"foreign_line": 1}


def test_local_stamps_follow_the_declared_zone(tmp_path: Path) -> None:
    log = "[2026-03-01 10:00:09] The server is fired up and ready to roll!\n[2026-07-01 10:00:09.250] x\n"
    case, _ = take(tmp_path, log, declared=BERLIN)
    winter, summer = records(case)
    assert winter["at_ns"] == 1772355609 * 10**9
    assert summer["at_ns"] == 1782892809250000000


def finished(**extra: object) -> dict[str, object]:
    record: dict[str, object] = {
        "timestamp": "2026-03-01T10:00:11.250000",
        "event": "request.finished",
        "rid": "aa11",
        "obj": {"rid": "aa11", "text": "<|user|>Hi", "bootstrap_room": int(ROOM), "bootstrap_host": "10.1.0.2", "bootstrap_port": 8998, "stream": True},
        "out": {
            "text": "Good day",
            "output_ids": [1, 2],
            "meta_info": {
                "id": "aa11", "finish_reason": {"type": "stop", "matched": 2}, "prompt_tokens": 12, "cached_tokens": 0,
                "completion_tokens": 2, "dp_rank": 5, "e2e_latency": 1.25,
            },
        },
    }  # fmt: skip
    return record | extra


@pytest.mark.parametrize("prefix", ["", "[2026-03-01 10:00:11] "])
def test_request_log_in_json(tmp_path: Path, prefix: str) -> None:
    received = {
        "timestamp": "2026-03-01T10:00:10.000000", "event": "request.received", "rid": "aa11",
        "obj": {"rid": "aa11", "text": None, "input_ids": [1, 2, 3], "bootstrap_room": int(ROOM)}, "headers": {"x-tenant": "lune"},
    }  # fmt: skip
    openai = {
        "timestamp": "2026-03-01T10:00:09.990000", "event": "request.received.openai",
        "obj": {"model": "heron", "bootstrap_room": int(ROOM), "messages": [{"role": "user", "content": "Hi"}]},
    }  # fmt: skip
    warm = {
        "timestamp": "2026-03-01T10:00:01",
        "event": "request.received",
        "rid": ["w"],
        "obj": {"bootstrap_room": [0], "input_ids": [[1]]},
    }
    lines = [openai, received, finished(), warm]
    case, report = take(tmp_path, "".join(prefix + json.dumps(line) + "\n" for line in lines))
    assert report.files[0].records_kept == 4
    body, begin, end, warmup = records(case)
    assert (body["kind"], body["rid"], body["room"], body["model"]) == ("openai", None, ROOM, "heron")
    assert (begin["kind"], begin["phase"], begin["prompt_state"]) == ("engine", "received", "token_ids")
    assert begin["identity"]["headers"] == {"x-tenant": "lune"}
    assert begin["received_ns"] == begin["at_ns"]
    assert (end["phase"], end["outcome"], end["dp_rank"], end["bootstrap_port"]) == ("finished", "ok", 5, 8998)
    assert end["received_ns"] == end["at_ns"] - 1250 * 10**6
    assert (end["prompt_state"], end["response_state"], end["response_chars"]) == ("complete", "complete", 8)
    assert warmup["kind"] == "warmup"
    assert ("response", 0, 0, None, "text", "whole", "Good day") in told(case)


def test_truncated_strings_become_two_fragments_in_both_formats(tmp_path: Path) -> None:
    head, tail = "a" * 1023 + "'", "\"'" + "z" * 1022
    as_json = finished(obj={"rid": "aa11", "text": f"{head}...{tail}", "bootstrap_room": 5})
    as_text = (
        f"[2026-03-01 10:00:11] Finish: obj=GenerateReqInput(rid='bb22', text={head!r} ... {tail!r}, input_ids=[1, 2] ... [8, 9], "
        "bootstrap_room=6, stream=False, sampling_params={'stop': None}), out={'text': 'It\\'s \\u00e9 \\n', 'output_ids': [1], "
        "'meta_info': {'id': 'bb22', 'finish_reason': {'type': 'length', 'length': 0}, 'prompt_tokens': 1, 'completion_tokens': 1}}"
    )
    openai = f"[2026-03-01 10:00:11] Receive OpenAI: obj={{'messages': [{{'role': 'user', 'content': {head!r} ... {tail!r}}}]}}"
    case, report = take(tmp_path, f"{json.dumps(as_json)}\n{as_text}\n{openai}\n")
    assert report.problems == []
    assert [row["prompt_state"] for row in records(case)] == ["truncated"] * 3
    assert [row["prompt_hash"] for row in records(case)] == [None] * 3
    prompts = [(fragment, text) for side, _, _, _, _, fragment, text in told(case) if side == "prompt"]
    assert prompts == [("head", head), ("tail", tail)] * 3
    assert "It's é \n" in [part[-1] for part in told(case)]
    assert (records(case)[1]["finish_type"], records(case)[1]["finish_length"]) == ("length", 0)


def test_text_log_between_engine_lines(tmp_path: Path) -> None:
    log = (
        "[2026-03-01 10:00:10 TP0] Prefill batch, #new-seq: 1, #new-token: 64\n"
        "[2026-03-01 10:00:10] Receive: obj=GenerateReqInput(rid='aa11', text=None, input_ids=[1], bootstrap_room=7)\n"
        "[2026-03-01 10:00:10] Receive OpenAI: obj={'messages': [{'role': 'user', 'content': \"it's\"}], 'bootstrap_room': 7}\n"
        "[2026-03-01 10:00:11] Finish: obj=GenerateReqInput(rid='aa11', text='x\n"
    )
    case, report = take(tmp_path, log)
    assert [(row["format"], row["kind"]) for row in records(case)] == [
        ("sglang_engine_log", "batch"), ("sglang_request_log", "engine"), ("sglang_request_log", "openai"),
    ]  # fmt: skip
    assert report.files[0].rejected == {"malformed_repr": 1}
    assert told(case) == [("prompt", 0, 0, "user", "content", "whole", "it's")]


def test_metrics_export(tmp_path: Path) -> None:
    line = {
        "request_parameters": json.dumps({"rid": "aa11", "bootstrap_room": int(ROOM), "bootstrap_host": "10.1.0.2", "stream": True}),
        "id": "aa11", "finish_reason": {"type": "stop"}, "prompt_tokens": 300, "completion_tokens": 9, "cached_tokens": 0,
        "request_received_ts": 1772359205.5, "request_finished_ts": 1772359207.75, "first_token_latency": 0.25, "dp_rank": None,
    }  # fmt: skip
    case, _ = take(tmp_path, json.dumps(line) + "\n", "sglang-request-metrics-20260301_10.log", declared="")
    (row,) = records(case)
    assert (row["kind"], row["phase"], row["room"], row["rid"]) == ("engine", "whole", ROOM, "aa11")
    assert (row["received_ns"], row["first_token_ns"], row["finished_ns"]) == (
        1772359205500000000, 1772359205750000000, 1772359207750000000,
    )  # fmt: skip


def test_server_info_is_limits_and_model_info_a_note(tmp_path: Path) -> None:
    info = {
        "model_path": "/m/heron", "served_model_name": "heron", "host": "10.1.0.2", "port": 30000, "version": "0.5.11",
        "max_total_num_tokens": 681280, "max_req_input_len": 99, "context_length": 1048576, "page_size": 64, "api_key": "sk-secret",
        "disaggregation_mode": "prefill", "disaggregation_bootstrap_port": 8998, "internal_states": [{"memory_usage": {"token_capacity": 7}}],
    }  # fmt: skip
    case, _ = take(tmp_path, json.dumps(info, indent=1), "prefill-0.json", declared="")
    (row,) = records(case)
    assert (row["kind"], row["pool_tokens"], row["context_tokens"], row["disaggregation"]) == (
        "limits",
        681280,
        1048576,
        "prefill",
    )
    assert (row["engine_version"], row["worker_address"], row["bootstrap_port"]) == ("0.5.11", "10.1.0.2:30000", 8998)
    assert (row["allowed_tokens"], row["detail"]["max_req_input_len"]) == (None, 99)
    assert "sk-secret" not in str(rows(case, "SELECT * FROM record"))
