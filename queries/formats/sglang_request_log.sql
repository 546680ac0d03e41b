-- question: what does each record of SGLang's request log (--log-requests, levels 0 to 3) say?
-- grain: one row per record: request.received, request.finished, request.received.openai
-- inputs: raw (line, byte_offset, item, raw): JSON objects; text records were turned into the same JSON by framing
-- framing: sglang
-- detect: ^(?:\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?\] ?)?(?:\{"timestamp": ?"[^"]*", ?"event": ?"request\.|(?:Receive|Receive OpenAI|Finish): obj=)
-- evidence: request.received and request.finished records, or Receive: and Finish: lines
-- assumptions: timestamp is local time; *_ts of meta_info are epoch seconds. Prompt text stands on the finished record and only
--   from level 2 on, rendered by the chat template; input_ids alone are `token_ids`. Level 2 cuts strings to 1024 + 1024
--   characters around "..." in JSON, and to two quoted halves in text. Lists of ids in batches name no single request.
--   finish_reason abort with a status code is the engine's error; without one the client or a timeout ended it.
--   Shapes: srt/utils/request_logger.py, managers/io_struct.py; copied out in formats.md A2
-- false positives: rid and bootstrap_room may be set by the caller
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) -> 'obj' AS obj, cast(raw AS JSON) -> 'out' AS o,
           cast(raw AS JSON) -> '$.out.meta_info' AS meta
    FROM raw
),
named AS (
    SELECT *, r ->> 'event' AS event,
           coalesce(lone(r -> 'rid'), lone(obj -> 'rid'), lone(meta -> 'id')) AS rid,
           lone(obj -> 'bootstrap_room') AS room,
           epoch_ns_of(meta ->> 'request_received_ts') AS received_ns,
           meta -> 'finish_reason' AS finish
    FROM given
)
SELECT
    byte_offset, item,
    CASE
        WHEN event = 'request.received.openai' THEN 'openai'
        WHEN event IN ('request.received', 'request.finished') AND (rid LIKE 'HEALTH_CHECK%' OR room = '0') THEN 'warmup'
        WHEN event IN ('request.received', 'request.finished') THEN 'engine'
        ELSE 'note'
    END AS kind,
    CASE event WHEN 'request.finished' THEN 'finished' WHEN 'request.received' THEN 'received'
               WHEN 'request.received.openai' THEN 'received' END AS phase,
    stamp_ns(r ->> 'timestamp') AS at_ns,
    (r ->> 'timestamp') IS NOT NULL AS at_is_local,
    received_ns,
    CASE WHEN event = 'request.finished' THEN duration_ns(meta ->> 'e2e_latency') END
        AS latency_ns,
    received_ns + duration_ns(meta ->> 'first_token_latency') AS first_token_ns,
    epoch_ns_of(meta ->> 'request_finished_ts') AS finished_ns,
    CASE WHEN event <> 'request.received.openai' THEN rid ELSE lone(obj -> 'rid') END AS rid,
    room,
    try_cast(coalesce(meta ->> 'dp_rank', obj ->> 'routed_dp_rank', obj ->> 'data_parallel_rank') AS INTEGER) AS dp_rank,
    lone(obj -> 'bootstrap_host') AS bootstrap_host,
    lone(obj -> 'bootstrap_port') AS bootstrap_port,
    text_of(obj -> 'model') AS model,
    'sglang' AS engine,
    try_cast(meta ->> 'prompt_tokens' AS BIGINT) AS prompt_tokens,
    try_cast(meta ->> 'cached_tokens' AS BIGINT) AS cached_tokens,
    try_cast(meta ->> 'completion_tokens' AS BIGINT) AS completion_tokens,
    try_cast(finish ->> 'status_code' AS INTEGER) AS http_status,
    CASE
        WHEN event <> 'request.finished' THEN NULL
        WHEN (finish ->> 'type') = 'abort' AND (finish ->> 'status_code') IS NOT NULL THEN 'error'
        WHEN (finish ->> 'type') = 'abort' THEN 'aborted'
        ELSE 'ok'
    END AS outcome,
    finish ->> 'type' AS finish_type,
    try_cast(finish ->> 'length' AS BIGINT) AS finish_length,
    finish ->> 'message' AS error_text,
    try_cast(obj ->> 'stream' AS BOOLEAN) AS streamed,
    CASE
        WHEN event = 'request.received.openai' OR json_type(obj -> 'text') IN ('VARCHAR', 'OBJECT') THEN NULL
        WHEN json_type(obj -> 'input_ids') = 'ARRAY' THEN 'token_ids'
        ELSE 'absent'
    END AS prompt_state,
    CASE
        WHEN event <> 'request.finished' THEN 'absent'
        WHEN json_type(o -> 'text') IN ('VARCHAR', 'OBJECT') THEN NULL
        WHEN json_type(o -> 'output_ids') = 'ARRAY' THEN 'token_ids'
        ELSE 'absent'
    END AS response_state,
    json_object(
        'headers', r -> 'headers', 'custom_labels', obj -> 'custom_labels', 'routing_key', obj -> 'routing_key',
        'session_id', obj -> 'session_id', 'conversation_id', obj -> 'conversation_id', 'extra_key', obj -> 'extra_key',
        'cache_salt', obj -> 'cache_salt', 'user', obj -> 'user', 'metadata', obj -> 'metadata'
    ) AS identity,
    json_object(
        'event', event, 'e2e_latency_s', meta ->> 'e2e_latency', 'queue_time_s', meta ->> 'queue_time',
        'response_sent_to_client_ts', meta ->> 'response_sent_to_client_ts', 'num_retractions', meta ->> 'num_retractions',
        'rids', CASE WHEN json_array_length(r -> 'rid') > 1 THEN r -> 'rid' END
    ) AS detail,
    CASE WHEN event = 'request.received.openai' THEN obj -> 'messages' END AS prompt_messages,
    CASE
        WHEN event = 'request.received.openai' THEN text_of(obj -> 'prompt')
        ELSE coalesce(text_of(obj -> 'text'), obj ->> '$.text.head')
    END AS prompt_text,
    CASE WHEN event <> 'request.received.openai' THEN obj ->> '$.text.tail' END AS prompt_tail,
    coalesce(text_of(o -> 'text'), o ->> '$.text.head') AS response_text,
    o ->> '$.text.tail' AS response_tail,
    TRUE AS cuts_middle,
    CASE WHEN event IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
