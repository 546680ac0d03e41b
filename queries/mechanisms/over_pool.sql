-- question: Which exchanges sent a prompt that the prefill's KV pool could not hold, and what became of it?
-- grain: one row per exchange
-- inputs: exchange, worker, worker_limit, engine_record, clock, model_pair, model_name
-- mechanism: over_pool
-- order: 20
-- sources: pages
-- requires: disaggregated, prefill log or prefill limits, decode log or token counts
-- needs: engine records of both sides of a room, or token counts and the limits of every prefill worker that could apply
-- establishes: one token on prefill and more on decode for one room; a prefill's error line for the room; or, where no
--   record of the room's prefill is left, a token count at or above the measured limit of every prefill that could apply.
-- possible: the same by declared limits.
-- excludes: a prefill record of the room with more than one token; a token count below every limit that could apply; a
--   backend that is not disaggregated; a worker that truncates prompts itself.
-- assumptions: the engine's predicate (formats.md section 0). A gateway's token count of a broken exchange comes from
--   another tokenizer and decides only where it is below half of the limit. A prefill's error line without a request id (a
--   multimodal prompt grown by its images) is the only exchange's of just that many tokens within seconds of it.
-- false positives: a prompt of exactly one token has one token on both sides and is not over-pool.
WITH nameless_reject AS (
    SELECT DISTINCT exchange_id
    FROM (
        SELECT x.exchange_id, count(*) OVER (PARTITION BY e.record_id) AS fitting
        FROM engine_record AS e
        INNER JOIN worker AS w ON w.worker = e.worker AND w.role = 'prefill'
        LEFT JOIN clock AS k ON k.worker = e.worker
        INNER JOIN exchange AS x
            ON
                x.decode_tokens = e.input_tokens
                AND (x.prefill_worker IS NULL OR x.prefill_worker = e.worker)
                AND x.reserved_ns - (e.at_ns - coalesce(k.skew_ns, 0)) BETWEEN -5000000000 AND 3000000000
        WHERE e.kind = 'reject' AND e.rid IS NULL
    )
    WHERE fitting = 1
),

possible_prefill AS (
    SELECT x.exchange_id, x.received_ns, w.worker
    FROM exchange AS x
    INNER JOIN worker AS w ON w.role = 'prefill'
    LEFT JOIN model_pair AS m ON m.engine_model = w.model
    LEFT JOIN model_name AS n ON n.alias = w.model
    WHERE
        CASE
            WHEN x.prefill_worker IS NOT NULL THEN w.worker = x.prefill_worker
            ELSE coalesce(m.client_model, n.name, x.model) IS NOT DISTINCT FROM x.model OR x.model IS NULL
        END
),

by_worker AS (
    SELECT
        p.exchange_id, p.worker,
        min(l.limit_tokens) AS low, max(l.limit_tokens) AS high, max(l.rank) AS rank,
        bool_or(coalesce(l.auto_truncate, false)) AS truncates
    FROM possible_prefill AS p
    LEFT JOIN worker_limit AS l
        ON
            l.worker = p.worker AND l.in_force
            AND (p.received_ns IS NULL OR (p.received_ns >= coalesce(l.start_ns, -1) AND p.received_ns < l.end_ns))
    GROUP BY p.exchange_id, p.worker
),

bound AS (
    SELECT
        exchange_id, min(low) AS low, max(high) AS high, count(*) AS workers, count(*) FILTER (WHERE low IS NULL) AS unknown,
        bool_or(truncates) AS truncates, max(rank) = 4 AS declared
    FROM by_worker
    GROUP BY exchange_id
),

fact AS (
    SELECT
        x.*, b.low, b.high, coalesce(b.workers, 0) AS workers, coalesce(b.unknown, 0) AS unknown,
        coalesce(b.truncates, false) AS truncates, coalesce(b.declared, false) AS declared,
        coalesce(x.prompt_tokens, x.reject_tokens) AS tokens,
        n.exchange_id IS NOT NULL AS rejected_by_size,
        x.tokens_by = 'gateway' AND coalesce(x.client_outcome, 'ok') != 'ok' AS rough
    FROM exchange AS x
    LEFT JOIN bound AS b ON b.exchange_id = x.exchange_id
    LEFT JOIN nameless_reject AS n ON n.exchange_id = x.exchange_id
),

ruled AS (
    SELECT
        *,
        CASE
            WHEN backend = 'not_disaggregated' THEN 'not_disaggregated'
            WHEN prefill_tokens = 1 AND decode_tokens > 1 THEN 'room'
            WHEN prefill_rejected OR prefill_gated THEN 'error_line'
            WHEN prefill_tokens > 1 AND truncates AND prefill_tokens >= low THEN 'cut_by_prefill'
            WHEN prefill_tokens > 1 THEN 'held_by_prefill'
            WHEN rejected_by_size THEN 'error_line'
            WHEN tokens IS NULL THEN 'tokens_unknown'
            WHEN workers = 0 OR low IS NULL THEN 'limits_unknown'
            WHEN rough AND tokens * 2 >= low THEN 'tokens_unknown'
            WHEN unknown = 0 AND tokens < low THEN 'below_limits'
            WHEN unknown > 0 THEN 'limits_unknown'
            WHEN tokens >= high THEN 'above_limits'
            ELSE 'between_limits'
        END AS ground
    FROM fact
)

SELECT
    exchange_id,
    CASE
        WHEN ground IN ('not_disaggregated', 'held_by_prefill', 'cut_by_prefill', 'below_limits') THEN 'excluded'
        WHEN ground IN ('room', 'error_line') THEN 'established'
        WHEN ground = 'above_limits' AND truncates THEN 'excluded'
        WHEN ground = 'above_limits' THEN if(declared, 'possible', 'established')
        ELSE 'undetermined'
    END AS status,
    CASE
        WHEN ground = 'tokens_unknown' THEN 'tokens_unknown'
        WHEN ground = 'limits_unknown' AND decode_id IS NOT NULL THEN 'other_side_missing'
        WHEN ground IN ('limits_unknown', 'between_limits') THEN 'limits_unknown'
        WHEN ground = 'above_limits' AND declared AND NOT truncates THEN 'mechanism_possible'
    END AS reason,
    CASE
        WHEN ground IN ('room', 'held_by_prefill', 'cut_by_prefill', 'error_line') THEN 'room'
        WHEN ground IN ('below_limits', 'above_limits') THEN if(declared, 'declared limits', 'measured limits')
        ELSE 'records'
    END AS basis,
    CASE ground
        WHEN 'not_disaggregated' THEN 'the backend is not disaggregated: ' || coalesce(backend_why, 'seen so')
        WHEN 'room' THEN 'prefill saw 1 token and decode ' || decode_tokens || ' for room ' || room
        WHEN 'error_line' THEN 'prefill logged that its ' || coalesce(tokens::VARCHAR, 'unknown number of')
            || ' tokens are longer than allowed'
        WHEN 'held_by_prefill' THEN 'prefill took ' || prefill_tokens || ' tokens for room ' || coalesce(room, 'unknown')
        WHEN 'cut_by_prefill' THEN 'prefill cut the prompt to its limit of ' || prefill_tokens || ' tokens for room ' || coalesce(room, 'unknown')
        WHEN 'below_limits' THEN tokens || ' tokens, below the lowest limit of ' || low || ' on ' || workers || ' prefill worker(s)'
        WHEN 'above_limits' THEN tokens || ' tokens, at or above the limit of ' || high || ' on ' || workers || ' prefill worker(s)'
        WHEN 'between_limits' THEN tokens || ' tokens, between the limits ' || low || ' and ' || high || '; which worker took it is not known'
        WHEN 'tokens_unknown' THEN 'no record counts the prompt''s tokens reliably'
        ELSE 'no record of its prefill, and no limit is known for it'
    END AS detail,
    CASE
        WHEN ground = 'cut_by_prefill' THEN 'truncated'
        WHEN ground NOT IN ('room', 'error_line', 'above_limits') THEN NULL
        WHEN ground = 'above_limits' AND truncates THEN 'truncated'
        WHEN delivered = 'yes' THEN 'answered'
        WHEN delivered = 'no' AND (decode_refused OR coalesce(http_status, 0) IN (400, 413)) THEN 'refused'
        WHEN delivered = 'no' THEN 'no_output'
    END AS outcome
FROM ruled
ORDER BY exchange_id
