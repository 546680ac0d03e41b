-- question: How much of a decode worker's pool would a deferred release hold back, by the aborts that were seen?
-- grain: one row per decode worker and hold time: 30, 60 and 120 seconds, and the longest that its log shows
-- inputs: late_write_window, exchange, record, file, worker_limit
-- assumptions: held tokens = abort rate x hold x tokens per request. The rate is that of aborts whose transfer was still open,
--   over the time that the worker is seen to serve; tokens per request are the median prompt of what it served. Rates peak, so
--   the figure is a mean, not a bound; it sizes the fix and moves no verdict.
WITH aborted AS (
    SELECT worker, count(*) AS aborts FROM late_write_window WHERE worker IS NOT NULL GROUP BY worker
),

served AS (
    SELECT
        decode_worker AS worker,
        greatest(max(coalesce(released_ns, reserved_ns)) - min(reserved_ns), 1000000000) AS seen_ns,
        quantile_disc(decode_tokens, 0.5) AS tokens
    FROM exchange
    WHERE decode_worker IS NOT NULL AND reserved_ns IS NOT NULL AND decode_tokens > 1
    GROUP BY decode_worker
),

hold AS (
    SELECT DISTINCT s.worker, h.seconds, false AS seen
    FROM served AS s
    CROSS JOIN (VALUES (30), (60), (120)) AS h (seconds)
    UNION ALL
    SELECT f.worker, ceil(max(try_cast(r.detail ->> 'after_seconds' AS DOUBLE)))::INTEGER, true
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.kind = 'release' AND f.worker IS NOT NULL
    GROUP BY f.worker
    HAVING max(try_cast(r.detail ->> 'after_seconds' AS DOUBLE)) IS NOT NULL
),

page AS (
    SELECT f.worker, max(r.page_size) AS page_size
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    GROUP BY f.worker
),

pool AS (SELECT worker, min(pool_tokens) AS pool_tokens FROM worker_limit WHERE in_force GROUP BY worker),

held AS (
    SELECT
        h.worker, h.seconds, h.seen, coalesce(a.aborts, 0) AS aborts, s.seen_ns // 1000000000 AS seen_s, s.tokens,
        greatest(coalesce(p.page_size, 1), 1) AS page_size, l.pool_tokens,
        (coalesce(a.aborts, 0)::HUGEINT * h.seconds * s.tokens * 1000000000 // s.seen_ns)::BIGINT AS held_tokens
    FROM hold AS h
    INNER JOIN served AS s ON s.worker = h.worker
    LEFT JOIN aborted AS a ON a.worker = h.worker
    LEFT JOIN page AS p ON p.worker = h.worker
    LEFT JOIN pool AS l ON l.worker = h.worker
)

SELECT
    worker, seconds AS hold_seconds, seen AS hold_is_seen, aborts, seen_s AS seen_seconds, tokens AS tokens_per_request,
    (tokens + page_size - 1) // page_size AS pages_per_request,
    held_tokens,
    (held_tokens + page_size - 1) // page_size AS held_pages,
    pool_tokens,
    1000 * held_tokens // nullif(pool_tokens, 0) AS pool_share_milli
FROM held
ORDER BY worker, hold_seconds, hold_is_seen
