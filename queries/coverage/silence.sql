-- question: When was a worker's log, or the gateway's, silent for so long that it may be missing there?
-- grain: one row per (who, interval)
-- inputs: record, file
-- assumptions: silence longer than $silence_ns between two records, or between the evidence's edge and the first or last
--   record, counts as missing. Counters in the logs themselves would say it better.
WITH span AS (
    SELECT min(coalesce(received_ns, at_ns)) AS from_ns, max(coalesce(finished_ns, at_ns)) AS to_ns
    FROM record
    WHERE kind IN ('client', 'engine')
),

stamp AS (
    SELECT DISTINCT f.worker AS who, r.at_ns
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id
    WHERE f.worker IS NOT NULL AND r.at_ns IS NOT NULL
    UNION
    SELECT 'gateway', coalesce(r.received_ns, r.at_ns)
    FROM record AS r
    WHERE r.kind = 'client' AND r.call_id IS NOT NULL AND coalesce(r.received_ns, r.at_ns) IS NOT NULL
    UNION
    SELECT who.who, edge.ns
    FROM (SELECT DISTINCT worker AS who FROM file WHERE worker IS NOT NULL UNION SELECT 'gateway') AS who
    CROSS JOIN (SELECT from_ns AS ns FROM span UNION SELECT to_ns FROM span) AS edge
    WHERE edge.ns IS NOT NULL
),

step AS (
    SELECT who, at_ns AS from_ns, lead(at_ns) OVER (PARTITION BY who ORDER BY at_ns) AS to_ns FROM stamp
)

SELECT who, from_ns, to_ns
FROM step
WHERE to_ns - from_ns > $silence_ns
ORDER BY who, from_ns
