-- question: Between which two starts of its process did a worker's pool live?
-- grain: one row per (worker, start); a worker whose log shows no start has one epoch without a known start
-- inputs: record, file, worker
-- assumptions: a limits line at process start marks the start, and so do lines that an SGLang process writes once, when it
--   is up, so that no start goes by for want of one line; lines within a minute belong to one start.
WITH starts AS (
    SELECT f.worker, r.at_ns, r.record_id
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE
        r.at_ns IS NOT NULL AND f.worker IS NOT NULL
        AND (
            r.kind IN ('start', 'limits')
            OR (
                r.kind = 'note' AND r.format = 'sglang_engine_log'
                AND regexp_matches(
                    json_extract_string(r.detail, '$.message'),
                    '^(The server is fired up and ready to roll|INFO: +(Started server process|Application startup complete|Uvicorn running on))'
                )
            )
        )
),

first_of_start AS (
    SELECT worker, at_ns, record_id
    FROM (
        SELECT *, lag(at_ns) OVER (PARTITION BY worker ORDER BY at_ns, record_id) AS before_ns
        FROM starts
    )
    WHERE before_ns IS NULL OR at_ns - before_ns > 60000000000
),

known AS (
    SELECT
        worker, at_ns AS start_ns,
        lead(at_ns) OVER (PARTITION BY worker ORDER BY at_ns, record_id) AS end_ns, record_id
    FROM first_of_start
)

SELECT worker, start_ns, coalesce(end_ns, 9223372036854775807) AS end_ns, record_id FROM known
UNION ALL
-- what a log shows before its first start line ran in a process whose start is not known
SELECT w.worker, NULL, coalesce((SELECT min(k.start_ns) FROM known AS k WHERE k.worker = w.worker), 9223372036854775807), NULL
FROM worker AS w
ORDER BY ALL
