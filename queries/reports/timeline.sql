-- question: What happened when, as far as the logs show it?
-- grain: one row per event: the evidence's ends, starts of workers, first and last affected response of each mechanism
-- inputs: report_row, record, file
SELECT
    at_ns,
    what,
    subject
FROM (
    SELECT min(received_ns) AS at_ns, 'first exchange examined' AS what, NULL AS subject FROM report_row
    UNION ALL
    SELECT max(received_ns), 'last exchange examined', NULL FROM report_row
    UNION ALL
    SELECT min(received_ns), 'first affected response', mechanism FROM report_row WHERE integrity = 'affected' GROUP BY mechanism
    UNION ALL
    SELECT max(received_ns), 'last affected response', mechanism FROM report_row WHERE integrity = 'affected' GROUP BY mechanism
    UNION ALL
    SELECT min(r.at_ns), 'process start', f.worker
    FROM record AS r
    INNER JOIN file AS f ON f.file_id = r.file_id AND f.copy_of IS NULL
    WHERE r.kind = 'start'
    GROUP BY f.worker, r.at_ns
)
WHERE at_ns IS NOT NULL
ORDER BY at_ns, what, subject NULLS FIRST
