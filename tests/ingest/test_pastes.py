"""Pastes of issue reports and consoles, written anew: documents over lines, and what stands around logs and answers."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import json
from pathlib import Path

import pytest

from forensics.ingest.trial import trial
from tests.ingest.cases import answer, pretty, records, take, told

BATCH = "Decode batch, #running-req: 2, #token: 84, token usage: 0.00, gen throughput (token/s): 3.62, #queue-req: 1"


def test_an_answer_is_read_though_a_shell_wrote_behind_it(tmp_path: Path) -> None:
    answer = {"id": "cmpl-1f", "object": "chat.completion", "created": 1758000000, "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]}  # fmt: skip
    console = (
        f"$ curl -s localhost:8000/v1/chat/completions -d @body.json\n{json.dumps(answer)}root@host:/# tail -f x.log\n"
    )
    case, report = take(tmp_path, console)
    assert report.files[0].counts == {"dropped_prompts": 1}
    assert report.files[0].rejected == {"foreign_line": 1}
    assert [(part[0], part[6]) for part in told(case)] == [("response", "hello")]


BETWEEN = {
    "prose": (f"It says:\n\n{pretty(answer('a'))}\n\nand then:\n\n{pretty(answer('b'))}\n\nIs this right?\n", ["a", "b"], 3),
    "a fence": (f"### Response\n\n```json\n{pretty(answer('a'))}\n```\n", ["a"], 3),
    "a shell": (f"$ curl -s host:8000/v1/chat/completions -d @a.json | jq\n{pretty(answer('a'))}\nroot@host:/# exit\n", ["a"], 2),
    "a prompt on the last line": (f"$ cat answer.json\n{pretty(answer('a'))}root@host:/# exit\n", ["a"], 2),
    "nothing": (f"{pretty(answer('a'))}\n{pretty(answer('b'))}\n", ["a", "b"], 0),
    "not even a newline": (pretty(answer("a")) + pretty(answer("b")), ["a", "b"], 0),
    "labels": (f"Response: {pretty(answer('a'))}\nResponse: {pretty(answer('b'))}\n", ["a", "b"], 0),
    "lists": (f"page 1\n{pretty([answer('a'), answer('b')])}\npage 2\n{pretty([answer('c')])}\n", ["a", "b", "c"], 2),
    "a document that was cut": (pretty(answer("a"))[:50] + f"\n$ cat b\n{pretty(answer('b'))}\n", ["b"], 5),
    "compact ones": (f"{json.dumps(answer('a'))}\n$ cat b\n{pretty(answer('b'))}\n{json.dumps(answer('c'))}\n", ["a", "b", "c"], 1),
}  # fmt: skip
"""A text with documents, the ids of their answers, and how many lines are none of them."""


@pytest.mark.parametrize("name", BETWEEN)
def test_documents_over_several_lines_are_read_whatever_stands_between_them(name: str, tmp_path: Path) -> None:
    text, ids, others = BETWEEN[name]
    case, report = take(tmp_path, text)
    assert (report.problems, report.files[0].format) == ([], "openai_response")
    assert [row["response_id"] for row in records(case)] == ids
    assert sum(report.files[0].rejected.values()) == others
    assert report.files[0].records_read == len(ids) + others
    for row in records(case):
        assert text.encode()[row["byte_offset"] :].lstrip().startswith((b"{", b"[", b"Response: {"))
        assert row["line"] == text.encode()[: row["byte_offset"]].count(b"\n") + 1


def test_a_document_over_several_lines_is_a_chunk_or_a_batch_as_well(tmp_path: Path) -> None:
    said = {"text": "Paris", "meta_info": {"id": "g1", "finish_reason": {"type": "stop"}, "prompt_tokens": 7}}
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "5B8E", "spanId": "EEE1", "name": "x"}]}]}]}
    for form, document in (("sse_stream", said), ("otlp_genai", spans)):
        (tmp_path / form).mkdir()
        case, report = take(tmp_path / form, f"$ curl -s host/x | jq\n{pretty(document)}\n$ \n{pretty(document)}\n")
        assert (report.problems, report.files[0].format) == ([], form)
        assert report.files[0].records_kept >= 1
        assert {"foreign_line", "malformed_json"} & set(report.files[0].rejected)
        assert records(case)


def test_helicones_answer_is_its_requests(tmp_path: Path) -> None:
    row = {
        "request_id": "h1",
        "request_created_at": "2024-05-20T10:00:00Z",
        "response_status": 200,
        "response_body": answer("a"),
    }
    case, report = take(
        tmp_path, f"$ curl … | jq\n{pretty({'data': [row, {**row, 'request_id': 'h2'}], 'error': None})}\n"
    )
    assert (report.problems, report.files[0].format) == ([], "helicone_request")
    assert [each["call_id"] for each in records(case)] == ["h1", "h2"]


def test_a_message_of_a_prompt_is_no_answer(tmp_path: Path) -> None:
    body = '$ curl -d \'{\n  "messages": [\n{"role": "user", "content": "hi"}\n  ]}\'\n'
    case, report = take(tmp_path, body + json.dumps(answer("a")) + "\n")
    assert [each["response_id"] for each in records(case)] == ["a"]
    assert report.files[0].rejected == {"foreign_line": 2, "malformed_json": 1, "not_this_format": 1}


def test_a_head_holds_nothing_of_the_body_behind_it(tmp_path: Path) -> None:
    head = 'HTTP/1.1 200 OK\nx-request-id: r1\n\n{\n  "secret": "of the body",\n  "a": 1\n}\n'
    case, report = take(tmp_path, head, form="http_headers")
    (found,) = records(case)
    assert report.files[0].rejected == {"foreign_line": 4}
    assert "secret" not in json.dumps(found)


REQUESTS = [
    {"timestamp": "2026-03-01T10:00:10", "event": "request.received", "rid": "a", "obj": {"rid": "a", "text": "hi"}},
    {"timestamp": "2026-03-01T10:00:11", "event": "request.finished", "rid": "a", "obj": {"rid": "a", "text": "hi"}, "out": {"text": "yo", "meta_info": {"id": "a", "finish_reason": {"type": "stop"}}}},
]  # fmt: skip
APIM = {"TimeGenerated": "2025-06-10T12:00:00Z", "CorrelationId": "c1", "SequenceNumber": 0, "RequestMessages": [{"role": "user", "content": "hi"}], "ResponseMessages": [{"role": "assistant", "content": "yo"}]}  # fmt: skip
DYNAMO = {"time": "2026-02-27T14:47:21.385061Z", "level": "INFO", "target": "dynamo_llm::kv_router::scheduler", "message": "Selected worker: worker_id=70 dp_rank=0, logit: 14.031, cached blocks: 0", "x_request_id": "r"}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "documents", "kept"),
    [
        ("sglang_request_log", REQUESTS, 2),
        ("azure_apim_llm", [[APIM, {**APIM, "CorrelationId": "c2"}]], 2),
        ("dynamo_log", [DYNAMO, {**DYNAMO, "x_request_id": "s"}], 2),
        ("sglang_server_info", [{"model_path": "m", "host": "h", "port": 1, "max_total_num_tokens": 46611}], 1),
    ],
)
def test_what_jq_made_of_a_log_is_that_log(form: str, documents: list[object], kept: int, tmp_path: Path) -> None:
    case, report = take(tmp_path, "$ tail x.log | jq\n" + "".join(pretty(each) + "\n" for each in documents))
    assert (report.problems, report.files[0].format) == ([], form)
    assert (len(records(case)), sum(report.files[0].rejected.values())) == (kept, 1)


def test_each_line_may_be_a_page_of_an_answer(tmp_path: Path) -> None:
    pages = [
        {"data": [{"request_id": f"h{page}", "request_created_at": "2024-05-20T10:00:00Z"}], "error": None}
        for page in range(3)
    ]
    case, report = take(tmp_path, "".join(json.dumps(page) + "\n" for page in pages))
    assert report.problems == []
    assert [each["call_id"] for each in records(case)] == ["h0", "h1", "h2"]


def test_an_answer_may_hold_one_entry_with_the_heads_of_its_bodies(tmp_path: Path) -> None:
    entry = {"id": "cf1", "created_at": "2026-03-01T10:00:00Z", "provider": "p", "model": "m", "tokens_in": 3, "tokens_out": 2, "success": True, "request_head": json.dumps({"messages": [{"role": "user", "content": "hi"}]}), "request_head_complete": True, "response_head": '{"choices": [{"mess', "response_head_complete": False}  # fmt: skip
    case, report = take(tmp_path, f"$ curl …/logs/cf1\n{pretty({'result': entry, 'success': True})}\n")
    assert (report.problems, report.files[0].format) == ([], "cloudflare_log")
    (found,) = records(case)
    assert (found["call_id"], found["prompt_state"], found["response_state"]) == ("cf1", "complete", "absent")
    assert [(part[0], part[6]) for part in told(case)] == [("prompt", "hi")]


WRAPPED = {
    "aws logs tail": "2026-03-04T15:13:22.123000+00:00 decode/main/4b2f {}",
    "gh run view": "Run tests\tUNKNOWN STEP\t2026-05-28T05:58:25.1234567Z {}",
    "grep": "decode-0.log:{}",
    "grep -n": "logs/decode-0.log:17:{}",
    "logcli": '2026-03-04T15:13:22Z {{app="decode", pod="decode-0"}} {}',
    "a window's frame": "│ {}            │",
    "a mail": "> {}",
    "a list of code": "- `{}`",
    "a diff": "+{}",
}


@pytest.mark.parametrize("name", WRAPPED)
def test_what_tools_put_before_a_line_is_taken_off(name: str, tmp_path: Path) -> None:
    said = [
        f"[2026-03-04 15:13:22 TP0] {BATCH}",
        '[2026-03-04 15:13:23] INFO:     10.0.0.1:33 - "POST /generate HTTP/1.1" 200 OK',
    ]
    case, report = take(tmp_path, "".join(WRAPPED[name].format(line) + "\n" for line in said))
    assert (report.problems, report.files[0].format, report.files[0].rejected) == ([], "sglang_engine_log", {})
    assert [each["kind"] for each in records(case)] == ["batch", "access"]


@pytest.mark.parametrize("around", ["> {}\n", "│ {}    │\n", "    {}\n"])
def test_a_quoted_document_is_read(around: str, tmp_path: Path) -> None:
    text = "".join(around.format(line) for line in pretty(answer("a")).splitlines())
    case, report = take(tmp_path, f"Bob wrote:\n{text}")
    assert (report.problems, report.files[0].rejected) == ([], {"foreign_line": 1})
    assert [each["response_id"] for each in records(case)] == ["a"]


def test_what_is_seen_of_an_unknown_document_is_its_keys(tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text(
        f"```json\n{pretty({'request': {'uri': '/v1'}, 'response': {'status': 200}, 'ai': {'proxy': {}}})}\n```\n"
    )
    found = trial(paste)
    assert (found.files, found.kinds) == ([], [])
    assert found.seen is not None
    assert found.seen.keys == [(1, "ai (dict)"), (1, "request (dict)"), (1, "response (dict)")]
