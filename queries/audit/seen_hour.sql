-- question: In which minutes of which hours did each worker's logs, and the gateway's, say anything?
-- grain: one row per (content, who, hour)
-- inputs: record, file, new_file
-- assumptions: a record counts for the worker that its file is declared to be of; what a client's side recorded counts
--   for `gateway`. minutes is a set of bits, one per minute, so that contents of one hour can be added up. A record that
--   a warm-up or a health check left shows that a log is whole, like any other.
WITH stamp AS (
    SELECT r.file_id, f.worker AS who, r.at_ns
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE f.worker IS NOT NULL
    UNION ALL
    SELECT r.file_id, 'gateway', coalesce(r.received_ns, r.at_ns)
    FROM record AS r
    WHERE r.kind = 'client'
)

SELECT
    s.file_id, s.who, s.at_ns // 3600000000000 AS hour, count(*) AS records,
    bit_or(1::BIGINT << (s.at_ns // 60000000000 % 60)::INTEGER) AS minutes
FROM stamp AS s
INNER JOIN new_file AS f ON f.file_id = s.file_id
WHERE s.at_ns IS NOT NULL
GROUP BY ALL
ORDER BY s.file_id, s.who, hour
