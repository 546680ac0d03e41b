-- question: Which exchanges held pages where and when the engine's KV canary found a violation?
-- grain: one row per (exchange, role of the worker)
-- inputs: detector_line, lived, exchange
-- assumptions: a violation line names a slot and a position, no request. It is written within two seconds of the read; a
--   position is one of the request's own, so a request of fewer tokens is not meant. Only one that was alone there, with no
--   exchange of unknown placement at that time, is surely meant.
WITH around AS (
    SELECT
        l.record_id, v.exchange_id, l.worker, v.role,
        count(*) OVER (PARTITION BY l.record_id) AS alive,
        EXISTS (
            SELECT 1 FROM exchange AS u
            WHERE
                u.exchange_id NOT IN (SELECT exchange_id FROM lived)
                AND u.client_outcome IS DISTINCT FROM 'error'
                AND u.received_ns <= l.at_ns + 1000000000
                AND coalesce(u.finished_ns, u.received_ns) >= l.at_ns - 2000000000
        ) AS strangers
    FROM detector_line AS l
    INNER JOIN lived AS v
        ON
            v.worker = l.worker AND (v.dp_rank IS NULL OR l.dp_rank IS NULL OR v.dp_rank = l.dp_rank)
            AND v.from_ns <= l.at_ns + 1000000000 AND v.to_ns >= l.at_ns - 2000000000
            AND (l.position IS NULL OR v.tokens = 0 OR v.tokens > l.position)
    WHERE l.what = 'canary'
)

SELECT
    exchange_id, role, count(DISTINCT record_id) AS lines, min(worker) AS worker, bool_or(alive = 1 AND NOT strangers) AS alone
FROM around
GROUP BY exchange_id, role
ORDER BY exchange_id, role
