-- question: Which lines of the engines' own detectors, failed transfers and timed-out releases do the logs hold?
-- grain: one row per kind of record and worker
-- inputs: record, file
SELECT
    r.kind,
    f.worker,
    count(*) AS records,
    min(r.at_ns) AS first_ns,
    max(r.at_ns) AS last_ns
FROM record AS r
INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
WHERE r.kind IN ('detector', 'release', 'transfer', 'reject', 'gate', 'start')
GROUP BY ALL
ORDER BY r.kind, f.worker NULLS LAST
