-- question: Whose pages can a suspected exchange have read?
-- grain: one row per (suspected exchange, mechanism, candidate source)
-- inputs: exchange, suspicion, mechanism, named_source, lived, worker_epoch
-- assumptions: where a mechanism's sources are `pages`, every exchange that lived on the same (decode worker, dp rank) since
--   that process started and released its pages before the recipient reserved its own; the most recent ranks first. An
--   exchange of the same model that no log places may have lived there too: placement 'unknown', after all others; so is
--   one whose end and the suspect's beginning lie closer than the clocks tell apart. Where
--   they are `neighbours`, those that lived there beside the recipient too, on any worker that held its pages. Where they are
--   `named`, those that the mechanism's own statement names.
-- false positives: being a candidate source says nothing against the candidate, and makes nobody affected.
WITH suspect AS (
    SELECT s.exchange_id, s.mechanism, m.sources, x.decode_worker, x.dp_rank, x.epoch_ns, x.reserved_ns, x.received_ns, x.model,
        x.clock_margin_ns
    FROM suspicion AS s
    INNER JOIN mechanism AS m ON m.mechanism = s.mechanism
    INNER JOIN exchange AS x ON x.exchange_id = s.exchange_id
    WHERE s.status IN ('established', 'possible', 'undetermined') AND x.delivered != 'no'
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
    WHERE s.sources = 'pages'
),

home AS (
    SELECT s.exchange_id, s.mechanism, v.worker, v.dp_rank, v.to_ns, e.start_ns, e.end_ns
    FROM suspect AS s
    INNER JOIN lived AS v ON v.exchange_id = s.exchange_id
    INNER JOIN worker_epoch AS e ON e.worker = v.worker AND v.from_ns >= coalesce(e.start_ns, -1) AND v.from_ns < e.end_ns
    WHERE s.sources = 'neighbours'
),

beside AS (
    SELECT h.exchange_id, h.mechanism, c.exchange_id AS source_exchange_id, 'fits' AS placement, max(c.to_ns) AS last_ns
    FROM home AS h
    INNER JOIN lived AS c
        ON
            c.worker = h.worker AND c.exchange_id != h.exchange_id
            AND (c.dp_rank IS NULL OR h.dp_rank IS NULL OR c.dp_rank = h.dp_rank)
            AND c.from_ns >= coalesce(h.start_ns, -1) AND c.from_ns < least(h.end_ns, h.to_ns)
    GROUP BY ALL
),

named AS (
    SELECT s.exchange_id, s.mechanism, n.source_exchange_id, n.placement, n.last_ns
    FROM suspect AS s
    INNER JOIN named_source AS n ON n.exchange_id = s.exchange_id AND n.mechanism = s.mechanism
    WHERE s.sources = 'named'
),

every AS (
    SELECT * FROM pool
    UNION ALL
    SELECT * FROM beside
    UNION ALL
    SELECT * FROM named
)

SELECT
    exchange_id, mechanism, source_exchange_id, placement, last_ns,
    row_number() OVER (
        PARTITION BY exchange_id, mechanism ORDER BY placement != 'fits', last_ns DESC, source_exchange_id
    )::INTEGER AS rank
FROM every
ORDER BY exchange_id, mechanism, rank
