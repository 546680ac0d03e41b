-- question: Hour by hour, how many requests should each log hold, and how many does it?
-- grain: one row per (who, source, hour)
-- inputs: request_seen, counted
-- assumptions: counted_by says where the expected number comes from: requests that any other log knows, or a counter.
SELECT
    who, source, at_ns // 3600000000000 * 3600000000000 AS hour_ns, 'other logs' AS counted_by,
    count(*) AS expected, count(*) FILTER (present) AS present
FROM request_seen
GROUP BY ALL
UNION ALL
SELECT who, 'requests', hour_ns, source, expected, present
FROM counted
ORDER BY who, source, hour_ns NULLS FIRST
