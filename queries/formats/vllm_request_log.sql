-- question: what does each line of vLLM's request log say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): JSON objects made by framing: stamp, event, id, and the line's fields
-- framing: vllm
-- detect: ^(?:\([^()]*\) )*(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d (?:\[[\w./-]+:\d+\]|[\w./-]+:\d+\]) |^\{"asctime"|^(?:\([^()]*pid=\d+\) )+(?:\[[\d :,.-]+\] )?INFO: {2,}
-- evidence: vLLM's LEVEL MM-DD HH:MM:SS [file:line] prefix, or its process before uvicorn's lines
-- where from: standard output of vLLM's API server and engine with --enable-log-requests and --enable-log-outputs, as text
--   or by python-json-logger
-- assumptions: stamps are local and have no year, which is declared. A request is told by several lines (received, details,
--   generated, its token ids), each one record; their id is what the client saw as response id. No engine limits the prompt
--   here in the way that SGLang's prefill does. vLLM without kv_transfer_params serves prompt and answer on one node.
--   Shapes: vllm/entrypoints/serve/utils/request_logger.py (formats.md B1)
-- cannot say: tenants other than by cache_salt; which prefill and decode at INFO; prompts of newer versions below DEBUG
-- traps: dates have no year and are local. Ids of the engine end in 8 more hex digits, others on prefill than on decode.
--   --max-log-len cuts prompts without a mark. There is no line for a request's end unless outputs are logged
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) ->> 'event' AS event, cast(raw AS JSON) ->> 'message' AS message
    FROM raw
),
parsed AS (
    SELECT *,
           regexp_extract(
               message, 'GPU KV cache size: ([\d,]+) tokens(?:.*Maximum concurrency for ([\d,]+) tokens per request)?', ['pool', 'context']
           ) AS pool_line,
           regexp_extract(message, 'INFO: +(\S+) - "(\S+) (.*?) HTTP/[\d.]+" (\d{3})', ['peer', 'method', 'path', 'status']) AS reply,
           regexp_extract(
               message, '^Potentially invalid KV blocks for unrecognized request (\S+) were retrieved', 1
           ) AS stale,
           regexp_extract(message, '^Releasing expired KV blocks for request (\S+) which were retrieved', 1) AS expired
    FROM given
)
SELECT
    byte_offset, item,
    CASE
        WHEN event IN ('received', 'details', 'generated', 'body') THEN 'engine'
        WHEN event = 'delta' THEN 'note'
        WHEN pool_line.pool <> '' THEN 'limits'
        WHEN stale <> '' THEN 'detector'
        WHEN reply.status <> '' THEN 'access'
        WHEN message LIKE 'Engine %: Avg prompt throughput:%' THEN 'batch'
        ELSE 'note'
    END AS kind,
    CASE WHEN event IN ('received', 'details', 'body') THEN 'received' WHEN event = 'generated' THEN 'finished' END AS phase,
    CASE WHEN try_cast(r ->> 'has_year' AS BOOLEAN) THEN stamp_ns(r ->> 'stamp') END AS at_ns,
    (r ->> 'stamp') IS NOT NULL AS at_is_local,
    r ->> 'id' AS response_id,
    coalesce(r ->> 'id', nullif(stale, ''), nullif(expired, '')) AS rid,
    'unified' AS role,
    r ->> '$.body.model' AS model,
    'vllm' AS engine,
    CASE
        WHEN json_type(r -> 'prompt_token_ids') = 'ARRAY' AND NOT list_contains(json_extract_string(r, '$.prompt_token_ids[*]'), '...')
            THEN cast(json_array_length(r -> 'prompt_token_ids') AS BIGINT)
    END AS prompt_tokens,
    CASE
        WHEN json_type(r -> 'output_token_ids') = 'ARRAY' AND NOT list_contains(json_extract_string(r, '$.output_token_ids[*]'), '...')
            THEN cast(json_array_length(r -> 'output_token_ids') AS BIGINT)
    END AS completion_tokens,
    CASE WHEN event = 'generated' AND (r ->> 'finish_reason') = 'abort' THEN 'aborted' WHEN event = 'generated' THEN 'ok' END AS outcome,
    nullif(r ->> 'finish_reason', 'None') AS finish_type,
    try_cast(nullif(reply.status, '') AS INTEGER) AS http_status,
    CASE WHEN stale <> '' THEN message END AS error_text,
    try_cast(r ->> 'streamed' AS BOOLEAN) AS streamed,
    try_cast(nullif(replace(pool_line.pool, ',', ''), '') AS BIGINT) AS pool_tokens,
    try_cast(nullif(replace(pool_line.context, ',', ''), '') AS BIGINT) AS context_tokens,
    CASE
        WHEN (r -> 'prompt') IS NOT NULL AND json_type(r -> 'prompt') <> 'NULL' OR (r -> '$.body.messages') IS NOT NULL THEN NULL
        WHEN json_array_length(r -> 'prompt_token_ids') > 0 THEN 'token_ids'
        ELSE 'absent'
    END AS prompt_state,
    CASE
        WHEN json_type(r -> 'output') IN ('VARCHAR', 'OBJECT') THEN NULL
        WHEN json_array_length(r -> 'output_token_ids') > 0 THEN 'token_ids'
        ELSE 'absent'
    END AS response_state,
    json_object(
        'user', r -> '$.body.user', 'metadata', r -> '$.body.metadata', 'cache_salt', r -> '$.body.cache_salt',
        'lora_request', r -> 'lora_request'
    ) AS identity,
    json_object(
        'event', event, 'level', r ->> 'level', 'message', substr(message, 1, 2000),
        'kv_transfer_params', coalesce(contains(r ->> 'params', 'kv_transfer_params'), FALSE)
            OR (r -> '$.body.kv_transfer_params') IS NOT NULL
    ) AS detail,
    r -> '$.body.messages' AS prompt_messages,
    coalesce(text_of(r -> 'prompt'), r ->> '$.prompt.head', text_of(r -> '$.body.prompt')) AS prompt_text,
    r ->> '$.prompt.tail' AS prompt_tail,
    CASE WHEN event <> 'delta' THEN coalesce(text_of(r -> 'output'), r ->> '$.output.head') END AS response_text,
    r ->> '$.output.tail' AS response_tail
FROM parsed
