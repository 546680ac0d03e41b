-- question: How many requests do the counters in the logs tell of, hour by hour, and how many have a record?
-- grain: one row per (log, counter, hour); hour_ns is NULL where the counter's lines have no time
-- inputs: record, file, engine_request, exchange, clock
-- assumptions: each answered POST of an engine's access log is one request; the #new-seq of its prefill batches counts
--   requests, where a batch of the greatest size seen may be one chunk of a longer prompt and is left out; each request that
--   the router started is one of the gateway's, or a repeated attempt. A request counts as present in every hour that it
--   touches, so that a counter exceeds what is present only where records are missing. Lines of one TP rank are counted. The
--   other way round, each request that was answered in full left a POST in its worker's access log, where that prints any (a
--   client that leaves before the headers leaves none): counted are those that began and ended within the hour, at moments
--   0.1 s apart, since one POST may bring several.
WITH worker_line AS (
    SELECT
        f.worker, r.kind, (r.at_ns - coalesce(k.skew_ns, 0)) // 3600000000000 * 3600000000000 AS hour_ns, r.at_ns,
        json_extract_string(r.detail, '$.path') AS path, json_extract_string(r.detail, '$.method') AS method,
        r.http_status, coalesce(r.tp_rank, 0) AS tp_rank, coalesce(r.dp_rank, 0) AS dp_rank,
        try_cast(json_extract_string(r.detail, '$.new_seq') AS BIGINT) AS new_seq,
        try_cast(json_extract_string(r.detail, '$.new_token') AS BIGINT) AS new_token
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    LEFT JOIN clock AS k ON k.worker = f.worker
    WHERE f.worker IS NOT NULL AND r.kind IN ('access', 'batch') AND r.at_ns IS NOT NULL
),

largest AS (SELECT worker, max(new_token) AS new_token FROM worker_line WHERE kind = 'batch' GROUP BY worker),

first_rank AS (SELECT worker, dp_rank, min(tp_rank) AS tp_rank FROM worker_line WHERE kind = 'batch' GROUP BY ALL),

warmed AS (
    -- warm-ups and health checks pass through batches too
    SELECT f.worker, (r.at_ns - coalesce(k.skew_ns, 0)) // 3600000000000 * 3600000000000 AS hour_ns, count(DISTINCT r.rid) AS requests
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    LEFT JOIN clock AS k ON k.worker = f.worker
    WHERE f.worker IS NOT NULL AND r.kind = 'warmup' AND r.at_ns IS NOT NULL
    GROUP BY ALL
),

expected AS (
    SELECT worker AS who, 'access lines' AS source, hour_ns, count(*) AS expected
    FROM worker_line
    WHERE kind = 'access' AND path LIKE '/v1/%' AND http_status = 200
    GROUP BY ALL
    UNION ALL
    SELECT w.worker, 'prefill batches', w.hour_ns, greatest(sum(w.new_seq)::BIGINT - coalesce(any_value(h.requests), 0), 0)
    FROM worker_line AS w
    INNER JOIN largest AS l ON l.worker = w.worker AND w.new_token < l.new_token
    INNER JOIN first_rank AS t ON t.worker = w.worker AND t.dp_rank = w.dp_rank AND t.tp_rank = w.tp_rank
    LEFT JOIN warmed AS h ON h.worker = w.worker AND h.hour_ns = w.hour_ns
    WHERE w.kind = 'batch'
    GROUP BY w.worker, w.hour_ns
    UNION ALL
    SELECT 'gateway', 'router requests', at_ns // 3600000000000 * 3600000000000, count(DISTINCT router_request_id)
    FROM record
    WHERE kind = 'router' AND phase = 'received' AND at_ns IS NOT NULL
    GROUP BY ALL
    UNION ALL
    SELECT 'gateway', 'its own access lines', NULL, count(*)
    FROM record
    WHERE kind = 'access' AND format = 'litellm_proxy_log' AND json_extract_string(detail, '$.path') LIKE '%/v1/%' AND http_status = 200
    HAVING count(*) > 0
),

answered AS (
    SELECT
        q.worker AS who, (q.received_ns - coalesce(k.skew_ns, 0)) // 3600000000000 * 3600000000000 AS hour_ns,
        count(DISTINCT q.received_ns // 100000000) AS expected
    FROM engine_request AS q
    LEFT JOIN clock AS k ON k.worker = q.worker
    WHERE
        q.has_finished AND NOT (q.aborted OR q.failed OR q.rejected OR q.gated OR q.transfer_failed)
        AND q.engine_id IN (
            SELECT unnest([decode_id, prefill_id]) FROM exchange WHERE delivered = 'yes' AND coalesce(client_outcome, 'ok') = 'ok'
        )
        AND (q.received_ns - coalesce(k.skew_ns, 0) - 2000000000) // 3600000000000
        = (q.finished_ns - coalesce(k.skew_ns, 0) + 2000000000) // 3600000000000
    GROUP BY ALL
),

posted AS (
    SELECT worker AS who, hour_ns, count(*) AS present
    FROM worker_line
    WHERE kind = 'access' AND method = 'POST'
    GROUP BY ALL
),

life AS (
    SELECT q.worker AS who, q.received_ns - coalesce(k.skew_ns, 0) AS from_ns, coalesce(q.finished_ns, q.received_ns) - coalesce(k.skew_ns, 0) AS to_ns
    FROM engine_request AS q
    LEFT JOIN clock AS k ON k.worker = q.worker
    WHERE q.worker IS NOT NULL
    UNION ALL
    SELECT 'gateway', received_ns, greatest(received_ns, coalesce(client_finished_ns, finished_ns, received_ns))
    FROM exchange
    WHERE client_id IS NOT NULL OR earlier_attempt
)

SELECT e.who, e.source, e.hour_ns, e.expected, least(count(l.from_ns), e.expected) AS present
FROM expected AS e
LEFT JOIN life AS l
    ON l.who = e.who AND (e.hour_ns IS NULL OR (l.from_ns - 2000000000 < e.hour_ns + 3600000000000 AND l.to_ns + 2000000000 >= e.hour_ns))
WHERE e.expected > 0
GROUP BY e.who, e.source, e.hour_ns, e.expected
UNION ALL
SELECT a.who, 'answered requests', a.hour_ns, a.expected, least(coalesce(p.present, 0), a.expected)
FROM answered AS a
LEFT JOIN posted AS p ON p.who = a.who AND p.hour_ns = a.hour_ns
WHERE a.who IN (SELECT who FROM posted)
ORDER BY who, source, hour_ns
