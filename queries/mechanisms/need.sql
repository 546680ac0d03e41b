-- question: What that a mechanism may require does this case have?
-- grain: one row per need
-- inputs: exchange, exchange_text, engine_request, marker, worker, worker_limit, detector_flag, record, file
-- assumptions: a need is met by a single instance; how far it reaches over workers and hours is coverage's business.
WITH client AS (
    SELECT r.*
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.kind = 'client'
),

met AS (
    SELECT 'disaggregated' AS need, count(*) AS number, 'exchanges of a disaggregated backend' AS of FROM exchange WHERE backend = 'disaggregated'
    UNION ALL
    SELECT 'prefill log', count(*), 'requests told by prefill workers' FROM engine_request WHERE role = 'prefill'
    UNION ALL
    SELECT 'decode log', count(*), 'requests told by decode workers' FROM engine_request WHERE role = 'decode'
    UNION ALL
    SELECT 'unified log', count(*), 'requests told by workers that do both phases' FROM engine_request WHERE role = 'unified'
    UNION ALL
    SELECT 'gateway log', count(*), 'calls told by a gateway' FROM client WHERE call_id IS NOT NULL
    UNION ALL
    SELECT 'prefill limits', count(*), 'limits of prefill workers, measured or declared'
    FROM worker_limit AS l INNER JOIN worker AS w ON w.worker = l.worker AND w.role = 'prefill'
    UNION ALL
    SELECT 'token counts', count(*), 'exchanges whose prompt was counted' FROM exchange WHERE prompt_tokens IS NOT NULL
    UNION ALL
    SELECT 'both token counts', count(*), 'rooms counted by prefill and decode' FROM exchange
    WHERE prefill_tokens IS NOT NULL AND decode_tokens IS NOT NULL
    UNION ALL
    SELECT 'checksum flag', count(*), 'starts of workers that show the KV checksum on' FROM detector_flag WHERE checksum
    UNION ALL
    SELECT 'canary flag', count(*), 'starts of workers that show the KV canary on' FROM detector_flag WHERE canary
    UNION ALL
    SELECT 'cache keys', count(*), 'calls that name a cache key' FROM client WHERE (detail ->> 'cache_key') IS NOT NULL
    UNION ALL
    SELECT 'planted markers', count(*), 'markers declared in case.toml' FROM marker
    UNION ALL
    SELECT 'prompt texts', count(*), 'exchanges with a prompt''s text' FROM exchange_text WHERE side = 'prompt' AND state IN ('complete', 'truncated')
    UNION ALL
    SELECT 'response texts', count(*), 'exchanges with a response''s text' FROM exchange_text WHERE side = 'response' AND state IN ('complete', 'truncated')
)

SELECT need, number > 0 AS has, number, of AS what FROM met
ORDER BY need
