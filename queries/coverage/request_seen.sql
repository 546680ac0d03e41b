-- question: Which logs should hold a request that some other log knows, and do they?
-- grain: one row per (log, request that it should hold)
-- inputs: exchange, engine_request, engine_record, clock, worker, file, record
-- assumptions: every request that an engine took came through the gateway, attempts that were repeated counted once; a log
--   that shows arrivals at all shows every arrival; a log that shows finishes alone shows those that another log of its
--   worker shows to have finished unbroken. An answered request that no decode worker's log holds is missing from one of
--   those that serve its model, which of them is not known.
-- false positives: an answer that the gateway made itself (a mock, a cached answer) counts as missing from the engines' logs.
WITH said AS (
    SELECT
        e.worker, e.rid, coalesce(e.room, '') AS room, e.format,
        bool_or(e.phase = 'received') AS arrived, bool_or(e.phase IN ('finished', 'whole')) AS finished,
        bool_or(e.phase = 'whole') AS whole
    FROM engine_record AS e
    WHERE e.kind = 'engine' AND e.rid IS NOT NULL AND e.worker IS NOT NULL
    GROUP BY ALL
),

log AS (
    SELECT worker, format, bool_or(arrived) AS shows_arrivals FROM said GROUP BY ALL
),

known AS (
    SELECT
        q.engine_id, q.worker, q.rid, coalesce(q.room, '') AS room, q.received_ns - coalesce(k.skew_ns, 0) AS at_ns,
        q.has_finished AND NOT (q.aborted OR q.failed OR q.rejected OR q.gated OR q.transfer_failed) AS finished_well
    FROM engine_request AS q
    LEFT JOIN clock AS k ON k.worker = q.worker
    WHERE q.worker IS NOT NULL
),

at_worker AS (
    SELECT
        k.worker AS who, l.format AS source, k.at_ns, k.engine_id AS request,
        coalesce(CASE WHEN l.shows_arrivals THEN s.arrived OR s.whole ELSE s.finished END, false) AS present
    FROM known AS k
    INNER JOIN log AS l ON l.worker = k.worker
    LEFT JOIN said AS s ON s.worker = k.worker AND s.format = l.format AND s.rid = k.rid AND s.room IN (k.room, '')
    WHERE l.shows_arrivals OR k.finished_well
),

at_gateway AS (
    SELECT 'gateway' AS who, 'client' AS source, received_ns AS at_ns, exchange_id AS request, client_id IS NOT NULL AS present
    FROM exchange
    WHERE NOT earlier_attempt
),

nowhere AS (
    SELECT 'decode of ' || coalesce(model, 'an unknown model') AS who, 'engine' AS source, received_ns AS at_ns, exchange_id AS request,
        decode_id IS NOT NULL AS present
    FROM exchange
    WHERE backend != 'not_disaggregated' AND (decode_id IS NOT NULL OR delivered = 'yes' OR prefill_id IS NOT NULL)
    UNION ALL
    SELECT 'prefill of ' || coalesce(model, 'an unknown model'), 'engine', received_ns, exchange_id, prefill_id IS NOT NULL
    FROM exchange
    WHERE backend != 'not_disaggregated' AND (decode_id IS NOT NULL OR prefill_id IS NOT NULL) AND NOT decode_refused
)

SELECT who, source, at_ns, request, bool_or(present) AS present
FROM (SELECT * FROM at_worker UNION ALL SELECT * FROM at_gateway UNION ALL SELECT * FROM nowhere)
WHERE at_ns IS NOT NULL
GROUP BY ALL
ORDER BY who, source, at_ns, request
