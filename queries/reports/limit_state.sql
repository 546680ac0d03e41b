-- question: Which pool, context and limit did each worker have from each start on?
-- grain: one row per worker and start
-- inputs: worker_limit
-- columns: limit_tokens as in force; pool and context from the best record that states them
-- assumptions: an error line in force states no pool; the next best record does. What is known without a start says
--   nothing of a worker whose starts are known
WITH state AS (
    SELECT
        worker,
        start_ns,
        min(limit_tokens) FILTER (WHERE in_force) AS limit_tokens,
        arg_min(pool_tokens, rank) FILTER (WHERE pool_tokens IS NOT NULL) AS pool_tokens,
        arg_min(context_tokens, rank) FILTER (WHERE context_tokens IS NOT NULL) AS context_tokens
    FROM worker_limit
    GROUP BY worker, start_ns
)

SELECT
    worker,
    start_ns,
    limit_tokens,
    pool_tokens,
    context_tokens,
    pool_tokens < context_tokens AS mismatch
FROM state
WHERE start_ns IS NOT NULL OR worker NOT IN (SELECT worker FROM state WHERE start_ns IS NOT NULL)
ORDER BY worker, start_ns NULLS FIRST
