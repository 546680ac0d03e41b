-- question: When could the transfer of an aborted request still have written into pages that were given on?
-- grain: one row per (aborted exchange or release line, worker); a NULL worker means that it is not known
-- inputs: exchange, engine_record, clock
-- assumptions: pages are given on at the abort, or where release is deferred at the line that says the wait timed out;
--   a transfer has ended when prefill finished or failed it, or when a first token came out; where no end is shown, it
--   may write for $late_write_horizon_ns. What was refused (status 400 to 429, but not the timeout 408) reserved no
--   pages on the decode node, whose answer the client sees. Beginnings may be early and ends late by their
--   margins, what the clocks leave open.
WITH release AS (
    SELECT
        e.room, e.worker, max(e.dp_rank) AS dp_rank,
        min(e.at_ns) - coalesce(any_value(k.skew_ns), 0) AS released_ns
    FROM engine_record AS e
    LEFT JOIN clock AS k ON k.worker = e.worker
    WHERE e.kind = 'release' AND e.room IS NOT NULL
    GROUP BY e.room, e.worker
),

life AS (
    SELECT
        x.exchange_id, x.clock_margin_ns AS from_margin_ns, x.clock_margin_ns + x.prefill_margin_ns AS to_margin_ns, x.room, x.decode_worker, x.dp_rank, x.model, x.reserved_ns, x.decode_aborted,
        CASE
            WHEN x.client_outcome IN ('aborted', 'error') OR x.decode_aborted
                THEN least(
                    CASE WHEN x.client_outcome IN ('aborted', 'error') THEN x.client_finished_ns END,
                    CASE WHEN x.decode_aborted THEN x.released_ns END
                )
            WHEN x.client_outcome IS NULL AND NOT x.decode_finished THEN coalesce(x.reserved_ns, x.received_ns)
        END AS abort_ns,
        least(
            x.prefill_finished_ns, x.transfer_failed_ns,
            CASE WHEN x.completion_tokens > 0 THEN coalesce(x.first_token_ns, x.released_ns, x.finished_ns) END
        ) AS end_ns,
        coalesce(x.http_status, 0) BETWEEN 400 AND 429 AND x.http_status != 408 AND x.completion_tokens = 0 AS refused
    FROM exchange AS x
    WHERE x.backend != 'not_disaggregated'
)

SELECT
    l.exchange_id AS trigger_exchange_id, l.decode_worker AS worker, l.dp_rank, l.model,
    'abort' AS how, l.abort_ns AS from_ns,
    least(coalesce(l.end_ns, l.abort_ns + $late_write_horizon_ns), l.abort_ns + $late_write_horizon_ns) AS to_ns,
    l.end_ns IS NOT NULL AS end_shown,
    if(l.decode_aborted, l.from_margin_ns, 0) AS from_margin_ns, l.to_margin_ns
FROM life AS l
WHERE
    l.abort_ns IS NOT NULL AND NOT l.refused
    AND (l.end_ns IS NULL OR l.end_ns + l.to_margin_ns > l.abort_ns)
    AND (l.room IS NULL OR l.room NOT IN (SELECT room FROM release))
UNION ALL
SELECT
    l.exchange_id, r.worker, coalesce(r.dp_rank, l.dp_rank), l.model,
    'deferred release timed out', r.released_ns,
    least(coalesce(l.end_ns, r.released_ns + $late_write_horizon_ns), r.released_ns + $late_write_horizon_ns),
    l.end_ns IS NOT NULL, coalesce(l.from_margin_ns, 0), coalesce(l.to_margin_ns, 0)
FROM release AS r
LEFT JOIN life AS l ON l.room = r.room
WHERE l.end_ns IS NULL OR l.end_ns + l.to_margin_ns > r.released_ns
ORDER BY ALL
