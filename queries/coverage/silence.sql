-- question: When was a worker's log, or the gateway's, silent for so long that it may be missing there?
-- grain: one row per (who, interval); regular where the log's own health checks should have broken the silence
-- inputs: record, file; $formats: only records of these formats, all where it is empty
-- assumptions: a worker that is asked for its health every m seconds is silent after one and a half m; any other log after
--   $silence_ns between two records, or between the evidence's edge and the first or last of them. A gateway only writes
--   when it is asked, so its silence counts only while every other log is silent too; what it lacks while others speak is
--   counted request by request (coverage/request_seen).
WITH span AS (
    SELECT min(coalesce(received_ns, at_ns)) AS from_ns, max(coalesce(finished_ns, at_ns)) AS to_ns
    FROM record
    WHERE kind IN ('client', 'engine')
),

spoken AS (
    SELECT
        f.worker, r.at_ns,
        r.kind = 'warmup' OR (r.kind = 'access' AND json_extract_string(r.detail, '$.method') = 'GET') AS asked_for_health
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id
    WHERE f.worker IS NOT NULL AND r.at_ns IS NOT NULL AND ($formats = []::VARCHAR[] OR list_contains($formats, r.format))
),

beat AS (
    SELECT worker, median(step_ns)::BIGINT AS beat_ns
    FROM (
        SELECT worker, at_ns - lag(at_ns) OVER (PARTITION BY worker ORDER BY at_ns) AS step_ns
        FROM spoken
        WHERE asked_for_health
    )
    WHERE step_ns > 5000000000
    GROUP BY worker
    HAVING count(*) >= 8
),

written AS (
    SELECT DISTINCT worker AS who, at_ns FROM spoken
    UNION
    SELECT 'gateway', coalesce(received_ns, at_ns)
    FROM record
    WHERE kind = 'client' AND call_id IS NOT NULL AND coalesce(received_ns, at_ns) IS NOT NULL
    UNION
    -- the empty name stands for all logs together
    SELECT '', coalesce(at_ns, received_ns)
    FROM record
    WHERE coalesce(at_ns, received_ns) IS NOT NULL
),

stamp AS (
    SELECT who, at_ns FROM written
    UNION
    SELECT who.who, edge.ns
    FROM (SELECT DISTINCT worker AS who FROM file WHERE worker IS NOT NULL UNION VALUES ('gateway'), ('')) AS who
    CROSS JOIN (SELECT from_ns AS ns FROM span UNION SELECT to_ns FROM span) AS edge
    WHERE edge.ns IS NOT NULL
),

step AS (
    SELECT who, at_ns AS from_ns, lead(at_ns) OVER (PARTITION BY who ORDER BY at_ns) AS to_ns FROM stamp
),

silent AS (
    SELECT s.who, s.from_ns, s.to_ns, b.beat_ns IS NOT NULL AS regular
    FROM step AS s
    LEFT JOIN beat AS b ON b.worker = s.who
    WHERE s.to_ns - s.from_ns > CASE WHEN b.beat_ns IS NULL THEN $silence_ns ELSE greatest(b.beat_ns * 3 // 2, 30000000000) END
)

SELECT who, from_ns, to_ns, regular FROM silent WHERE who NOT IN ('gateway', '')
UNION ALL
SELECT g.who, greatest(g.from_ns, a.from_ns) AS from_ns, least(g.to_ns, a.to_ns) AS to_ns, false AS regular
FROM silent AS g
INNER JOIN silent AS a ON a.who = '' AND a.from_ns < g.to_ns AND a.to_ns > g.from_ns
WHERE g.who = 'gateway'
ORDER BY who, from_ns
