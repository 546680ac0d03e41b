-- question: On which worker, between which starts, is a detector shown to have been on?
-- grain: one row per (worker, start)
-- inputs: record, file, worker_epoch
-- columns: told says that the worker's arguments were stated between these starts, so that what is not on is off
-- assumptions: the arguments that an engine prints at its start, or tells on /server_info, say it (formats.md A5). An answer
--   without a time speaks of a worker's only start, and of none where there were several.
WITH stated AS (
    SELECT
        f.worker, r.at_ns,
        try_cast(r.detail ->> 'kv_checksum' AS BOOLEAN) AS checksum,
        r.detail ->> 'kv_canary' AS canary,
        r.page_size, r.detail ->> 'kv_cache_dtype' AS kv_dtype
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.kind IN ('start', 'limits', 'note') AND r.format = 'sglang_server_info' AND f.worker IS NOT NULL
),

epoch AS (
    SELECT worker, start_ns, end_ns, count(*) FILTER (WHERE start_ns IS NOT NULL) OVER (PARTITION BY worker) AS starts
    FROM worker_epoch
)

SELECT
    e.worker, e.start_ns, e.end_ns, count(s.worker) > 0 AS told,
    coalesce(bool_and(s.checksum) FILTER (WHERE s.checksum IS NOT NULL), false) AS checksum,
    coalesce(bool_and(s.canary IN ('log', 'raise')) FILTER (WHERE s.canary IS NOT NULL), false) AS canary,
    CASE WHEN count(DISTINCT (s.page_size, s.kv_dtype)) = 1 THEN concat_ws('|', max(s.page_size), max(s.kv_dtype)) END AS layout
FROM epoch AS e
LEFT JOIN stated AS s
    ON
        s.worker = e.worker
        AND CASE
            WHEN s.at_ns IS NULL THEN e.starts <= 1
            ELSE s.at_ns >= coalesce(e.start_ns, -1) AND s.at_ns < e.end_ns
        END
GROUP BY e.worker, e.start_ns, e.end_ns
ORDER BY e.worker, e.start_ns NULLS FIRST
