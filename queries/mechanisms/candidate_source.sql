-- question: Whose pages can a suspected exchange have read?
-- grain: one row per (suspected exchange, mechanism, candidate source)
-- inputs: exchange, suspicion, late_write_case
-- assumptions: for over-pool, every exchange that lived on the same (decode worker, dp rank) since that process started
--   and released its pages before the recipient reserved its own; the most recent ranks first. An exchange of the same
--   model that no log places may have lived there too: placement 'unknown', after all others; so is one whose end and the suspect's beginning lie closer than the clocks tell apart. For a late write, the
--   aborted exchanges whose transfer was still open.
-- false positives: being a candidate source says nothing against the candidate, and makes nobody affected.
WITH suspect AS (
    SELECT s.exchange_id, s.mechanism, x.decode_worker, x.dp_rank, x.epoch_ns, x.reserved_ns, x.received_ns, x.model, x.clock_margin_ns
    FROM suspicion AS s
    INNER JOIN exchange AS x ON x.exchange_id = s.exchange_id
    WHERE s.status != 'excluded' AND x.delivered != 'no'
),

pool AS (
    SELECT
        s.exchange_id, s.mechanism, c.exchange_id AS source_exchange_id,
        if(
            s.decode_worker IS NOT NULL AND c.decode_worker IS NOT NULL
            -- both by the worker's own clock, or apart by more than the clocks leave open
            AND (c.decode_finished OR c.released_ns IS NULL OR c.released_ns + s.clock_margin_ns <= s.reserved_ns),
            'fits', 'unknown'
        ) AS placement,
        coalesce(c.released_ns, c.reserved_ns, c.finished_ns, c.received_ns) AS last_ns
    FROM suspect AS s
    INNER JOIN exchange AS c
        ON
            c.exchange_id != s.exchange_id
            AND c.backend != 'not_disaggregated'
            AND c.client_outcome IS DISTINCT FROM 'refused'
            AND CASE
                WHEN s.decode_worker IS NOT NULL AND c.decode_worker IS NOT NULL THEN
                    c.decode_worker = s.decode_worker
                    AND (c.dp_rank IS NULL OR s.dp_rank IS NULL OR c.dp_rank = s.dp_rank)
                    AND c.epoch_ns IS NOT DISTINCT FROM s.epoch_ns
                    AND c.reserved_ns < s.reserved_ns
                    AND coalesce(c.released_ns, c.reserved_ns) <= s.reserved_ns + 1000000 + if(c.decode_finished, 0, s.clock_margin_ns)
                ELSE
                    (c.model = s.model OR c.model IS NULL OR s.model IS NULL)
                    AND (c.http_status IS NULL OR c.http_status NOT BETWEEN 400 AND 429 OR c.http_status = 408 OR c.room IS NOT NULL)
                    AND coalesce(c.finished_ns, c.received_ns) <= coalesce(s.reserved_ns, s.received_ns) + 1000000000 + s.clock_margin_ns
            END
    WHERE s.mechanism = 'over_pool'
),

late AS (
    SELECT
        s.exchange_id, s.mechanism, w.trigger_exchange_id AS source_exchange_id, if(w.placed, 'fits', 'unknown') AS placement,
        max(w.from_ns) AS last_ns
    FROM suspect AS s
    INNER JOIN late_write_case AS w ON w.exchange_id = s.exchange_id
    WHERE s.mechanism = 'late_write' AND w.trigger_exchange_id IS NOT NULL
    GROUP BY ALL
),

every AS (
    SELECT * FROM pool
    UNION ALL
    SELECT * FROM late
)

SELECT
    exchange_id, mechanism, source_exchange_id, placement, last_ns,
    row_number() OVER (
        PARTITION BY exchange_id, mechanism ORDER BY placement != 'fits', last_ns DESC, source_exchange_id
    )::INTEGER AS rank
FROM every
ORDER BY exchange_id, mechanism, rank
