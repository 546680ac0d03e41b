-- question: From when to when does each source of logs speak, and where does it fall silent?
-- grain: one row per source (a worker, or else the role or format of its files) and unbroken stretch
-- inputs: record, file; $gap_ns
-- assumptions: a silence of no more than $gap_ns nanoseconds breaks nothing
WITH stamp AS (
    SELECT coalesce(f.worker, f.role, f.format) AS source, r.at_ns
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.at_ns IS NOT NULL
),

step AS (
    SELECT
        source,
        at_ns,
        coalesce(at_ns - lag(at_ns) OVER (PARTITION BY source ORDER BY at_ns) > $gap_ns, true) AS breaks
    FROM stamp
),

stretch AS (
    SELECT
        source,
        at_ns,
        count(*) FILTER (WHERE breaks) OVER (PARTITION BY source ORDER BY at_ns) AS number
    FROM step
)

SELECT
    source,
    min(at_ns) AS first_ns,
    max(at_ns) AS last_ns,
    count(*) AS records
FROM stretch
GROUP BY source, number
ORDER BY source, first_ns
