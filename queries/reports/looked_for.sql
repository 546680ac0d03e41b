-- question: What did the search for each mechanism come to?
-- grain: one row per mechanism and status
-- inputs: suspicion
SELECT
    mechanism,
    status,
    reason,
    count(*) AS exchanges
FROM suspicion
GROUP BY ALL
ORDER BY mechanism, status, reason NULLS FIRST
