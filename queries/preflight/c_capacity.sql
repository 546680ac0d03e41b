-- question: what share of a decode worker's pool do held pages take?
-- grain: one row per decode worker whose hold time and pool are known, else one row where anything is disaggregated
-- inputs: subject, expected
-- statement: yes
-- assumptions: tokens held = aborts per minute on one worker x hold in minutes x tokens reserved per aborted request, both as
--   stated under [aborts]; at half of the pool it counts as fragile, at all of it as failed
WITH held AS (
    SELECT s.process, s.path, s.line, s.pool_tokens, s.pool_shown, s.deferred_seconds,
           ceil(e.aborts_per_minute * s.deferred_seconds * e.aborted_tokens / 60)::BIGINT AS tokens
    FROM subject AS s, expected AS e
    WHERE s.role = 'decode' AND s.deferred AND s.engine = 'sglang'
)

SELECT
    process AS subject, path, line,
    CASE WHEN tokens >= pool_tokens THEN 'fail' WHEN 2 * tokens >= pool_tokens THEN 'fragile' ELSE 'pass' END AS answer,
    'aborts hold ' || format('{:,}', tokens) || ' of ' || pool_shown || ' tokens of its pool (' || (100 * tokens // greatest(pool_tokens, 1)) || ' %)'
        AS reason,
    '[aborts] per_minute x hold x tokens' AS setting, 'Enlarge the pool, add decode workers, or lower the hold, not under 60 s' AS fix
FROM held
WHERE tokens IS NOT NULL AND pool_tokens IS NOT NULL
UNION ALL BY NAME
SELECT
    'deployment' AS subject, 'cannot_tell' AS answer,
    'abort rate, hold time, pool or tokens per request of a decode worker are not known' AS reason,
    '[aborts] per_minute x hold x tokens' AS setting,
    'State [aborts] per_minute and tokens, and give the manifest that sets the hold, with /server_info of the decode workers' AS fix
WHERE EXISTS (SELECT 1 FROM subject WHERE disaggregated IS DISTINCT FROM FALSE AND engine = 'sglang')
    AND NOT EXISTS (SELECT 1 FROM held WHERE tokens IS NOT NULL AND pool_tokens IS NOT NULL)
ORDER BY subject
