-- question: Which exchanges sent a prompt that the prefill's KV pool could not hold, and what became of it?
-- grain: one row per exchange
-- inputs: exchange, worker, worker_limit, worker_epoch, engine_record, clock, clock_margin, model_pair, model_name, stranger,
--   silence, gap
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
--   multimodal prompt grown by its images) is the only exchange's of just that many tokens within seconds of it. Below every
--   limit that could apply means that no prefill worker may be unknown: none that some log names without being one of ours
--   (stranger), and none whose log was silent since the start that told the limit, or whose limit a server info without a
--   time tells: it may have been started anew since, or then. A pairing by content or time alone holds only where neither side
--   lacks a request; an exchange that came so close to a start that the clocks do not tell their order may have met the limits of
--   either process; halves of one room that disagree on its tokens may be of two requests.
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

unsure AS (
    SELECT DISTINCT x.exchange_id
    FROM exchange AS x
    INNER JOIN gap AS g ON g.from_ns <= x.received_ns + 10000000000 AND g.to_ns >= x.received_ns - 10000000000
    WHERE
        x.pair_via NOT IN ('the response id', 'an id in the error text', 'engine record alone')
        -- lines of one log are missing where another tells of the request; here requests are
        AND (g.who = 'gateway' OR g.source = 'engine')
),

by_worker AS (
    SELECT
        p.exchange_id, p.worker,
        bool_or(
            (
                l.how IN ('server info', 'pool of a rank')
                AND (
                    l.start_ns IS NULL
                    OR (SELECT count(*) FROM worker_epoch AS e WHERE e.worker = p.worker AND e.start_ns IS NOT NULL) > 1
                )
            )
            OR EXISTS (
                SELECT 1 FROM silence AS g
                WHERE g.who = p.worker AND g.to_ns > l.start_ns AND g.from_ns < p.received_ns
            )
        ) AS may_be_new,
        min(l.limit_tokens) AS low, max(l.limit_tokens) AS high, max(l.rank) AS rank,
        bool_or(coalesce(l.auto_truncate, false)) AS truncates, count(DISTINCT coalesce(l.start_ns, -1)) > 1 AS at_a_start
    FROM possible_prefill AS p
    LEFT JOIN clock AS k ON k.worker = p.worker
    LEFT JOIN clock_margin AS m ON m.worker = p.worker
    LEFT JOIN worker_limit AS l
        ON
            l.worker = p.worker AND l.in_force
            AND (p.received_ns IS NULL OR (
                p.received_ns + coalesce(k.skew_ns, 0) + coalesce(m.margin_ns, 0) >= coalesce(l.start_ns, -1)
                AND p.received_ns + coalesce(k.skew_ns, 0) - coalesce(m.margin_ns, 0) < l.end_ns
            ))
    GROUP BY p.exchange_id, p.worker
),

bound AS (
    SELECT
        exchange_id, min(low) AS low, max(high) AS high, count(*) AS workers, count(*) FILTER (WHERE low IS NULL) AS unknown,
        bool_or(truncates) AS truncates, max(rank) = 4 AS declared, count(*) FILTER (WHERE may_be_new) AS renewed,
        bool_or(at_a_start) AS at_a_start
    FROM by_worker
    GROUP BY exchange_id
),

fact AS (
    SELECT
        x.*, b.low, b.high, coalesce(b.workers, 0) AS workers, coalesce(b.unknown, 0) AS unknown, s.why AS stranger,
        coalesce(b.renewed, 0) AS renewed, coalesce(b.at_a_start, false) AS at_a_start, u.exchange_id IS NOT NULL AS pair_unsure,
        coalesce(b.truncates, false) AS truncates, coalesce(b.declared, false) AS declared,
        coalesce(x.prompt_tokens, x.reject_tokens) AS tokens,
        n.exchange_id IS NOT NULL AS rejected_by_size,
        x.tokens_by = 'gateway' AND coalesce(x.client_outcome, 'ok') != 'ok' AS rough
    FROM exchange AS x
    LEFT JOIN bound AS b ON b.exchange_id = x.exchange_id
    LEFT JOIN stranger AS s ON s.exchange_id = x.exchange_id
    LEFT JOIN unsure AS u ON u.exchange_id = x.exchange_id
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
            WHEN prefill_tokens > 1 AND NOT pair_unsure AND prefill_tokens >= coalesce(decode_tokens, prefill_tokens)
                THEN 'held_by_prefill'
            WHEN rejected_by_size THEN 'error_line'
            WHEN tokens IS NULL THEN 'tokens_unknown'
            WHEN workers = 0 OR low IS NULL THEN 'limits_unknown'
            WHEN rough AND tokens * 2 >= low THEN 'tokens_unknown'
            WHEN unknown = 0 AND renewed = 0 AND stranger IS NULL AND tokens < low THEN 'below_limits'
            WHEN unknown > 0 OR (tokens < low AND (renewed > 0 OR stranger IS NOT NULL)) THEN 'limits_unknown'
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
        WHEN ground = 'between_limits' AND at_a_start THEN 'clock_uncertain'
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
        ELSE coalesce(
            CASE WHEN tokens < low AND stranger IS NOT NULL THEN tokens || ' tokens, below the limits that are known, but ' || stranger END,
            CASE
                WHEN tokens < low AND renewed > 0
                    THEN tokens || ' tokens, below the limits that are known, but a prefill worker may have been started with others'
            END,
            'no record of its prefill, and no limit is known for it'
        )
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
