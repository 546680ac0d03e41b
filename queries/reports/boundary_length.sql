-- question: Which lengths right at the limit were over the pool, and what became of them?
-- grain: one row per distance from the limit in force, from $below under it to $above over it, and outcome
-- inputs: report_row, worker_limit; $below and $above in tokens
-- columns: distance 0 is the first length that the engine's predicate rejects, 6 is the pool itself
-- assumptions: as in reports/boundary
WITH in_force AS (
    SELECT worker, start_ns, end_ns, min(limit_tokens) AS limit_tokens
    FROM worker_limit
    WHERE in_force
    GROUP BY ALL
),

sized AS (
    SELECT
        r.exchange_id,
        coalesce(r.over_pool, 'below') AS outcome,
        min(r.prompt_tokens) - max(l.limit_tokens) AS distance
    FROM report_row AS r
    INNER JOIN in_force AS l
        ON
            l.worker = r.prefill_worker
            AND r.received_ns >= coalesce(l.start_ns, r.received_ns)
            AND r.received_ns < l.end_ns
    GROUP BY ALL
)

SELECT distance, outcome, count(*) AS requests
FROM sized
WHERE distance BETWEEN -$below AND $above
GROUP BY ALL
ORDER BY distance, outcome
