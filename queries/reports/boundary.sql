-- question: How many of the headline's over-pool responses lie between the engine's predicate and the published wording?
-- grain: one row; none in it is NULL where no limit in force is known
-- inputs: report_row, worker_limit
-- assumptions: the engine rejects from limit_tokens = min(context, pool) - 6 on (formats.md section 0); the published
--   wording is "longer than the pool". Lengths in between are over-pool by the first and not by the second. Tokens are
--   as the engine's tokenizer counted them
WITH in_force AS (
    SELECT
        worker,
        start_ns,
        end_ns,
        min(limit_tokens) FILTER (WHERE in_force) AS limit_tokens,
        -- an error line in force states no pool; the next best record does
        arg_min(pool_tokens, rank) FILTER (WHERE pool_tokens IS NOT NULL) AS pool_tokens
    FROM worker_limit
    GROUP BY ALL
),

answered AS (
    SELECT
        r.exchange_id,
        min(r.prompt_tokens) AS prompt_tokens,
        max(l.limit_tokens) AS limit_tokens,
        max(coalesce(l.pool_tokens, l.limit_tokens + 6)) AS pool_tokens
    FROM report_row AS r
    LEFT JOIN in_force AS l
        ON
            l.worker = r.prefill_worker
            AND r.received_ns >= coalesce(l.start_ns, r.received_ns)
            AND r.received_ns < l.end_ns
    WHERE r.counted AND r.over_pool = 'answered'
    GROUP BY r.exchange_id
)

SELECT
    count(*) AS answered,
    count(*) FILTER (WHERE prompt_tokens >= limit_tokens) AS by_predicate,
    count(*) FILTER (WHERE prompt_tokens > pool_tokens) AS by_wording,
    count(*) FILTER (WHERE prompt_tokens >= limit_tokens AND prompt_tokens <= pool_tokens) AS in_band,
    count(*) FILTER (WHERE limit_tokens IS NULL OR prompt_tokens IS NULL) AS unknown,
    min(limit_tokens) AS lowest_limit,
    max(limit_tokens) AS highest_limit,
    min(pool_tokens) AS lowest_pool,
    max(pool_tokens) AS highest_pool
FROM answered
