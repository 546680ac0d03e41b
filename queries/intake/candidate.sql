-- question: Whose content can a reported response hold?
-- grain: one row per (reported exchange, candidate source)
-- inputs: exchange, suspicion, sighting_exchange, sighting_match
-- assumptions: no mechanism is known, so whoever lived on the same decode worker and rank since that process started, and
--   reserved before the response ended; and whoever's text holds the excerpt, wherever it lived: placement unknown unless
--   it fits.
WITH suspect AS (
    SELECT x.*
    FROM exchange AS x
    WHERE x.exchange_id IN (SELECT exchange_id FROM suspicion WHERE mechanism = 'reported')
),

pair AS (
    SELECT s.exchange_id, c.exchange_id AS source_exchange_id
    FROM suspect AS s
    INNER JOIN exchange AS c
        ON
            c.decode_worker = s.decode_worker
            AND (c.dp_rank IS NULL OR s.dp_rank IS NULL OR c.dp_rank = s.dp_rank)
            AND c.epoch_ns IS NOT DISTINCT FROM s.epoch_ns
            AND c.reserved_ns < coalesce(s.released_ns, s.finished_ns, s.reserved_ns)
    UNION
    SELECT e.exchange_id, m.exchange_id
    FROM sighting_exchange AS e
    INNER JOIN suspect AS s ON s.exchange_id = e.exchange_id
    INNER JOIN sighting_match AS m ON m.sighting = e.sighting
    INNER JOIN exchange AS c ON c.exchange_id = m.exchange_id
    WHERE e.how IN ('id', 'text') AND coalesce(c.received_ns <= coalesce(s.finished_ns, s.received_ns), true)
),

placed AS (
    SELECT
        p.exchange_id, p.source_exchange_id,
        if(
            c.decode_worker = s.decode_worker AND coalesce(c.dp_rank = s.dp_rank, true)
            AND c.epoch_ns IS NOT DISTINCT FROM s.epoch_ns,
            'fits', 'unknown'
        ) AS placement,
        coalesce(c.released_ns, c.reserved_ns, c.finished_ns, c.received_ns) AS last_ns
    FROM pair AS p
    INNER JOIN suspect AS s ON s.exchange_id = p.exchange_id
    INNER JOIN exchange AS c ON c.exchange_id = p.source_exchange_id
    WHERE p.exchange_id != p.source_exchange_id
)

SELECT
    exchange_id, 'reported' AS mechanism, source_exchange_id, coalesce(placement, 'unknown') AS placement, last_ns,
    (row_number() OVER (
        PARTITION BY exchange_id ORDER BY coalesce(placement, 'unknown') != 'fits', last_ns DESC, source_exchange_id
    ))::INTEGER AS "rank"
FROM placed
ORDER BY exchange_id, "rank"
