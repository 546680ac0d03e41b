-- question: By how much does each worker's clock differ from the gateway's?
-- grain: one row per worker with at least one exchange joined by id
-- inputs: pairing, served, client_request, engine_request
-- assumptions: a request reaches the engine after the gateway took it, and the gateway ends it after the engine did;
--   so each pair bounds the skew (worker minus gateway, ns) from above and below. The clock is corrected only where
--   the bounds exclude zero. Aborted exchanges bound nothing from below; a stamp of whole seconds may be a second late. Where nothing bounds from below (bounded_below is false), low_ns is only the bound from above.
WITH half AS (
    SELECT p.client_id, s.decode_id AS engine_id FROM pairing AS p
    INNER JOIN served AS s ON s.served_id = p.served_id
    WHERE NOT p.inferred
    UNION ALL
    SELECT p.client_id, s.prefill_id FROM pairing AS p
    INNER JOIN served AS s ON s.served_id = p.served_id
    WHERE NOT p.inferred
),

pair AS (
    SELECT
        e.worker,
        e.received_ns + if(e.received_ns % 1000000000 = 0, 999999999, 0) - c.received_ns AS above,
        CASE WHEN coalesce(c.outcome, 'ok') = 'ok' AND NOT e.aborted THEN e.finished_ns - c.finished_ns END AS below
    FROM half AS h
    INNER JOIN client_request AS c ON c.client_id = h.client_id
    INNER JOIN engine_request AS e ON e.engine_id = h.engine_id
    WHERE e.worker IS NOT NULL
),

bound AS (
    SELECT worker, min(above) AS above, max(below) AS below, count(*) AS pairs
    FROM pair
    WHERE above IS NOT NULL
    GROUP BY worker
)

SELECT
    worker, pairs, below IS NOT NULL AS bounded_below,
    least(above, coalesce(below, above)) AS low_ns,
    greatest(above, coalesce(below, above)) AS high_ns,
    CASE
        WHEN below IS NULL OR (least(above, below) <= 0 AND greatest(above, below) >= 0) THEN 0
        ELSE (above + below) // 2
    END AS skew_ns
FROM bound
ORDER BY worker
