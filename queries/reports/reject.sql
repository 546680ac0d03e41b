-- question: Which records were not understood, and why?
-- grain: one row per file and reason
-- inputs: reject, file
SELECT
    f.path,
    j.reason,
    count(*) AS records,
    min(j.line) AS first_line
FROM reject AS j
INNER JOIN file AS f ON f.file_id = j.file_id AND f.copy_of IS NULL
GROUP BY ALL
ORDER BY f.path, j.reason
