-- question: which limits and role does a worker state about itself?
-- grain: one row per document: /server_info (limits), /model_info (note), or the server_args line of an engine's log (start)
-- inputs: raw (line, byte_offset, item, raw): JSON objects
-- framing: document
-- keys: model_path, tokenizer_path | model_path, is_generation | model_path, served_model_name | model_path, disaggregation_mode
--   | model_path, max_total_num_tokens | model_path, internal_states
-- evidence: a JSON document with model_path and the server's arguments
-- where from: GET /server_info, /get_server_info or /get_model_info, saved by hand or by a deployment tool; the server_args
--   line of an engine's log
-- assumptions: /server_info has no time; it tells the limits at some moment between two starts. Its max_req_input_len is kept
--   in detail only, since it can ignore the pool (measured: 10,479 beside a pool of 6,812). disaggregation_mode "null" or
--   none means one node does both. API keys are never taken over. Shapes: formats.md A5
-- cannot say: history: it is the state at one unnamed moment. context_length is null unless set on the command line
-- traps: with data parallelism every rank has a pool of its own (detail.rank_pools). It holds the API key, which is not kept
WITH given AS (
    SELECT byte_offset, item, cast(raw AS JSON) AS r FROM raw
),
named AS (
    SELECT byte_offset, item, r, coalesce(r -> 'server_args', r) AS a, (r -> 'server_args') IS NOT NULL AS is_start,
           coalesce(
               try_cast(r ->> 'max_total_num_tokens' AS BIGINT),
               try_cast(r ->> '$.internal_states[0].memory_usage.token_capacity' AS BIGINT)
           ) AS pool
    FROM given
)
SELECT
    byte_offset, item,
    CASE WHEN is_start THEN 'start' WHEN pool IS NOT NULL THEN 'limits' ELSE 'note' END AS kind,
    stamp_ns(r ->> 'timestamp') AS at_ns,
    is_start AS at_is_local,
    CASE
        WHEN (a ->> 'disaggregation_mode') IN ('prefill', 'decode') THEN a ->> 'disaggregation_mode'
        WHEN (a ->> 'disaggregation_mode') = 'null' THEN 'unified'
    END AS role,
    (a ->> 'host') || ':' || (a ->> 'port') AS worker_address,
    CASE WHEN (a ->> 'disaggregation_mode') = 'prefill' THEN a ->> 'host' END AS bootstrap_host,
    CASE WHEN (a ->> 'disaggregation_mode') = 'prefill' THEN a ->> 'disaggregation_bootstrap_port' END AS bootstrap_port,
    coalesce(text_of(a -> 'served_model_name'), text_of(a -> 'model_path')) AS model,
    'sglang' AS engine,
    r ->> 'version' AS engine_version,
    pool AS pool_tokens,
    try_cast(a ->> 'context_length' AS BIGINT) AS context_tokens,
    try_cast(a ->> 'page_size' AS BIGINT) AS page_size,
    try_cast(a ->> 'allow_auto_truncate' AS BOOLEAN) AS auto_truncate,
    CASE
        WHEN (a ->> 'disaggregation_mode') IN ('prefill', 'decode') THEN a ->> 'disaggregation_mode'
        WHEN (a ->> 'disaggregation_mode') = 'null' THEN 'none'
    END AS disaggregation,
    json_object(
        'source', CASE WHEN is_start THEN 'server_args' ELSE 'server_info' END, 'max_req_input_len', r -> 'max_req_input_len',
        'max_total_tokens', a -> 'max_total_tokens', 'tp_size', a -> 'tp_size', 'dp_size', a -> 'dp_size',
        'load_balance_method', a -> 'load_balance_method', 'kv_checksum', a -> 'disaggregation_enable_kv_checksum',
        'kv_canary', a -> 'kv_canary', 'log_requests', a -> 'log_requests', 'log_requests_level', a -> 'log_requests_level',
        'time_stats', a -> 'enable_request_time_stats_logging', 'model_path', a -> 'model_path',
        'kv_cache_dtype', a -> 'kv_cache_dtype', 'disable_radix_cache', a -> 'disable_radix_cache',
        'transfer_backend', a -> 'disaggregation_transfer_backend',
        'rank_pools', json_extract(r, '$.internal_states[*].memory_usage.token_capacity')
    ) AS detail,
    CASE WHEN (a -> 'model_path') IS NULL THEN 'not_this_format' END AS reject_reason
FROM named
