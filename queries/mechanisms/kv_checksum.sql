-- question: Which exchanges were answered though the checksum of their transferred pages did not match?
-- grain: one row per exchange
-- inputs: exchange, detector_line, detector_flag, printed_silence, unrecorded
-- mechanism: kv_checksum
-- order: 60
-- sources: pages
-- requires: disaggregated, decode log, checksum flag
-- needs: the decode worker's log; for silence to say anything, --disaggregation-enable-kv-checksum shown on for both engines
-- establishes: nothing: a checksum says that pages are not what was sent, not whose they are
-- possible: a "KV checksum mismatch" line that names the exchange's room or request id; an engine that acts on it fails the
--   request, so an answer beside such a line comes from one that does not.
-- excludes: no such line where the check is shown on for both engines with equal page layout and the decode worker's log
--   covers the exchange; a backend that is not disaggregated.
-- assumptions: a line counts wherever it appears, whatever the flags say. Without the flags silence says nothing: not
--   examined (detector_off), which moves no verdict; a log that is not held or has a hole is not silent (unrecorded).
-- false positives: memory or network faults mismatch too, with nobody's text in the pages; a complete scan clears those.
WITH named AS (
    SELECT exchange_id, count(*) AS lines, min(worker) AS worker
    FROM (
        SELECT x.exchange_id, l.worker
        FROM exchange AS x
        INNER JOIN detector_line AS l ON l.room = x.room
        WHERE
            l.what = 'checksum'
            AND (l.rid IS NULL OR x.decode_rid IS NULL OR l.rid = x.decode_rid OR l.rid = x.prefill_rid)
        UNION ALL
        SELECT x.exchange_id, l.worker
        FROM exchange AS x
        INNER JOIN detector_line AS l ON l.rid = x.decode_rid
        WHERE l.what = 'checksum' AND l.room IS NULL
    )
    GROUP BY exchange_id
),

watched AS (
    SELECT DISTINCT x.exchange_id
    FROM exchange AS x
    INNER JOIN detector_flag AS d
        ON
            d.worker = x.decode_worker AND d.checksum
            AND x.reserved_ns >= coalesce(d.start_ns, -1) AND x.reserved_ns < d.end_ns
    INNER JOIN detector_flag AS p
        ON
            p.worker = x.prefill_worker AND p.checksum AND p.layout = d.layout
            AND x.reserved_ns >= coalesce(p.start_ns, -1) AND x.reserved_ns < p.end_ns
    WHERE NOT EXISTS (
        SELECT 1 FROM printed_silence AS s
        WHERE s.who = x.decode_worker AND s.from_ns <= x.reserved_ns AND s.to_ns >= x.reserved_ns
    )
)

SELECT
    x.exchange_id,
    CASE
        WHEN n.exchange_id IS NOT NULL THEN 'possible'
        WHEN x.backend = 'not_disaggregated' THEN 'excluded'
        WHEN u.exchange_id IS NOT NULL THEN 'unrecorded'
        WHEN w.exchange_id IS NOT NULL THEN 'excluded'
        ELSE 'not_examined'
    END AS status,
    CASE
        WHEN n.exchange_id IS NOT NULL THEN 'mechanism_possible'
        WHEN x.backend = 'not_disaggregated' THEN NULL
        WHEN u.exchange_id IS NOT NULL THEN u.reason
        WHEN w.exchange_id IS NOT NULL THEN NULL
        ELSE 'detector_off'
    END AS reason,
    'records' AS basis,
    CASE
        WHEN n.exchange_id IS NOT NULL
            THEN n.lines || ' line(s) of ' || coalesce(n.worker, 'an engine') || ' say that the checksum of its pages did not match'
        WHEN x.backend = 'not_disaggregated' THEN 'the backend is not disaggregated: ' || coalesce(x.backend_why, 'seen so')
        WHEN u.exchange_id IS NOT NULL THEN 'no log shows what its decode worker''s check wrote, or whether there was one'
        WHEN w.exchange_id IS NOT NULL THEN 'both engines compared checksums, and none did not match'
        ELSE 'it is not shown that both engines compared checksums'
    END AS detail,
    n.exchange_id IS NOT NULL AS clearable
FROM exchange AS x
LEFT JOIN named AS n ON n.exchange_id = x.exchange_id
LEFT JOIN watched AS w ON w.exchange_id = x.exchange_id
LEFT JOIN unrecorded AS u ON u.exchange_id = x.exchange_id AND u.what = 'checksum'
ORDER BY x.exchange_id
