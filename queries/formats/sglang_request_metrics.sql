-- question: what does each record of SGLang's request-metrics export (--export-metrics-to-file) say?
-- grain: one row per finished request
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: json lines
-- keys: request_parameters
-- evidence: JSON lines with request_parameters beside meta_info keys
-- where from: SGLang with --export-metrics-to-file: sglang-request-metrics-YYYYMMDD_HH.log
-- assumptions: request_parameters is JSON inside a string. All stamps are epoch seconds. Response text is never there; prompt
--   text only at log level 2 and above. Without --enable-metrics there is only response_sent_to_client_ts, the first byte's
--   time: for an answer of one token (every prefill) that is its end. Source: srt/observability/request_metrics_exporter.py (formats.md A4)
-- cannot say: answers, tenants; prompts, unless --log-requests was off or at level 2 and above
-- traps: prefill and decode each write one: the prefill's prompt_tokens of an over-pool request is 1
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r, cast(raw AS JSON) ->> 'request_parameters' AS inner_text
    FROM raw
),
named AS (
    SELECT byte_offset, item, r, r -> 'finish_reason' AS finish,
           CASE WHEN json_valid(inner_text) THEN cast(inner_text AS JSON) ELSE cast('{}' AS JSON) END AS p,
           epoch_ns_of(r ->> 'request_received_ts') AS received_ns, epoch_ns_of(r ->> 'request_finished_ts') AS finished_ns,
           CASE
               WHEN try_cast(r ->> 'completion_tokens' AS BIGINT) <= 1 THEN epoch_ns_of(r ->> 'response_sent_to_client_ts')
           END AS sent_ns
    FROM given
)
SELECT
    byte_offset, item,
    CASE WHEN (r ->> 'id') LIKE 'HEALTH_CHECK%' OR lone(p -> 'bootstrap_room') = '0' THEN 'warmup' ELSE 'engine' END AS kind,
    'whole' AS phase,
    coalesce(finished_ns, received_ns, epoch_ns_of(r ->> 'response_sent_to_client_ts')) AS at_ns,
    coalesce(received_ns, try(sent_ns - duration_ns(r ->> 'e2e_latency'))) AS received_ns,
    try(received_ns + duration_ns(r ->> 'first_token_latency')) AS first_token_ns,
    coalesce(finished_ns, sent_ns) AS finished_ns,
    coalesce(lone(r -> 'id'), lone(p -> 'rid')) AS rid,
    lone(p -> 'bootstrap_room') AS room,
    try_cast(coalesce(r ->> 'dp_rank', p ->> 'routed_dp_rank') AS INTEGER) AS dp_rank,
    lone(p -> 'bootstrap_host') AS bootstrap_host,
    lone(p -> 'bootstrap_port') AS bootstrap_port,
    'sglang' AS engine,
    try_cast(r ->> 'prompt_tokens' AS BIGINT) AS prompt_tokens,
    try_cast(r ->> 'cached_tokens' AS BIGINT) AS cached_tokens,
    try_cast(r ->> 'completion_tokens' AS BIGINT) AS completion_tokens,
    try_cast(finish ->> 'status_code' AS INTEGER) AS http_status,
    CASE
        WHEN (finish ->> 'type') = 'abort' AND (finish ->> 'status_code') IS NOT NULL THEN 'error'
        WHEN (finish ->> 'type') = 'abort' THEN 'aborted'
        ELSE 'ok'
    END AS outcome,
    finish ->> 'type' AS finish_type,
    try_cast(finish ->> 'length' AS BIGINT) AS finish_length,
    finish ->> 'message' AS error_text,
    try_cast(p ->> 'stream' AS BOOLEAN) AS streamed,
    CASE
        WHEN json_type(p -> 'text') = 'VARCHAR' THEN NULL
        WHEN json_type(p -> 'input_ids') = 'ARRAY' THEN 'token_ids'
        ELSE 'absent'
    END AS prompt_state,
    'absent' AS response_state,
    json_object(
        'custom_labels', p -> 'custom_labels', 'routing_key', p -> 'routing_key', 'session_id', p -> 'session_id',
        'extra_key', p -> 'extra_key', 'cache_salt', p -> 'cache_salt'
    ) AS identity,
    json_object(
        'e2e_latency_s', r ->> 'e2e_latency', 'queue_time_s', r ->> 'queue_time',
        'response_sent_to_client_ts', r ->> 'response_sent_to_client_ts', 'num_retractions', r ->> 'num_retractions'
    ) AS detail,
    text_of(p -> 'text') AS prompt_text,
    CASE WHEN (r ->> 'id') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
