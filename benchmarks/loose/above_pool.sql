-- question: Which exchanges would be called over-pool if the published wording, longer than the pool, were the rule?
-- grain: one row per exchange
-- inputs: exchange, worker_limit
-- false positives: none, but it misses what the engine rejects from six tokens below its pool on
SELECT DISTINCT x.request_id
FROM exchange AS x
INNER JOIN worker_limit AS l
    ON
        l.worker = x.prefill_worker AND l.pool_tokens IS NOT NULL AND l.rank = 2
        AND x.received_ns >= coalesce(l.start_ns, x.received_ns) AND x.received_ns < l.end_ns
WHERE x.prompt_tokens > l.pool_tokens AND x.delivered = 'yes'
ORDER BY x.request_id
