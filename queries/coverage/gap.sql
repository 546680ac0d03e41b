-- question: When may a log have missed something, and for what reason?
-- grain: one row per (who, source, interval)
-- inputs: request_seen, counted, silence, reject, file, record, exchange
-- assumptions: requests that a log lacks one after another are one hole, from the last request before that it holds to the
--   first one after. Where an hour has two holes or more, lines are lost here and there, and all of the hour counts. A log that
--   lacks requests in most hours of its time, and more than a tenth, is a sample; one that lacks everything up to its first
--   request was kept for too short a time. Of a file, a record that could not be read makes a hole between its neighbours.
--   A hole at the gateway is widened by its longest exchange, since a record is written when one ends.
WITH ordered AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY who, source ORDER BY at_ns, request)
        - row_number() OVER (PARTITION BY who, source, present ORDER BY at_ns, request) AS run,
        max(CASE WHEN present THEN at_ns END) OVER (PARTITION BY who, source ORDER BY at_ns, request) AS before_ns,
        min(CASE WHEN present THEN at_ns END)
            OVER (PARTITION BY who, source ORDER BY at_ns, request ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS after_ns,
        count(*) OVER (PARTITION BY who, source) AS expected,
        count(*) FILTER (NOT present) OVER (PARTITION BY who, source) AS missing,
        min(at_ns) OVER (PARTITION BY who, source) AS first_ns,
        max(at_ns) OVER (PARTITION BY who, source) AS last_ns
    FROM request_seen
),

hole AS (
    SELECT
        who, source, coalesce(min(before_ns), min(first_ns)) AS from_ns, coalesce(max(after_ns), max(last_ns)) AS to_ns, count(*) AS missing,
        min(before_ns) IS NULL AS is_first, any_value(expected) AS expected, any_value(ordered.missing) AS missing_in_all
    FROM ordered
    WHERE NOT present
    GROUP BY who, source, run
),

spread AS (
    SELECT
        who, source, count(*) AS hours, count(*) FILTER (missing > 0) AS short_hours
    FROM (
        SELECT who, source, at_ns // 3600000000000 AS hour, count(*) FILTER (NOT present) AS missing
        FROM request_seen
        GROUP BY ALL
        HAVING count(*) >= 5
    )
    GROUP BY who, source
),

reasoned AS (
    SELECT
        h.*,
        CASE
            WHEN h.missing_in_all < h.expected AND h.missing_in_all * 10 > h.expected AND s.hours >= 3 AND s.short_hours * 5 >= s.hours * 4
                THEN 'sampled_out'
            WHEN h.is_first AND h.missing >= 3 AND h.missing < h.expected THEN 'retention_expired'
            WHEN h.who = 'gateway' THEN 'client_record_missing'
            ELSE 'engine_log_missing'
        END AS reason
    FROM hole AS h
    LEFT JOIN spread AS s ON s.who = h.who AND s.source = h.source
),

lossy_hour AS (
    SELECT who, source, hour AS from_ns, hour + 3600000000000 AS to_ns, sum(missing)::BIGINT AS missing, min(reason) AS reason
    FROM (SELECT *, unnest([from_ns // 3600000000000, to_ns // 3600000000000]) * 3600000000000 AS hour FROM reasoned)
    GROUP BY ALL
    HAVING count(DISTINCT from_ns) >= 2
),

unread AS (
    SELECT
        coalesce(f.worker, 'gateway') AS who, f.format AS source,
        coalesce((
            SELECT max(r.at_ns) FROM record AS r
            WHERE r.file_id = j.file_id AND r.byte_offset < j.byte_offset AND r.at_ns IS NOT NULL
        ), f.first_ns) AS from_ns,
        coalesce((
            SELECT min(r.at_ns) FROM record AS r
            WHERE r.file_id = j.file_id AND r.byte_offset > j.byte_offset AND r.at_ns IS NOT NULL
        ), f.last_ns) AS to_ns
    FROM reject AS j
    INNER JOIN file AS f ON f.file_id = j.file_id AND f.copy_of IS NULL
    WHERE
        (f.worker IS NOT NULL OR f.file_id IN (SELECT file_id FROM record WHERE kind = 'client'))
        AND (j.reason != 'foreign_line' OR f.format NOT LIKE '%engine_log')
),

every AS (
    SELECT who, source, from_ns, to_ns, missing, reason, 'other logs' AS how FROM reasoned
    UNION ALL
    SELECT who, source, from_ns, to_ns, missing, reason, 'other logs, here and there in one hour' FROM lossy_hour
    UNION ALL
    SELECT
        who, 'requests', hour_ns, hour_ns + 3600000000000, expected - present,
        if(who = 'gateway', 'client_record_missing', 'engine_log_missing'), source
    FROM counted
    WHERE hour_ns IS NOT NULL AND expected > present
    UNION ALL
    SELECT
        c.who, 'requests', x.from_ns, x.to_ns, c.expected - c.present, if(c.who = 'gateway', 'client_record_missing', 'engine_log_missing'), c.source
    FROM counted AS c
    CROSS JOIN (SELECT min(received_ns) AS from_ns, max(received_ns) AS to_ns FROM exchange) AS x
    WHERE c.hour_ns IS NULL AND c.expected > c.present
    UNION ALL
    SELECT who, 'all its logs', from_ns, to_ns, NULL, if(who = 'gateway', 'client_record_missing', 'engine_log_missing'), 'silence' FROM silence
    UNION ALL
    SELECT who, source, least(from_ns, to_ns), greatest(from_ns, to_ns), count(*), 'parse_failed', 'records that could not be read'
    FROM unread
    GROUP BY ALL
)

SELECT who, source, how, reason, from_ns, to_ns, missing
FROM every
WHERE from_ns IS NOT NULL AND to_ns IS NOT NULL
ORDER BY ALL
