-- question: How whole is each log in each stretch of time?
-- grain: one row per (log, stretch that something is known of); a log is a worker's file format, or the gateway's records
-- inputs: request_seen, silence; $bin_ns
-- assumptions: a stretch is silent where nothing was expected of the log and its worker's logs were all silent for most of it,
--   health checks included; a worker that is not asked for its health may have had nothing to do.
--   What any worker of a model should hold is shown only where some is missing.
WITH shown AS (
    SELECT who, source
    FROM request_seen
    GROUP BY ALL
    HAVING source != 'engine' OR count(*) > count(*) FILTER (present)
),

held AS (
    SELECT r.who, r.source, r.at_ns // $bin_ns * $bin_ns AS start_ns, count(*) AS expected, count(*) FILTER (r.present) AS present
    FROM request_seen AS r
    INNER JOIN shown AS s ON s.who = r.who AND s.source = r.source
    GROUP BY ALL
),

quiet AS (
    SELECT who, start_ns
    FROM (
        SELECT
            who, from_ns, to_ns,
            unnest(range(from_ns // $bin_ns * $bin_ns, to_ns + 1, $bin_ns::BIGINT)) AS start_ns
        FROM silence
        WHERE regular OR who = 'gateway'
    )
    GROUP BY ALL
    HAVING sum(least(to_ns, start_ns + $bin_ns) - greatest(from_ns, start_ns)) * 2 > $bin_ns
),

every AS (
    SELECT who, source, start_ns, expected, present FROM held
    UNION ALL
    SELECT s.who, s.source, q.start_ns, 0, 0
    FROM quiet AS q
    INNER JOIN shown AS s ON s.who = q.who
    WHERE NOT EXISTS (SELECT 1 FROM held AS h WHERE h.who = s.who AND h.source = s.source AND h.start_ns = q.start_ns)
)

SELECT
    who, source, start_ns, expected, present,
    CASE
        WHEN expected = 0 THEN 'silent'
        WHEN present = expected THEN 'whole'
        WHEN present * 2 >= expected THEN 'short'
        ELSE 'missing'
    END AS state
FROM every
ORDER BY who != 'gateway', who, source, start_ns
