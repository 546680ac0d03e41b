"""Damaged lines of every format: each is a record or a counted reject, never an error of the stage."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forensics.ingest.formats import Formats
from forensics.ingest.framing.records import Context, Frame, Reject
from forensics.ingest.project import Projector
from tests.ingest.cases import rows, take
from tests.ingest.test_clients import payload
from tests.ingest.test_sglang import finished

ROOM = 2**62 + 1
SAMPLES = {
    "sglang_engine_log": f"""[2026-03-01 10:00:11 DP3 TP0] ReqTimeStats(rid=aa11, bootstrap_room={ROOM}, input_len=260, cached_input_len=7, output_len=48, attempts=0, type=decode): entry_time=1772359205.125
[2026-03-01 10:00:14 TP0] Input length (51300 tokens) exceeds the maximum allowed length (51194 tokens). Use a shorter input or enable --allow-auto-truncate., self.rid='cc33'
[2026-03-01 10:00:04 TP0] max_total_num_tokens=51200, chunked_prefill_size=8192, context_len=32768, available_gpu_mem=9.70 GB
[2026-03-01 10:00:17 TP0] Decode transfer failed for request rank=0 decode_req.req.rid='ee55' decode_req.req.bootstrap_room={ROOM} with exception KVTransferError(x): y
[2026-03-01 10:00:00] server_args={{'model_path': '/m/heron', 'host': '10.1.0.4', 'port': 31000, 'disaggregation_mode': 'decode'}}
[2026-03-01 10:00:11] Finish: obj=GenerateReqInput(rid='bb22', text='a' ... "b", input_ids=[1, 2] ... [8, 9]), out={{'text': 'x', 'meta_info': {{'id': 'bb22'}}}}
""",
    "sglang_request_log": json.dumps(finished()) + "\n",
    "sglang_request_metrics": json.dumps({"request_parameters": json.dumps({"rid": "a", "bootstrap_room": ROOM}), "id": "a", "request_received_ts": 1772359205.5,
                                          "e2e_latency": 1.5, "completion_tokens": 1, "response_sent_to_client_ts": 1772359206.5}) + "\n",
    "sglang_server_info": json.dumps({"model_path": "/m", "port": 1, "host": "h", "max_total_num_tokens": 5, "internal_states": [{"memory_usage": {"token_capacity": 7}}]}),
    "router_smg": '2026-03-01 10:00:07  INFO http_request{uri=/v1 request_id="chatcmpl-R1" status_code=200 latency=1500000}: smg::response: src/m.rs:104: finished\n',
    "router_smg_json": json.dumps({"timestamp": "2026-03-01T10:00:07.5Z", "level": "INFO", "target": "smg::x", "span": {"request_id": "g", "latency": 9}}) + "\n",
    "litellm_payload": json.dumps(payload()) + "\n",
    "litellm_proxy_log": "09:32:03 - LiteLLM Proxy:ERROR: x.py:1 - litellm_call_id=f602ae6d-1823-4111-a21a-8c98e14c6299 - y\n",
    "otlp_genai": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "ab" * 16, "startTimeUnixNano": "17", "attributes": [
        {"key": "gen_ai.response.id", "value": {"stringValue": "a"}}, {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": '[{"role":"user","parts":[{"type":"text","content":"x"}]}]'}}]}]}]}]}) + "\n",
    "sse_stream": 'data: {"id":"a","created":1772359205,"choices":[{"index":0,"delta":{"content":"x","tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}\n\ndata: [DONE]\n\n',
    "http_headers": "HTTP/1.1 200 OK\r\ndate: Sun, 01 Mar 2026 10:00:05 GMT\r\nx-litellm-call-id: c\r\n",
    "openai_request": json.dumps({"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}),
    "vllm_request_log": "INFO 03-01 10:00:01 [x.py:6] Generated response chatcmpl-2 (streaming complete): output: 'x', finish_reason: stop\n"
                        "INFO 03-01 10:00:01 [x.py:6] Received request c: prompt: 'x', params: S(n=1), prompt_token_ids: [1, 2], lora_request: None.\n",
}  # fmt: skip
SPLINTERS = st.sampled_from(
    ["", '"', "'", "{", "}", "[", "]", ",", ":", "null", "NaN", "-1", "1e400", "99999999999999999999", "true", "\\", "\\ud800",
     "\x00", "\n", "\r\n", "\x1b[0m", "\ud800", "...", " ... ", "é", "\U0001f600", "[]", "{}", "0x", "%s", "$year", "--", ";"]
)  # fmt: skip
BLOW = st.tuples(st.integers(0, 10_000), st.integers(0, 40), SPLINTERS)


@lru_cache
def projector() -> Projector:
    return Projector(duckdb.connect(), Formats(None))


def damaged(sample: str, blows: list[tuple[int, int, str]]) -> str:
    for place, length, splinter in blows:
        at = place % (len(sample) + 1)
        sample = sample[:at] + splinter + sample[at + length :]
    return sample


def framed(form: str, text: str) -> Iterator[Frame | Reject]:
    found = projector().formats.get(form)
    yield from found.framer(found.framing)([text.encode("utf-8", "surrogatepass")], Context("logs/x", form, 2026))


@pytest.mark.parametrize("form", SAMPLES)
def test_samples_are_whole(form: str) -> None:
    frames = [each for each in framed(form, SAMPLES[form]) if isinstance(each, Frame)]
    assert frames
    for projected in projector().project([frames])[0]:
        assert projected.rejects == []
        assert projected.records.num_rows


@pytest.mark.parametrize("form", SAMPLES)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(BLOW, min_size=1, max_size=4), min_size=30, max_size=40))
def test_damage_is_a_record_or_a_reject(form: str, wounds: list[list[tuple[int, int, str]]]) -> None:
    files = []
    for blows in wounds:
        found = list(framed(form, damaged(SAMPLES[form], blows)))
        files.append([each for each in found if isinstance(each, Frame)])
    for frames, results in zip(files, projector().project(files), strict=True):
        assert sum(each.records.num_rows + len(each.rejects) for each in results) == len(frames)


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == set(Formats(None).by_name)


def test_one_value_that_stops_a_query_costs_one_record(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text(
        "SELECT byte_offset, item, 'note' AS kind, cast(raw ->> 'n' AS BIGINT) AS prompt_tokens FROM raw\n"
    )
    lines = [json.dumps({"n": n if n % 40 else "many"}) for n in range(200)]
    case, report = take(tmp_path, "\n".join(lines), form=str(query), declared="")
    assert report.problems == []
    assert report.files[0].rejected == {"unreadable_value": 5}
    assert [row["line"] for row in rows(case, "SELECT line FROM reject ORDER BY line")] == [1, 41, 81, 121, 161]


def test_a_query_that_stops_at_every_record_is_to_blame(tmp_path: Path) -> None:
    query = tmp_path / "mine.sql"
    query.write_text("SELECT byte_offset, item, 'note' AS kind, cast(raw ->> 'n' AS DATE)::VARCHAR AS rid FROM raw\n")
    _, report = take(tmp_path, '{"n": "no date"}\n' * 300, form=str(query), declared="")
    (problem,) = report.problems
    assert "the query failed" in str(problem)
    assert "logs/x.log" in str(problem)


def test_years_beyond_nanoseconds_are_no_time(tmp_path: Path) -> None:
    line = SAMPLES["router_smg_json"]
    case, report = take(tmp_path, line + line.replace("2026-", "9026-"))
    assert report.files[0].rejected == {}
    assert [row["at_ns"] is None for row in rows(case, "SELECT at_ns FROM record ORDER BY line")] == [False, True]
