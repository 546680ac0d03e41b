-- question: What is known of the disclosure of the affected responses, and why?
-- grain: one row per disclosure and reason
-- inputs: report_row
SELECT
    disclosure,
    disclosure_reason AS reason,
    count(*) AS responses
FROM report_row
WHERE counted AND disclosure IS NOT NULL
GROUP BY ALL
ORDER BY disclosure, reason NULLS FIRST
