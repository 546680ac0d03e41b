-- question: what does each line of the router's text log (sglang_router, SMG) say?
-- grain: one row per line
-- inputs: raw (line, byte_offset, item, raw): lines without terminal colours
-- framing: text
-- detect: ^(?!.*\bdynamo_(?:llm|runtime|kv))(?:\x1b\[[0-9;]*m)*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?(?:\x1b\[[0-9;]*m)*\s+(?:\x1b\[[0-9;]*m)*(?:TRACE|DEBUG|INFO|WARN|ERROR)\b.*\b(?:smg|(?:sglang|sgl|vllm)_(?:router|model_gateway))\w*::|^\[Router \((?:Rust|Python)\)\] \d{4}-
-- evidence: tracing-subscriber lines with a module of the router, or [Router (Rust)] before 2025-07
-- where from: standard output (with colours) or the daily file (smg.YYYY-MM-DD) of sgl-router, sgl-model-gateway, SMG or the
--   vLLM router
-- assumptions: stamps are UTC (tracing's SystemTime), of second resolution; latency is in microseconds, unless it has a unit (2025-07).
--   Lines of [Router (Rust)] are in local time. The router names
--   workers at INFO only where one failed. Its request id is the client's x-request-id, and joins to a gateway's record
--   where that keeps the upstream's headers. Shapes: model_gateway/src/middleware/logging.rs (formats.md A8)
-- cannot say: rooms, engine ids, texts; tokens, unless it logs request_stats at DEBUG; which workers, unless it logs at DEBUG or one
--   failed
-- traps: engines beside it log local time, it logs UTC. Before sglang PR 29017 a prefill's error was drained and left no
--   line
-- false positives: request_id comes from a client header
WITH line AS MATERIALIZED (
    SELECT byte_offset, item,
           regexp_extract(
               raw,
               '^(\[Router \(\w+\)\] )?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?)Z?(?: -)?\s+(TRACE|DEBUG|INFO|WARN|WARNING|ERROR)(?: -)?\s+(.*)$',
               ['old', 'stamp', 'level', 'body'], 's'
           ) AS f
    FROM raw
),
parsed AS (
    SELECT byte_offset, item, f.old <> '' AS is_local, f.stamp AS stamp, f.level AS level, f.body AS body,
           coalesce(
               nullif(regexp_extract(f.body, 'request_id="([^"]*)"', 1), ''), nullif(nullif(regexp_extract(f.body, 'request_id=([^\s"}]+)', 1), ''), 'None')
           ) AS request_id,
           nullif(regexp_extract(f.body, 'uri=(\S+)', 1), '') AS uri,
           -- A status elsewhere is that of a worker.
           try_cast(nullif(regexp_extract(f.body, '(?:status_code=|request_id=[^\s"]+ status=)(\d+)', 1), '') AS INTEGER) AS status,
           regexp_extract(f.body, 'latency=(\d+(?:\.\d+)?)([a-zµ]*)', ['number', 'unit']) AS latency,
           nullif(regexp_extract(f.body, 'decode_url=https?://([^\s/]+)', 1), '') AS decode_address,
           nullif(regexp_extract(f.body, 'prefill_url=https?://([^\s/]+)', 1), '') AS prefill_address,
           regexp_extract(
               f.body, ': request_stats .*? model=(\S+) .*? prompt_tokens=(\d+) completion_tokens=(\d+)(?: cached_tokens=(\d+))?',
               ['model', 'prompt', 'completion', 'cached']
           ) AS stats,
           coalesce(nullif(regexp_extract(f.body, '[a-z_:]+: [^ ]*\.rs:\d+: (.*)$', 1, 's'), ''), f.body) AS message
    FROM line
)
SELECT
    byte_offset, item,
    CASE
        WHEN contains(body, 'mode: PrefillDecode') OR regexp_matches(body, '(?:Starting|Initializing) router on|(?:Initializing|Serving) workers on')
            THEN 'topology'
        WHEN request_id IS NULL THEN 'note'
        WHEN uri IN ('/health', '/readiness', '/liveness', '/health_generate', '/metrics', '/v1/models') THEN 'access'
        ELSE 'router'
    END AS kind,
    CASE
        WHEN request_id IS NULL THEN NULL
        WHEN message LIKE 'started processing%' THEN 'received'
        WHEN status IS NOT NULL THEN 'finished'
    END AS phase,
    stamp_ns(stamp) AS at_ns,
    is_local AS at_is_local,
    try(cast(
        try_cast(nullif(latency.number, '') AS DECIMAL(28, 9))
        * CASE latency.unit WHEN 's' THEN 1000000000 WHEN 'ms' THEN 1000000 WHEN 'ns' THEN 1 ELSE 1000 END AS BIGINT
    )) AS latency_ns,
    request_id AS router_request_id,
    CASE WHEN decode_address IS NOT NULL THEN 'decode' WHEN prefill_address IS NOT NULL THEN 'prefill' END AS role,
    coalesce(decode_address, prefill_address) AS worker_address,
    'smg' AS engine,
    nullif(stats.model, '') AS model,
    try_cast(nullif(stats.prompt, '') AS BIGINT) AS prompt_tokens,
    try_cast(nullif(stats.cached, '') AS BIGINT) AS cached_tokens,
    try_cast(nullif(stats.completion, '') AS BIGINT) AS completion_tokens,
    status AS http_status,
    CASE
        WHEN status >= 400 OR level = 'ERROR' THEN 'error'
        WHEN status IS NOT NULL THEN 'ok'
    END AS outcome,
    CASE WHEN level = 'ERROR' THEN message END AS error_text,
    json_object(
        'level', level, 'uri', uri, 'message', substr(message, 1, 2000), 'prefill', prefill_address, 'decode', decode_address
    ) AS detail,
    CASE WHEN stamp = '' THEN 'foreign_line' END AS reject_reason
FROM parsed
