"""Shapes from public reports and vendors' pages, written anew: each is named, or what was seen is said honestly."""

# ruff: noqa: E501 - log lines are as long as their writers make them

import json
from pathlib import Path

import pytest

from forensics.errors import ForensicsError
from forensics.ingest.detect import detect
from forensics.ingest.formats import Formats
from tests.ingest.cases import UTC, records, take, told

FORMATS = Formats(None)
FAILED = "[2026-02-26 12:53:08 TP4] Prefill transfer failed for request rank=4 req.rid='af2f' req.bootstrap_room=6989861766352545488 with exception KVTransferError(bootstrap_room=6989861766352545488): Decode instance could be dead, remote mooncake session 10.0.0.1:16324 is not alive\n"
BATCH = "Decode batch, #running-req: 2, #token: 84, token usage: 0.00, cuda graph: True, gen throughput (token/s): 3.62, #queue-req: 1"
SHELL = "((sglang-0.5.8.post1) ) [ops@node ~]$ NCCL_DEBUG=WARN python3 -m sglang.launch_server --tp-size 16\n"
PARAMS = "params: SamplingParams(n=1, temperature=0.7, stop=[], max_tokens=100), lora_request: None."
VLLM = (
    "(APIServer pid=90458) INFO:     Started server process [90458]\n"
    f"(APIServer pid=90458) INFO 02-13 11:33:33 [logger.py:49] Received request chatcmpl-a269: {PARAMS}\n"
    "(APIServer pid=90458) INFO 02-13 11:33:33 [async_llm.py:382] Added request chatcmpl-a269-a8a65d16.\n"
    '(APIServer pid=90458) INFO:     10.80.23.18:51408 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
    "(APIServer pid=90458) INFO 02-13 11:33:39 [loggers.py:257] Engine 000: Avg prompt throughput: 0.8 tokens/s, Avg generation throughput: 4.6 tokens/s, Running: 0 reqs\n"
)
VLLM_STAMPED = (
    '(APIServer pid=34633) [2026-07-14 22:37:50,765] INFO:     10.242.0.28:38194 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
    '(APIServer pid=34633) [2026-07-14 22:37:50,935] INFO:     10.242.0.28:45178 - "GET /health HTTP/1.1" 200 OK\n'
)
ROUTER = (
    "2025-09-17 08:22:52  INFO sglang_router_rs::server: src/server.rs:261: Starting router on 0.0.0.0:30000 | mode: PrefillDecode\n"
    "2025-10-15 10:45:11 INFO sglang_router_rs::routers::http::router: src/routers/http/router.rs:202: Waiting for 2 workers\n"
)
SPAN = '2026-01-12 05:43:40  INFO http_request{method=POST uri=/v1/completions version=HTTP/1.1 request_id="cmpl-KM"}: sglang_router_rs::request: src/middleware.rs:224: started processing request\n'
WITHIN_DYNAMO = (
    "2026-02-10T13:50:14.788089Z  INFO model_runner.load_model: Load weight end. type=X, dtype=torch.bfloat16, avail mem=36.44 GB, mem usage=41.58 GB.\n"
    "2026-02-10T13:50:30.199229Z  INFO scheduler.__init__: max_total_num_tokens=360072, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=128, context_len=65536, available_gpu_mem=12.73 GB\n"
    "2026-02-10 05:50:30 NIXL INFO    _api.py:361 Backend UCX was instantiated\n"
)
BEDROCK = {
    "timestamp": "2026-04-17T14:21:50Z",
    "accountId": "1",
    "requestId": "r3",
    "operation": "InvokeModel",
    "modelId": "cohere.command-r-plus-v1:0",
    "input": {"inputBodyJson": {"message": "Write a joke."}, "inputTokenCount": 8},
    "output": {"outputBodyJson": {"text": "They couldn't commit."}, "outputTokenCount": 20},
    "schemaType": "ModelInvocationLog",
}
SPANS = {
    "resourceSpans": [
        {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "my.library"}, "spans": [{"traceId": "5B8E", "spanId": "EEE1", "name": "a span", "startTimeUnixNano": 1544712660000000000}]}]}
    ]
}  # fmt: skip
GATEWAY = {"bytes_sent": 432, "duration": 1526, "genai_model_name": "gpt-4o-mini", "genai_tokens_input": 15, "method": "POST", "response_code": 200, "response_flags": "-", "start_time": "2025-08-30T16:51:37.894Z", "upstream_cluster": "c", "upstream_host": "1.2.3.4:443", "x-envoy-origin-path": "/v1/chat/completions", "x-request-id": "83b6"}  # fmt: skip
PAYLOAD = {"id": "chatcmpl-2299", "trace_id": None, "call_type": "acompletion", "status": "success", "custom_llm_provider": "openai", "startTime": "2025-01-24 09:20:46.847371", "endTime": "2025-01-24 09:20:46.851954", "model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}], "response": {"id": "chatcmpl-2299", "choices": []}, "hidden_params": {}}  # fmt: skip
SPEND = {"request_id": "chatcmpl-2283", "call_type": "acompletion", "api_key": "", "startTime": "2025-01-24 09:20:46.847371", "endTime": "2025-01-24 09:20:46.851954", "model": "gpt-4o", "metadata": "{}", "spend": 0.1, "total_tokens": 30, "messages": "{}", "response": "{}", "status": "success"}  # fmt: skip

ROUTER_2024 = (
    "[Router (Python)] 2024-11-25 21:28:33 - INFO - Launching DP server process 0 on port 31000\n"
    '[Router (Rust)] 2024-11-25 21:29:40 - INFO - Serving workers on ["http://127.0.0.1:31000"]\n'
    "[Router (Rust)] 2024-11-25 21:30:10 - WARN - Generate request to http://127.0.0.1:31000 failed\n"
)
ROUTER_2025 = (
    "2025-07-31 21:42:46  INFO http_request{method=POST uri=/generate version=HTTP/1.1}:http_request{method=POST uri=/generate version=HTTP/1.1 request_id=req-H}: sglang_router_rs::request: src/middleware.rs:119: started processing request\n"
    "2025-07-31 21:42:47  INFO http_request{method=POST uri=/generate version=HTTP/1.1}:http_request{method=POST uri=/generate version=HTTP/1.1 request_id=req-H status=200 OK latency=812.489607ms}: sglang_router_rs::response: src/middleware.rs:169: finished processing request\n"
    '2025-07-31 21:42:48 ERROR http_request{method=POST uri=/generate request_id="req-I"}: sglang_router_rs::routers::pd: src/r.rs:5: Decode server returned error status decode_url=http://10.1.0.4:31000 status=500\n'
)
LITELLM_JSON = "".join(
    json.dumps({"message": message, "level": level, "timestamp": f"2025-06-10T12:00:0{second}.123456"} | more) + "\n"
    for second, message, level, more in (
        (0, "litellm.proxy.proxy_server.chat_completion(): Exception occured - RateLimitError", "ERROR", {"stacktrace": 'Traceback\n  File "/app/litellm/proxy/proxy_server.py"'}),
        (1, '10.0.0.7:38734 - "POST /v1/chat/completions HTTP/1.1" 200', "INFO", {}),
        (2, "litellm.acompletion(model=m) 200 OK", "INFO", {"component": "LiteLLM Router", "logger": "router.py:900"}),
    )
)  # fmt: skip
GCS = {"request_kwargs": {"model": "m", "messages": [{"role": "user", "content": "This is a test"}], "optional_params": {"user": "u2"}}, "response_obj": {"id": "chatcmpl-e", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi!"}}], "usage": {"prompt_tokens": 10, "completion_tokens": 20}}, "start_time": "2024-08-12 15:52:03", "end_time": "2024-08-12 15:52:04", "spend_log_metadata": {"user_api_key": "88dc", "user_api_key_team_id": "t"}, "response_cost": 0.1}  # fmt: skip
KONG = {"request": {"uri": "/v1/chat/completions", "method": "POST", "size": 323}, "response": {"status": 200, "size": 900}, "latencies": {"proxy": 1197}, "started_at": 1787113201719, "ai": {"proxy": {"usage": {"prompt_tokens": 14}, "meta": {"request_model": "m"}}}}  # fmt: skip

NAMED = {
    "console with shell text": ("sglang_engine_log", FAILED * 3 + SHELL + "Создай файлы на каждой ноде\n"),
    "engine lines far behind shell text": ("sglang_engine_log", "mkdir -p /opt/x\n" * 70 + FAILED * 3),
    "engine lines far behind an answer": ("sglang_engine_log", "$ curl … | jq\n" + json.dumps({"object": "chat.completion", "choices": [{"text": str(place)} for place in range(40)]}, indent=2) + "\n" + FAILED * 3),
    "all three ranks": ("sglang_engine_log", "[2025-10-15 14:44:32 DP14 TP14 EP14] Prefill batch. #new-seq: 2, #new-token: 68, #cached-token: 0, token usage: 0.01, \n" * 2),
    "a notebook's indent": ("sglang_engine_log", f"```\nprint(x)\n```\n\n    [2026-03-04 15:13:22] {BATCH}\n\n\n    [2026-03-04 15:13:23] {BATCH}\n"),
    "docker compose": ("sglang_engine_log", f"sglang-1  | [2026-03-04 15:13:22 TP0] {BATCH}\n" * 2),
    "a runtime's stamp": ("sglang_engine_log", f"2026-08-11T10:22:01.123456789Z [2026-08-11 10:22:01 DP3 TP12] {BATCH}\n" * 2),
    "router": ("router_smg", ROUTER),
    "a span around the router's lines": ("router_smg", SPAN),
    "an engine within dynamo": ("dynamo_log", WITHIN_DYNAMO),
    "vllm": ("vllm_request_log", VLLM),
    "vllm, stamps configured": ("vllm_request_log", VLLM_STAMPED),
    "vllm behind a stamp": ("vllm_request_log", "2025-04-06T07:55:21.108632509Z INFO 04-06 00:55:21 [llm_engine.py:447] init engine took 71.33 seconds\n" * 2),
    "litellm, one document": ("litellm_payload", json.dumps(PAYLOAD, indent=4)),
    "litellm spend, one document": ("litellm_spend_logs", json.dumps(SPEND, indent=4)),
    "envoy ai gateway": ("envoy_access", json.dumps(GATEWAY, indent=2)),
    "bedrock without a version": ("bedrock_invocation", json.dumps(BEDROCK, indent=2)),
    "router of 2024": ("router_smg", ROUTER_2024),
    "router of 2025-07": ("router_smg", ROUTER_2025),
    "litellm's console as json": ("litellm_proxy_log", LITELLM_JSON),
    "litellm's own errors": ("litellm_proxy_log", 'LiteLLM.LoggingError: [Non-Blocking] Exception occurred while success logging Traceback (most recent call last):\n  File "/usr/lib/site-packages/litellm/x.py", line 1\n'),
    "litellm's first objects in gcs": ("litellm_gcs", json.dumps(GCS, indent=2)),
    "a head above a body": ("openai_response", 'HTTP/1.1 200 OK\nserver: uvicorn\n\n{\n  "object": "chat.completion",\n  "choices": []\n}\n'),
    "vllm within ray": ("vllm_request_log", "INFO 2025-07-18 09:58:20,617 serve 42382 -- Application 'default' is ready.\n(ServeReplica:default:LLM pid=42953) INFO 07-18 10:00:24 [async_llm.py:270] Added request chatcmpl-e7.\n"),
    "k9s": ("dynamo_log", "┌──── Logs(dynamo/frontend:main)[tail] ────┐\n│   Autoscroll:On   Wrap:Off   │\n" + "│ 2026-02-27T14:47:21.385061Z  INFO dynamo_llm::kv_router::scheduler: Selected worker: worker_id=70 dp_rank=0, logit: 14.031, cached blocks: 0     │\n" * 3),
    "kubectl": ("sglang_engine_log", f'$ kubectl logs decode-0 --tail=2\nDefaulted container "main" out of: main, init (init)\n[2026-03-04 15:13:22 TP0] {BATCH}\n[2026-03-04 15:13:23] INFO:     10.0.0.1:33 - "POST /generate HTTP/1.1" 200 OK\n'),
    "vllm's processes within processes": ("vllm_request_log", "ms-pd-prefill-qx vllm (APIServer pid=1) (EngineCore_DP0 pid=72) INFO 12-07 22:10:36 [kv_cache_utils.py:1000] GPU KV cache size: 402,128 tokens\n" * 2),
    "langfuse's trace with all of it": ("langfuse_observation", json.dumps({"id": "t1", "timestamp": "2024-05-20T10:00:00.000Z", "name": "x", "sessionId": "s", "userId": "u", "observations": [{"id": "o1", "traceId": "t1", "type": "GENERATION", "startTime": "2024-05-20T10:00:00.000Z"}]}, indent=2)),
    "a batch without method and url": ("openai_batch_input", json.dumps({"custom_id": "r1", "body": {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}}) + "\n"),
    "otlp example": ("otlp_genai", json.dumps(SPANS, indent=2)),
}  # fmt: skip

UNKNOWN = {
    "uvicorn alone": 'INFO:     127.0.0.1:52532 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n',
    "llama.cpp": "llama_print_timings:        load time =    1957.32 ms\n" * 3,
    "a platform's own prefix": f"2026-09-27T00:15:24.123Z 5ylyr21v-rhkt6 INFO TP0] {BATCH}\n" * 2,
    "engine lines without a stamp": f"TP0] {BATCH}\n" * 3,
    "a traceback": '# prefill pod\nTraceback (most recent call last):\n  File "/sgl/conn.py", line 1153, in transfer_worker\nRuntimeError: PD\n',
    "python's repr of an answer": "{'id': 'chatcmpl-1', 'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': 'x'}}]}\n",
    "text generation inference": '2025-05-01T01:31:02.842858Z  INFO text_generation_router::server: router/src/server.rs:2266: Connected\n2025-05-01T01:31:12.842858Z  INFO generate{parameters=GenerateParameters { best_of: None } total_time="1.2s"}: text_generation_router::server: router/src/server.rs:513: Success\n',
    "a web service in rust": "2025-07-31T21:42:46.123456Z  INFO http_request{method=GET uri=/api/users}: app::web: src/web.rs:10: started processing request\n2025-07-31T21:42:46Z DEBUG axum::router: src/router.rs:2: matched\n",
    "mlc": "[2024-02-27 08:10:41] INFO auto_device.py:76: Found device: cuda:0\n[2024-02-27 08:10:42] INFO engine.py:204: Estimated KVCacheConfig 17566.\n",
    "laravel": '[2024-06-12 12:34:56] local.ERROR: Connection refused {"exception":"[object] (QueryException(code: 2002))"}\n[2024-06-12 12:35:01] production.INFO: POST /v1/chat/completions {"user":4}\n',
    "deepspeed": "[2024-01-01 10:00:00,123] [INFO] [comm.py:637:init_distributed] cdb=None\n" * 2,
    "a stamp in brackets": "[2024-06-12 12:34:56] user 5 logged in\n" * 3,
    "ray serve": "INFO 2024-11-18 01:46:34,210 default_VLLMDeployment ujj4 replica.py:893 - Started initializing replica.\n(ServeReplica:default:LLM pid=42953) INFO 2025-07-18 09:58:20,002 default_LLM xwbq d015 -- CALL llm_config OK 2.7ms\n",
    "kong": json.dumps(KONG) + "\n",
    "json of some console": json.dumps(
        {"message": "user logged in", "level": "INFO", "timestamp": "2025-06-10T12:00:00"}
    )
    + "\n",
    "a program that calls litellm": 'Traceback (most recent call last):\n  File "/usr/lib/site-packages/litellm/main.py", line 3\n  File "/app/agent.py", line 10\n    litellm.completion(model="x")\n',
    "an api's answer without an error": json.dumps({"data": [{"name": "x"}], "error": None}) + "\n",
    "another answer without an error": json.dumps({"success": True, "error": None, "result": {"a": 1}}) + "\n",
    "lmcache": "[2025-08-21 08:29:02,956] LMCache INFO: ZMQ proxy server started on 127.0.0.1:7500\n" * 2,
    "a list of answers": json.dumps(
        {"object": "list", "data": [{"object": "chat.completion", "id": "c", "choices": []}]}, indent=2
    ),
    "a level, a stamp and words": "INFO 2024-01-01 10:00:00 worker started\nERROR 2024-01-01 10:00:01 boom\n",
    "a stamp, a level and a module": "2024-06-12T12:34:56.123Z  INFO app.main: started\n" * 2,
    "a training's configuration": json.dumps({"model_path": "/x", "lr": 0.1}, indent=2),
    "a row of an evaluation": json.dumps({"model": "m", "prompt": "x", "completion": "y", "score": 1}) + "\n",
    "a trace of lengths": '{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2]}\n' * 2,
    "a table of lengths": "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n",
}


@pytest.mark.parametrize("name", NAMED)
def test_a_real_shape_is_named(name: str) -> None:
    form, text = NAMED[name]
    assert detect(text.encode(), "paste.txt", FORMATS).form.name == form


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_shape_of_nobody_we_know_is_not_guessed(name: str) -> None:
    with pytest.raises(ForensicsError, match="not recognised"):
        detect(UNKNOWN[name].encode(), "paste.txt", FORMATS)


def test_kserve_logs_vllms_requests_behind_its_own_prefix(tmp_path: Path) -> None:
    received = f"2026-05-14 17:45:10.901 1647689 kserve.trace Received request chatcmpl-017e: prompt: '<|im_start|>user\\nWhat’s this?', {PARAMS}\n"
    added = "INFO 05-14 17:45:10 [async_llm_engine.py:211] Added request chatcmpl-017e.\n"
    case, report = take(tmp_path, received + added * 2)
    assert (report.problems, report.files[0].rejected) == ([], {})
    first = records(case)[0]
    assert (first["response_id"], first["at_ns"]) == ("chatcmpl-017e", 1778780710901000000)
    assert [part[6] for part in told(case)] == ["<|im_start|>user\nWhat’s this?"]


def test_the_web_servers_lines_between_vllms_are_its_own(tmp_path: Path) -> None:
    case, report = take(tmp_path, VLLM + VLLM_STAMPED)
    assert report.problems == []
    assert report.files[0].rejected == {}
    found = [(each["kind"], each["http_status"]) for each in records(case)]
    assert found.count(("access", 200)) == 3
    assert [each["at_ns"] for each in records(case)][-1] == 1784068670935000000


def test_vllm_wrote_its_module_without_a_bracket_until_2025(tmp_path: Path) -> None:
    received = (
        "INFO 05-22 02:20:59 async_llm_engine.py:524] Received request 1039: prompt: 'Tell me\\n', "
        "sampling_params: SamplingParams(n=1, stop=[]), prompt_token_ids: None, lora_request: None.\n"
    )
    case, report = take(
        tmp_path, received + "INFO 05-22 02:21:30 async_llm_engine.py:120] Finished request 1039.\n" * 2
    )
    assert (report.problems, report.files[0].rejected) == ([], {})
    assert records(case)[0]["rid"] == "1039"
    assert [part[6] for part in told(case)] == ["Tell me\n"]


def test_a_request_beside_a_response_is_a_call_only_if_either_speaks_of_a_model(tmp_path: Path) -> None:
    web = {"request": {"uri": "/chat", "method": "POST"}, "response": {"status": 200}}
    _, report = take(tmp_path, json.dumps(web) + "\n")
    assert "holds no record of format openai_exchange (1 not_this_format)" in str(report.problems[0])


def test_an_engines_limits_are_read_within_dynamo(tmp_path: Path) -> None:
    case, report = take(tmp_path, WITHIN_DYNAMO)
    assert report.files[0].rejected == {"foreign_line": 1}
    (found,) = [each for each in records(case) if each["kind"] == "limits"]
    assert (found["pool_tokens"], found["context_tokens"], found["engine"]) == (360072, 65536, "sglang")
    assert found["at_ns"] == 1770731430199229000


def test_the_router_of_2024_writes_local_time(tmp_path: Path) -> None:
    case, report = take(tmp_path, ROUTER_2024, declared=UTC.replace('"UTC"', '"America/New_York"'))
    assert report.files[0].rejected == {}
    assert [each["at_ns"] // 10**9 for each in records(case)] == [1732588113, 1732588180, 1732588210]
    assert [each["kind"] for each in records(case)] == ["note", "topology", "note"]


def test_the_router_of_2025_names_units_and_quotes_nothing(tmp_path: Path) -> None:
    case, _ = take(tmp_path, ROUTER_2025.replace("21:42:47", "21:42:47.500"))
    began, ended, failed = records(case)
    assert {began["router_request_id"], ended["router_request_id"]} == {"req-H"}
    assert (ended["http_status"], ended["outcome"]) == (200, "ok")
    assert ended["finished_ns"] - ended["received_ns"] == 812489607
    assert (failed["http_status"], failed["outcome"], failed["worker_address"]) == (None, "error", "10.1.0.4:31000")


def test_litellms_console_as_json(tmp_path: Path) -> None:
    case, report = take(tmp_path, LITELLM_JSON)
    assert report.files[0].rejected == {}
    failed, access, routed = records(case)
    assert failed["error_text"].startswith("litellm.proxy")
    assert (access["kind"], access["http_status"]) == ("access", 200)
    assert (routed["kind"], routed["error_text"]) == ("note", None)
    assert [each["at_ns"] % 10**9 for each in (failed, access, routed)] == [123456000] * 3


def test_litellms_first_objects_in_gcs_are_calls(tmp_path: Path) -> None:
    failed = {"request_kwargs": {"model": "n", "messages": [{"role": "user", "content": "Hello"}]}, "response_obj": {}, "start_time": "2024-08-14 08:36:30", "spend_log_metadata": '{"user_api_key": "88dc"}', "exception": "litellm.BadRequestError", "log_event_type": "failed_api_call"}  # fmt: skip
    case, report = take(tmp_path, f"{json.dumps(GCS)}\n{json.dumps(failed)}\n")
    assert report.problems == []
    first, second = records(case)
    assert (first["response_id"], first["outcome"], first["prompt_tokens"], first["completion_tokens"]) == (
        "chatcmpl-e",
        "ok",
        10,
        20,
    )
    assert first["at_ns"] == 1723477923000000000
    assert (second["response_id"], second["outcome"], second["response_state"]) == (None, "error", "absent")
    assert {each["identity"]["metadata"]["user_api_key_hash"] for each in (first, second)} == {"88dc"}
    assert [(part[0], part[6]) for part in told(case)] == [
        ("prompt", "This is a test"),
        ("response", "Hi!"),
        ("prompt", "Hello"),
    ]


def test_what_vllm_calls_none_is_not_known(tmp_path: Path) -> None:
    lines = (
        f"INFO 07-18 10:00:24 [logger.py:43] Received request a: prompt: 'Hi', {PARAMS[:-1]}, prompt_token_ids: None, prompt_embeds shape: None.\n"
        f"INFO 07-18 10:00:25 [logger.py:43] Received request b: prompt: None, {PARAMS[:-1]}, prompt_token_ids: [1, 2, 3].\n"
        "INFO 07-18 10:00:26 [logger.py:90] Generated response b: output: None, output_token_ids: None, finish_reason: abort\n"
    )
    case, report = take(tmp_path, lines)
    assert report.files[0].rejected == {}
    told_of = [
        (each["prompt_tokens"], each["completion_tokens"], each["prompt_state"], each["response_state"])
        for each in records(case)
    ]
    assert told_of == [
        (None, None, "complete", "absent"),
        (3, None, "token_ids", "absent"),
        (None, None, "absent", "absent"),
    ]
    assert [part[6] for part in told(case)] == ["Hi"]


@pytest.mark.parametrize(
    ("texts", "wrap"),
    [
        (["Paris", "Paris is", "Paris is nice."], "data: {}\n\n"),
        (["Paris", "Paris is", "Paris is nice."], "{}\n"),
        (["Paris", " is", " nice."], "data: {}\n\n"),
        (["Par\ufffd", "Paris is", "Paris is nice."], "{}\n"),
        (["", "Paris is nice.", "Paris is nice."], "data: {}\n\n"),
    ],
)
def test_generate_streams_one_answer_however_its_pieces_are_cut(texts: list[str], wrap: str, tmp_path: Path) -> None:
    ends = [None, None, {"type": "stop", "matched": 2}]
    pieces = [
        {"text": text, "meta_info": {"id": "g1", "finish_reason": end, "prompt_tokens": 7, "completion_tokens": place}}
        for place, (text, end) in enumerate(zip(texts, ends, strict=True), 1)
    ]
    case, report = take(tmp_path, "".join(wrap.format(json.dumps(piece)) for piece in pieces))
    assert (report.problems, report.files[0].format) == ([], "sse_stream")
    (found,) = records(case)
    assert (found["response_id"], found["completion_tokens"], found["response_state"]) == ("g1", 3, "complete")
    assert [part[6] for part in told(case)] == ["Paris is nice."]


def test_the_frame_of_a_window_is_taken_off(tmp_path: Path) -> None:
    case, report = take(tmp_path, NAMED["k9s"][1])
    assert report.files[0].rejected == {"foreign_line": 2}
    assert {each["detail"]["cached_blocks"] for each in records(case)} == {"0"}


def test_the_routers_statistics_of_a_request(tmp_path: Path) -> None:
    line = "2026-03-13 20:38:56 DEBUG smg::observability::events: src/events.rs:207: request_stats request_id=chatcmpl-0 model=m router_backend=regular engine=sglang cache_hit_rate=0.9 prompt_tokens=42 completion_tokens=908 cached_tokens=41\n"
    case, _ = take(tmp_path, line * 2)
    first = records(case)[0]
    assert (first["router_request_id"], first["model"]) == ("chatcmpl-0", "m")
    assert (first["prompt_tokens"], first["cached_tokens"], first["completion_tokens"]) == (42, 41, 908)


@pytest.mark.parametrize(
    "events",
    [
        'event: notification\ndata: {"user": 4, "text_id": "x"}\n\ndata: {"user": 5}\n\n',
        'data:{"index":1,"token":{"id":1,"text":" a","special":false},"generated_text":null}\n\n' * 2,
    ],
)
def test_events_of_another_kind_are_no_answer(events: str, tmp_path: Path) -> None:
    _, report = take(tmp_path, events)
    assert "holds no record of format sse_stream (1 not_this_format)" in str(report.problems[0])
