"""What gateways, routers, clients and vLLM write, on small stories."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import base64
import json
from pathlib import Path
from typing import Any

from forensics.ingest.run import ingest
from tests.ingest.cases import new_case, records, take, told


def payload(**extra: Any) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": "aa11", "litellm_call_id": "call-1", "trace_id": "t-1", "call_type": "acompletion", "stream": True, "status": "success",
        "model": "openai/heron-fp8", "model_group": "heron", "api_base": "http://10.1.0.1:30000/v1", "cache_hit": None,
        "prompt_tokens": 12, "completion_tokens": 4, "startTime": 1772359205.5, "completionStartTime": 1772359205.75, "endTime": 1772359206.0,
        "end_user": "lune:u1", "messages": [{"role": "user", "content": "Hi"}],
        "response": {"id": "aa11", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "Good day", "reasoning_content": "hm",
                     "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"p": 1}'}}]}}]},
        "metadata": {"user_api_key_team_alias": "Pool", "user_api_key_hash": "88", "requester_metadata": {"tenant": "lune", "headers": {"authorization": "Bearer x"}},
                     "requester_custom_headers": {"x-tenant-id": "lune"}},
        "hidden_params": {"additional_headers": {"llm_provider-x-request-id": "chatcmpl-R1"}}, "error_str": None,
        "error_information": {"error_code": "", "error_class": "", "error_message": ""},
    }  # fmt: skip
    return record | extra


def test_litellm_success_failure_disconnect_replay(tmp_path: Path) -> None:
    lines = [
        payload(),
        payload(id="call-2", litellm_call_id="call-2", status="failure", response={}, hidden_params={}, prompt_tokens=0,
                error_str="litellm.BadRequestError: Request dd44 exceeds the maximum number of tokens: 600 > 500",
                error_information={"error_code": "decode_bad_request", "error_class": "BadRequestError", "normalized_error": "400_INVALID_REQUEST", "error_provider_request_id": "chatcmpl-R2"}),
        payload(id="cc33", litellm_call_id="call-3", error_str="Client disconnected the request",
                error_information={"error_code": "499", "error_class": "ClientDisconnected"}),
        payload(id="aa11_cache_hit1772359300.1", litellm_call_id="call-4", cache_hit=True, api_base=""),
        payload(id="ee55", litellm_call_id="call-5", messages=[{"role": "user", "content": "redacted-by-litellm"}]),
    ]  # fmt: skip
    case, report = take(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "payload.jsonl", declared="")
    assert report.problems == []
    good, failed, left, replay, redacted = records(case)
    assert (good["response_id"], good["call_id"], good["router_request_id"], good["model"]) == (
        "aa11",
        "call-1",
        "chatcmpl-R1",
        "heron",
    )
    assert (good["received_ns"], good["first_token_ns"]) == (1772359205500000000, 1772359205750000000)
    assert good["identity"]["metadata"]["requester_custom_headers"] == {"x-tenant-id": "lune"}
    assert "Bearer" not in json.dumps(good["identity"])
    assert "Good day" not in json.dumps([good["identity"], good["detail"]])
    assert (failed["response_id"], failed["http_status"], failed["outcome"], failed["router_request_id"]) == (
        None,
        400,
        "error",
        "chatcmpl-R2",
    )
    assert failed["detail"]["error_rid"] == "dd44"
    assert failed["response_state"] == "absent"
    assert (left["outcome"], left["http_status"], left["response_id"]) == ("aborted", 499, "aa11")
    assert (replay["response_id"], replay["detail"]["replayed_response_id"]) == ("aa11_cache_hit1772359300.1", "aa11")
    assert replay["detail"]["engine_called"] is False
    assert (redacted["prompt_state"], redacted["prompt_hash"]) == ("redacted", None)
    mine = [part for part in told(case) if part[0] == "response"][:3]
    assert mine == [
        ("response", 0, 0, "assistant", "reasoning", "whole", "hm"),
        ("response", 1, 0, "assistant", "content", "whole", "Good day"),
        ("response", 2, 0, "assistant", "tool_arguments", "whole", '{"p": 1}'),
    ]


def test_a_single_pretty_payload_and_a_database_truncation(tmp_path: Path) -> None:
    cut = "begin... (litellm_truncated skipped 900 chars. Truncation is a DB storage safeguard.) ...end"
    case, _ = take(
        tmp_path, json.dumps(payload(messages=[{"role": "user", "content": cut}]), indent=2), "one.json", declared=""
    )
    (row,) = records(case)
    assert (row["kind"], row["prompt_state"]) == ("client", "truncated")
    assert [(part[5], part[6]) for part in told(case) if part[0] == "prompt"] == [("head", "begin"), ("tail", "end")]


def test_equal_prompts_hash_equal_across_formats(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Ünï"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"p": 1}'}}]},
        {"role": "tool", "content": "r", "tool_call_id": "c"},
    ]  # fmt: skip
    parts = [
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": "Ünï"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "name": "f", "arguments": {"p": 1}, "id": "c"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "response": "r", "id": "c"}]},
    ]
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_text(json.dumps(payload(messages=messages)) + "\n")
    (logs / "b.request.json").write_text(json.dumps({"model": "heron", "messages": messages}))
    openai = {
        "timestamp": "2026-03-01T10:00:10",
        "event": "request.received.openai",
        "obj": {"messages": messages, "bootstrap_room": 9},
    }
    (logs / "c.log").write_text(
        json.dumps(openai) + "\n" + f"[2026-03-01 10:00:10] Receive OpenAI: obj={openai['obj']!r}\n"
    )
    attributes = [{"key": "gen_ai.request.model", "value": {"stringValue": "heron"}},
                  {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(parts)}}]  # fmt: skip
    span = {
        "traceId": "ab" * 16,
        "spanId": "cd" * 8,
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": attributes,
    }
    (logs / "d.jsonl").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n")
    case = new_case(tmp_path / "case")
    assert ingest(case, [logs]).problems == []
    hashes = [row["prompt_hash"] for row in records(case)]
    assert len(hashes) == 5
    assert len(set(hashes)) == 1
    assert hashes[0]


def test_otlp_in_both_spellings(tmp_path: Path) -> None:
    trace, span = "0123456789abcdef" * 2, "fedcba9876543210"
    attributes = [
        {"key": "gen_ai.response.id", "value": {"stringValue": "aa11"}},
        {"key": "gen_ai.usage.prompt_tokens", "value": {"intValue": "12"}},
        {"key": "tenant.id", "value": {"stringValue": "lune"}},
        {"key": "gen_ai.output.messages", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": [
            {"key": "role", "value": {"stringValue": "assistant"}},
            {"key": "parts", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": [
                {"key": "type", "value": {"stringValue": "text"}}, {"key": "content", "value": {"stringValue": "Good day"}}]}}]}}}]}}]}}},
    ]  # fmt: skip
    engine = [
        {"key": "rid", "value": {"stringValue": "aa11"}},
        {"key": "bootstrap_room", "value": {"stringValue": "0x7b2f6c9d01e4a5b1"}},
    ]
    b64 = [base64.b64encode(bytes.fromhex(value)).decode() for value in (trace, span)]
    lines = [
        {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"traceId": trace, "spanId": span, "startTimeUnixNano": "1772359205000000001", "endTimeUnixNano": 1772359206000000000, "attributes": attributes},
            {"traceId": trace, "spanId": span, "startTimeUnixNano": "5", "attributes": engine}]}]}]},
        {"resource_logs": [{"scope_logs": [{"log_records": [{"trace_id": b64[0], "span_id": b64[1], "observed_time_unix_nano": "7", "attributes": attributes}]}]}]},
        {"resourceMetrics": []},
    ]  # fmt: skip
    case, report = take(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "t.jsonl", declared="")
    assert report.files[0].rejected == {"not_otlp": 1}
    call, engine_span, log = records(case)
    assert (call["trace_id"], log["trace_id"], log["detail"]["span_id"]) == (trace, trace, span)
    assert (call["response_id"], call["prompt_tokens"], call["received_ns"]) == ("aa11", 12, 1772359205000000001)
    assert call["identity"]["attributes"] == {
        "gen_ai.response.id": "aa11",
        "gen_ai.usage.prompt_tokens": 12,
        "tenant.id": "lune",
    }
    assert (engine_span["kind"], engine_span["room"], engine_span["item"]) == ("engine", str(0x7B2F6C9D01E4A5B1), 1)
    assert [part[6] for part in told(case)] == ["Good day", "Good day"]


def test_sse_with_its_siblings(tmp_path: Path) -> None:
    def chunk(**delta: Any) -> str:
        return (
            "data: "
            + json.dumps(
                {"id": "aa11", "created": 1772359205, "model": "heron", "choices": [{"index": 0, "delta": delta}]}
            )
            + "\r\n\r\n"
        )

    body = (
        "\ufeff: keep-alive\r\n\r\n"
        + chunk(role="assistant", content="")
        + chunk(reasoning_content="hm")
        + chunk(content="Good ")
        + chunk(content="day")
    )
    body += chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"p"'}}])
    body += chunk(tool_calls=[{"index": 0, "id": None, "function": {"arguments": ": 1}"}}])
    body += 'data: {"id":"aa11","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    body += 'data: {"id":"aa11","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":4}}\n\ndata: [DONE]\n\n'
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "07.sse").write_text(body, newline="")
    (logs / "07.headers").write_text(
        "HTTP/1.1 200 OK\r\ndate: Sun, 01 Mar 2026 10:00:05 GMT\r\nx-litellm-call-id: call-1\r\nset-cookie: s=1\r\n\r\n",
        newline="",
    )
    (logs / "07.request.json").write_text(
        json.dumps({"model": "heron", "messages": [{"role": "user", "content": "Hi"}], "user": "lune:u1"})
    )
    (logs / "08.request.json").write_text(
        json.dumps({"model": "heron", "messages": [{"role": "user", "content": "Hi"}], "user": "lune:u1"})
    )
    case = new_case(tmp_path / "case", "")
    report = ingest(case, [logs])
    assert report.problems == []
    found = {row["format"]: row for row in records(case) if row["trace_id"] == "sse:logs/07"}
    assert found["http_headers"]["call_id"] == "call-1"
    assert found["http_headers"]["at_ns"] == 1772359205 * 10**9
    assert "s=1" not in json.dumps(found["http_headers"]["identity"])
    assert found["openai_request"]["identity"] == {"model": "heron", "user": "lune:u1"}
    stream = found["sse_stream"]
    assert (stream["response_id"], stream["finish_type"], stream["prompt_tokens"], stream["outcome"]) == (
        "aa11",
        "stop",
        12,
        "ok",
    )
    assert [part[4:] for part in told(case) if part[0] == "response"] == [
        ("reasoning", "whole", "hm"), ("content", "whole", "Good day"), ("tool_arguments", "whole", '{"p": 1}'),
    ]  # fmt: skip
    assert len(records(case)) == 4, "the same request twice is two records"
    assert [each.status for each in report.files] == ["new"] * 4


def test_sse_cut_cumulative_anthropic_and_error(tmp_path: Path) -> None:
    streams = {
        "cut.sse": 'data: {"id":"a","choices":[{"index":0,"delta":{"content":"Good"}}]}\n\ndata: {"id":"a","choices":[{"ind',
        "cumulative.sse": 'data: {"text":"Go","meta_info":{"id":"b","prompt_tokens":3,"finish_reason":null}}\n\ndata: {"text":"Good","meta_info":{"id":"b","prompt_tokens":3,"finish_reason":{"type":"stop"}}}\n\ndata: [DONE]\n\n',
        "anthropic.sse": 'event: message_start\ndata: {"type":"message_start","message":{"id":"c","model":"heron","usage":{"input_tokens":3,"cache_read_input_tokens":4}}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good"}}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n',
        "error.sse": 'data: {"id":"d","choices":[{"index":0,"delta":{"content":"Good"}}]}\n\ndata: {"error":{"message":"lost","code":500}}\n\n',
    }
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, body in streams.items():
        (logs / name).write_text(body)
    case = new_case(tmp_path / "case", "")
    report = ingest(case, [logs])
    found = {row["response_id"]: row for row in records(case)}
    assert (found["a"]["response_state"], found["a"]["outcome"]) == ("truncated", "aborted")
    assert [each.cut_short for each in report.files] == [False, False, True, False] or report.files[2].path.endswith(
        "cut.sse"
    )
    assert (found["b"]["response_state"], found["b"]["finish_type"]) == ("complete", "stop")
    assert (found["c"]["prompt_tokens"], found["c"]["completion_tokens"], found["c"]["finish_type"]) == (
        7,
        2,
        "end_turn",
    )
    assert (found["d"]["outcome"], found["d"]["http_status"], found["d"]["error_text"]) == ("error", 500, "lost")
    assert {part[6] for part in told(case)} == {"Good"}


def test_router_text_with_colours_and_json(tmp_path: Path) -> None:
    text = (
        '2026-03-01 10:00:05  INFO smg::server: src/server.rs:7: Starting router on 0.0.0.0:30000 | mode: PrefillDecode { prefill_urls: [] }\n'
        '\x1b[2m2026-03-01 10:00:06\x1b[0m \x1b[32m INFO\x1b[0m http_request{\x1b[3mmethod\x1b[0m=POST uri=/v1/chat/completions request_id="chatcmpl-R1"}: smg::request: src/m.rs:70: started processing request\n'
        '2026-03-01 10:00:07  INFO http_request{method=POST uri=/v1/chat/completions request_id="chatcmpl-R1" status_code=200 latency=1500000}: smg::response: src/m.rs:104: finished processing request\n'
        '2026-03-01 10:00:08 ERROR http_request{method=POST uri=/v1/chat/completions request_id="chatcmpl-R2"}: smg::routers::pd: src/r.rs:5: Decode server returned error status decode_url=http://10.1.0.4:31000 status=400\n'
    )  # fmt: skip
    line = {"timestamp": "2026-03-01T10:00:07.500000Z", "level": "INFO", "target": "smg::response", "message": "finished processing request",
            "span": {"name": "http_request", "uri": "/generate", "request_id": "gnt-1", "status_code": 200, "latency": 1000}}  # fmt: skip
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "smg.log").write_text(text)
    (logs / "smg.json").write_text(json.dumps(line) + "\n")
    case = new_case(tmp_path / "case", "")
    assert ingest(case, [logs]).problems == []
    rows = {(row["kind"], row["phase"], row["format"]): row for row in records(case)}
    assert rows["topology", None, "router_smg"]
    assert rows["router", "received", "router_smg"]["router_request_id"] == "chatcmpl-R1"
    done = rows["router", "finished", "router_smg"]
    assert (done["http_status"], done["finished_ns"], done["received_ns"]) == (200, 1772359207 * 10**9, None)
    assert rows["router", None, "router_smg"]["worker_address"] == "10.1.0.4:31000"
    assert rows["router", "finished", "router_smg_json"]["at_ns"] == 1772359207500000000


def test_vllm_in_both_generations(tmp_path: Path) -> None:
    log = (
        "INFO 12-31 23:59:59 [logger.py:39] Received request chatcmpl-1: prompt: '<user>it\\'s', params: SamplingParams(n=1, stop=[]), prompt_token_ids: [1, 2, 3], lora_request: None.\n"
        '(APIServer pid=1) DEBUG 01-01 00:00:01 [request_logger.py:56] Request chatcmpl-2 details: prompt: "a\\nb", prompt_token_ids: [1, 2], prompt_embeds shape: None.\n'
        "(APIServer pid=1) INFO 01-01 00:00:02 [request_logger.py:66] Received request chatcmpl-2: params: SamplingParams(n=1), lora_request: None.\n"
        "(APIServer pid=1) INFO 01-01 00:00:03 [request_logger.py:119] Generated response chatcmpl-2 (streaming complete): output: 'Good day', finish_reason: stop\n"
        "(APIServer pid=1) INFO 01-01 00:00:03 [request_logger.py:119] Generated response chatcmpl-2 (streaming delta): output: 'Good', finish_reason: None\n"
        "INFO 01-01 00:00:04 [kv_cache_utils.py:1147] GPU KV cache size: 1,234,560 tokens, Maximum concurrency for 131,072 tokens per request: 9.42x\n"
        "no prefix\n"
    )  # fmt: skip
    declared = '[[source]]\nfiles = "*"\nzone = "UTC"\nyear = 2026\n'
    case, report = take(tmp_path, log, declared=declared)
    assert report.files[0].rejected == {"foreign_line": 1}
    old, details, received, generated, delta, limits = records(case)
    assert (old["at_ns"], details["at_ns"] - old["at_ns"]) == (1798761599 * 10**9, 2 * 10**9)
    assert (old["prompt_tokens"], old["prompt_state"], details["prompt_tokens"]) == (3, "complete", 2)
    assert (received["phase"], received["prompt_state"], received["response_id"]) == (
        "received",
        "absent",
        "chatcmpl-2",
    )
    assert (generated["phase"], generated["finish_type"], generated["streamed"]) == ("finished", "stop", True)
    assert delta["kind"] == "note"
    assert (limits["kind"], limits["pool_tokens"], limits["context_tokens"]) == ("limits", 1234560, 131072)
    assert [part[6] for part in told(case)] == ["<user>it's", "a\nb", "Good day"]
