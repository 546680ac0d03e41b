-- question: what does each running process say of itself since its last start?
-- grain: one row per saved /server_info answer, and one per engine log that holds a start
-- inputs: record, file
-- assumptions: a log file is one worker's. SGLang starts with its server_args line, or, where that is gone, with its limits
--   line; vLLM with its version line. Limits before the last start are of a process that is gone. The pool is the smallest of
--   all ranks. Where /server_info leaves context_length null (it was not set on the command line), max_req_input_len says it:
--   it is min(context, pool) - 6, or, in versions that ignore the pool there, context - 6. Equal to pool - 6, it says that the
--   pool is what limits, so the context is at least one token more. vLLM: lines of api_server.py, core.py, kv_cache_utils.py
-- false positives: vLLM's arguments are read from a line that may be cut at 2,000 characters; then their absence says nothing
WITH said AS MATERIALIZED (
    SELECT f.path, f.format AS file_format, r.worker_address, r.line, r.byte_offset, r.item, r.kind, r.engine, r.engine_version, r.disaggregation,
           r.dp_rank, r.pool_tokens, r.context_tokens, r.page_size, r.auto_truncate, r.detail,
           r.detail ->> 'source' AS source, coalesce(r.detail ->> 'message', '') AS message
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id
    WHERE r.kind IN ('start', 'limits', 'detector') OR (r.kind = 'note' AND r.engine = 'vllm')
),

saved AS (
    SELECT *, try_cast(detail ->> 'max_req_input_len' AS BIGINT) AS longest,
           try_cast(detail -> 'rank_pools' AS BIGINT[]) AS rank_pools
    FROM said
    WHERE source = 'server_info' AND kind = 'limits'
),

server_info AS (
    SELECT path || CASE WHEN count(*) OVER (PARTITION BY path) > 1
               THEN ' #' || row_number() OVER (PARTITION BY path ORDER BY byte_offset, item) ELSE '' END AS process,
           path, line, 'server_info' AS told_by, worker_address, engine, engine_version AS version, disaggregation AS role,
           least(pool_tokens, list_min(rank_pools)) AS pool_tokens,
           coalesce(context_tokens, CASE WHEN longest + 6 = pool_tokens THEN pool_tokens + 1 ELSE longest + 6 END) AS context_tokens,
           context_tokens IS NULL AND longest + 6 = pool_tokens AS context_is_least,
           greatest(len(rank_pools), 1) AS ranks,
           coalesce(try_cast(detail ->> 'dp_size' AS INTEGER), 1) AS dp_size, FALSE AS restarted, TRUE AS settings,
           auto_truncate, page_size, detail
    FROM saved
),

began AS (
    SELECT path, max(byte_offset) FILTER (kind = 'start' OR regexp_matches(message, '^vLLM API server version ')) AS at_byte
    FROM said
    WHERE file_format NOT LIKE '%server_info' OR source = 'server_args'
    GROUP BY path
),

logged AS MATERIALIZED (
    SELECT s.*, coalesce(s.byte_offset >= b.at_byte, TRUE) AS is_since,
           row_number() OVER (PARTITION BY s.path, s.dp_rank, s.kind ORDER BY s.byte_offset DESC, s.item DESC) AS from_last
    FROM said AS s
    INNER JOIN began AS b ON b.path = s.path
    WHERE s.source IS DISTINCT FROM 'server_info'
),

arguments AS (
    SELECT path, arg_max(detail, byte_offset) AS detail, arg_max(page_size, byte_offset) AS page_size,
           arg_max(auto_truncate, byte_offset) AS auto_truncate, arg_max(worker_address, byte_offset) AS worker_address, arg_max(disaggregation, byte_offset) AS role,
           arg_max(context_tokens, byte_offset) AS context_tokens
    FROM logged
    WHERE kind = 'start' AND is_since
    GROUP BY path
),

limits AS (
    SELECT path, min(pool_tokens) FILTER (is_since AND (from_last = 1 OR engine = 'vllm')) AS pool_tokens,
           max(context_tokens) FILTER (is_since AND (from_last = 1 OR engine = 'vllm')) AS context_tokens,
           count(*) FILTER (is_since AND (from_last = 1 OR engine = 'vllm')) AS ranks,
           count(*) > 0 AND count(*) FILTER (is_since) = 0 AS restarted,
           coalesce(max(line) FILTER (is_since AND (from_last = 1 OR engine = 'vllm')), max(line)) AS line
    FROM logged
    WHERE kind = 'limits'
    GROUP BY path
),

vllm AS (
    SELECT path, min(line) AS line,
           max(nullif(regexp_extract(message, '^(?:vLLM API server version |Initializing a V1 LLM engine \(v?)([^\s)]+)', 1), '')) AS version,
           max(try_cast(nullif(regexp_extract(message, '^non-default args: .*''max_model_len'': (\d+)', 1), '') AS BIGINT)) AS asked,
           max(try_cast(nullif(regexp_extract(message, '^Initializing a V1 LLM engine .*\bmax_seq_len=(\d+)', 1), '') AS BIGINT)) AS resolved,
           max(try_cast(replace(regexp_extract(message, '^Maximum concurrency for ([\d,]+) tokens', 1), ',', '') AS BIGINT)) AS served,
           max(regexp_extract(message, 'kv_role[''"]?[=:] ?[''"]kv_(producer|consumer|both)', 1))
               FILTER (starts_with(message, 'non-default args: ')) AS kv_role,
           bool_or(starts_with(message, 'non-default args: ') AND length(message) < 2000) AS settings,
           bool_or(contains(message, 'kv_transfer_config')) FILTER (starts_with(message, 'non-default args: ')) AS connected,
           bool_and(message LIKE '%''enable_prefix_caching'': True%' OR message LIKE '%enable_prefix_caching=True%')
               FILTER (contains(message, 'enable_prefix_caching')) AS prefix_cache
    FROM logged
    WHERE engine = 'vllm' AND kind = 'note' AND is_since
        AND regexp_matches(message, '^(vLLM API server version |Initializing a V1 LLM engine |non-default args: |Maximum concurrency for )')
    GROUP BY path
),

seen AS (
    SELECT path, count(*) FILTER (kind = 'detector') AS detections, min(line) FILTER (kind = 'detector') AS detected_line,
           bool_or(engine = 'vllm') AS is_vllm
    FROM logged
    GROUP BY path
),

log AS (
    SELECT s.path AS process, s.path, coalesce(l.line, v.line) AS line, 'log' AS told_by, CASE WHEN s.is_vllm THEN 'vllm' ELSE 'sglang' END AS engine,
           v.version,
           CASE
               WHEN v.kv_role = 'producer' THEN 'prefill' WHEN v.kv_role = 'consumer' THEN 'decode'
               WHEN NOT v.connected AND v.settings THEN 'none' ELSE a.role
           END AS role,
           l.pool_tokens, coalesce(l.context_tokens, v.resolved, v.served, v.asked, a.context_tokens) AS context_tokens,
           FALSE AS context_is_least, coalesce(l.ranks, 0) AS ranks,
           coalesce(try_cast(a.detail ->> 'dp_size' AS INTEGER), 1) AS dp_size, coalesce(l.restarted, FALSE) AS restarted,
           coalesce(v.settings, a.path IS NOT NULL) AS settings, a.auto_truncate, a.page_size, a.detail, a.worker_address, v.connected, v.prefix_cache,
           s.detections, s.detected_line
    FROM seen AS s
    LEFT JOIN limits AS l ON l.path = s.path
    LEFT JOIN arguments AS a ON a.path = s.path
    LEFT JOIN vllm AS v ON v.path = s.path
    WHERE l.path IS NOT NULL OR a.path IS NOT NULL OR v.path IS NOT NULL OR s.detections > 0
),

both_ways AS (
    SELECT * FROM server_info
    UNION ALL BY NAME
    SELECT * FROM log
)

SELECT
    process, path, line,
    CASE WHEN NOT regexp_matches(worker_address, '^(0\.0\.0\.0|127\..*|localhost|::1?|\[::1?\]):') THEN worker_address END AS address,
    'running' AS shown, told_by, engine, version, CASE WHEN role = 'none' THEN 'unified' ELSE role END AS role,
    coalesce(connected, CASE WHEN role IN ('prefill', 'decode') THEN TRUE WHEN role = 'none' THEN FALSE END) AS disaggregated,
    pool_tokens, context_tokens, context_is_least, ranks, dp_size, restarted, settings, auto_truncate, page_size,
    detail ->> 'kv_cache_dtype' AS kv_dtype, detail ->> 'transfer_backend' AS backend,
    try_cast(detail ->> 'kv_checksum' AS BOOLEAN) AS kv_checksum, detail ->> 'kv_canary' AS kv_canary,
    coalesce(prefix_cache, NOT try_cast(detail ->> 'disable_radix_cache' AS BOOLEAN)) AS prefix_cache,
    coalesce(detections, 0) AS detections, detected_line
FROM both_ways
