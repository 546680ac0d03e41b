-- question: what does each record of SGLang's request log (--log-requests, levels 0 to 3) say?
-- grain: one row per record: request.received, request.finished, request.received.openai
-- inputs: raw (line, byte_offset, item, raw): JSON objects; text records were turned into the same JSON by framing
-- framing: sglang
-- detect: ^(?:\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?\] ?)?(?:\{"timestamp": ?"[^"]*", ?"event": ?"request\.|(?:Receive|Receive OpenAI|Finish): obj=)
-- evidence: request.received and request.finished records, or Receive: and Finish: lines
-- where from: SGLang with --log-requests: standard output, or <hostname>_<rank>.log below --log-requests-target, rotated
--   hourly; or its request dumps, which framing turns into the same records
-- assumptions: timestamp is local time (a dump's ends in Z and is UTC); *_ts of meta_info are epoch seconds. Prompt text stands
--   on the finished record and only
--   from level 2 on, rendered by the chat template; input_ids alone are `token_ids`. Level 2 cuts strings to 1024 + 1024
--   characters around "..." in JSON, and to two quoted halves in text. Lists of ids in batches name no single request.
--   finish_reason abort with a status code is the engine's error; without one the client or a timeout ended it.
--   Shapes: srt/utils/request_logger.py, managers/io_struct.py; copied out in formats.md A2
-- cannot say: tenants, unless a header was whitelisted or the body carried labels; texts at levels 0 and 1; HTTP status
-- traps: chat requests are received with token ids only, their text stands on the finished record. request.received.openai
--   has messages but no rid. Up to 0.5.11 text lines have no stamp at all; from 0.5.12 on a stamp stands before the JSON.
--   SGLANG_LOG_REQUEST_EXCEEDED_MS drops fast requests
-- false positives: rid and bootstrap_room may be set by the caller
WITH taken AS MATERIALIZED (
    -- One pass over the JSON: texts and token ids are long, and each extraction by itself would read them again.
    SELECT
        byte_offset, item,
        json_extract(raw, [
            '$.event', '$.timestamp', '$.rid', '$.headers', '$.out.meta_info', '$.obj.rid', '$.obj.bootstrap_room',
            '$.obj.bootstrap_host', '$.obj.bootstrap_port', '$.obj.model', '$.obj.stream', '$.obj.routed_dp_rank',
            '$.obj.data_parallel_rank', '$.obj.custom_labels', '$.obj.routing_key', '$.obj.session_id', '$.obj.conversation_id',
            '$.obj.extra_key', '$.obj.cache_salt', '$.obj.user', '$.obj.metadata', '$.obj.messages', '$.obj.prompt',
            '$.obj.text', '$.out.text'
        ]) AS f,
        json_type(raw, ['$.obj.input_ids', '$.out.output_ids']) AS ids
    FROM raw
),
named AS MATERIALIZED (
    SELECT
        byte_offset, item, f[1] ->> '$' AS event, f[2] ->> '$' AS stamp,
        coalesce(lone(f[3]), lone(f[6]), lone(f[5] -> 'id')) AS rid, lone(f[6]) AS body_rid,
        CASE WHEN json_array_length(f[3]) > 1 THEN f[3] END AS rids, f[4] AS headers, f[5] AS meta,
        f[5] -> 'finish_reason' AS finish, lone(f[7]) AS room, lone(f[8]) AS bootstrap_host, lone(f[9]) AS bootstrap_port,
        text_of(f[10]) AS model, f[11] ->> '$' AS stream, coalesce(f[12] ->> '$', f[13] ->> '$') AS asked_rank,
        f[14] AS custom_labels, f[15] AS routing_key, f[16] AS session_id, f[17] AS conversation_id, f[18] AS extra_key,
        f[19] AS cache_salt, f[20] AS caller, f[21] AS metadata, f[22] AS messages, f[23] AS prompt, f[24] AS asked,
        f[25] AS answered, ids[1] AS input_ids, ids[2] AS output_ids,
        epoch_ns_of(f[5] ->> 'request_received_ts') AS received_ns
    FROM taken
)
SELECT
    byte_offset, item,
    CASE
        WHEN event = 'request.received.openai' THEN 'openai'
        WHEN event IN ('request.received', 'request.finished') AND (rid LIKE 'HEALTH_CHECK%' OR room = '0') THEN 'warmup'
        WHEN event IN ('request.received', 'request.finished') THEN 'engine'
        ELSE 'note'
    END AS kind,
    CASE event
        WHEN 'request.finished' THEN 'finished'
        WHEN 'request.received' THEN 'received'
        WHEN 'request.received.openai' THEN 'received'
    END AS phase,
    stamp_ns(stamp) AS at_ns,
    stamp NOT LIKE '%Z' AS at_is_local,
    received_ns,
    CASE WHEN event = 'request.finished' THEN duration_ns(meta ->> 'e2e_latency') END AS latency_ns,
    try(received_ns + duration_ns(meta ->> 'first_token_latency')) AS first_token_ns,
    epoch_ns_of(meta ->> 'request_finished_ts') AS finished_ns,
    CASE WHEN event <> 'request.received.openai' THEN rid ELSE body_rid END AS rid,
    room,
    try_cast(coalesce(meta ->> 'dp_rank', asked_rank) AS INTEGER) AS dp_rank,
    bootstrap_host, bootstrap_port, model,
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
    try_cast(stream AS BOOLEAN) AS streamed,
    CASE
        WHEN event = 'request.received.openai' OR json_type(asked) IN ('VARCHAR', 'OBJECT') THEN NULL
        WHEN input_ids = 'ARRAY' THEN 'token_ids'
        ELSE 'absent'
    END AS prompt_state,
    CASE
        WHEN event <> 'request.finished' THEN 'absent'
        WHEN json_type(answered) IN ('VARCHAR', 'OBJECT') THEN NULL
        WHEN output_ids = 'ARRAY' THEN 'token_ids'
        ELSE 'absent'
    END AS response_state,
    json_object(
        'headers', headers, 'custom_labels', custom_labels, 'routing_key', routing_key, 'session_id', session_id,
        'conversation_id', conversation_id, 'extra_key', extra_key, 'cache_salt', cache_salt, 'user', caller,
        'metadata', metadata
    ) AS identity,
    json_object(
        'event', event, 'e2e_latency_s', meta ->> 'e2e_latency', 'queue_time_s', meta ->> 'queue_time',
        'response_sent_to_client_ts', meta ->> 'response_sent_to_client_ts', 'num_retractions', meta ->> 'num_retractions',
        'rids', rids
    ) AS detail,
    CASE WHEN event = 'request.received.openai' THEN messages END AS prompt_messages,
    CASE
        WHEN event = 'request.received.openai' THEN text_of(prompt)
        ELSE coalesce(text_of(asked), asked ->> 'head')
    END AS prompt_text,
    CASE WHEN event <> 'request.received.openai' THEN asked ->> 'tail' END AS prompt_tail,
    coalesce(text_of(answered), answered ->> 'head') AS response_text,
    answered ->> 'tail' AS response_tail,
    TRUE AS cuts_middle,
    CASE WHEN event IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
