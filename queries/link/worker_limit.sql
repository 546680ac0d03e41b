-- question: Which limits were in force on a worker between two starts, and which record says so?
-- grain: one row per (worker, start, record or declaration that states a limit)
-- inputs: record, file, worker, worker_epoch, model_declared, model_name
-- assumptions: the engine's predicate is prompt_tokens >= min(context, pool) - 6 (formats.md section 0; the engine's
--   max_req_input_len), so limit_tokens is that minimum less 6. An error line states the limit itself and outranks
--   what is computed (rank 1, then 2: start line, 3: server info, 4: declared). A server info without a time of its own
--   counts for every start of that worker that has no start line. Declared figures never mix with measured ones. Where the
--   data-parallel ranks of a worker state pools of different sizes, each is a limit: which rank took a prompt is seldom known.
WITH measured AS (
    SELECT
        f.worker, r.at_ns, r.record_id,
        CASE WHEN r.kind = 'reject' THEN 1 WHEN r.at_ns IS NOT NULL THEN 2 ELSE 3 END AS rank,
        CASE WHEN r.kind = 'reject' THEN 'error line' WHEN r.at_ns IS NOT NULL THEN 'start line' ELSE 'server info' END AS how,
        r.pool_tokens, r.context_tokens,
        coalesce(
            r.allowed_tokens,
            CASE WHEN r.pool_tokens IS NOT NULL THEN least(r.pool_tokens, coalesce(r.context_tokens, r.pool_tokens)) - 6 END
        ) AS limit_tokens,
        r.auto_truncate
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE
        f.worker IS NOT NULL
        AND ((r.kind = 'reject' AND r.allowed_tokens IS NOT NULL) OR (r.kind = 'limits' AND r.pool_tokens IS NOT NULL))
),

ranked AS (
    SELECT
        f.worker, r.at_ns, r.record_id, 2 AS rank, 'pool of a rank' AS how, p.pool AS pool_tokens,
        coalesce(r.context_tokens, c.context_tokens) AS context_tokens,
        least(p.pool, coalesce(r.context_tokens, c.context_tokens, p.pool)) - 6 AS limit_tokens, r.auto_truncate
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    LEFT JOIN (SELECT worker, max(context_tokens) AS context_tokens FROM measured GROUP BY worker) AS c ON c.worker = f.worker
    CROSS JOIN unnest(from_json(r.detail -> 'rank_pools', '["BIGINT"]')) AS p (pool)
    WHERE
        f.worker IS NOT NULL AND r.kind = 'limits' AND p.pool IS NOT NULL
        AND len(list_distinct(from_json(r.detail -> 'rank_pools', '["BIGINT"]'))) > 1
),

placed AS (
    SELECT m.*, e.start_ns, e.end_ns
    FROM (SELECT * FROM measured UNION ALL SELECT * FROM ranked) AS m
    INNER JOIN worker_epoch AS e
        ON
            e.worker = m.worker
            AND (m.at_ns IS NULL OR (m.at_ns >= coalesce(e.start_ns, -1) AND m.at_ns < e.end_ns))
),

declared AS (
    SELECT
        w.worker, e.start_ns, e.end_ns, NULL AS record_id, 4 AS rank, 'declared' AS how, d.pool_tokens, d.context_tokens,
        least(d.pool_tokens, coalesce(d.context_tokens, d.pool_tokens)) - 6 AS limit_tokens, NULL::BOOLEAN AS auto_truncate
    FROM worker AS w
    INNER JOIN worker_epoch AS e ON e.worker = w.worker
    INNER JOIN model_name AS n ON n.alias = w.model
    INNER JOIN model_declared AS d ON d.name = n.name AND d.pool_tokens IS NOT NULL
    WHERE w.role = 'prefill'
),

stated AS (
    SELECT worker, start_ns, end_ns, record_id, rank, how, pool_tokens, context_tokens, limit_tokens, auto_truncate FROM placed
    UNION ALL
    SELECT * FROM declared
)

SELECT
    worker, start_ns, end_ns, rank, how, record_id, pool_tokens, context_tokens, limit_tokens,
    bool_or(auto_truncate) OVER (PARTITION BY worker, start_ns) AS auto_truncate,
    rank = min(rank) OVER (PARTITION BY worker, start_ns) AS in_force
FROM stated
ORDER BY worker, start_ns NULLS FIRST, rank, record_id
