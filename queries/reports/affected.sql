-- question: Which responses are affected?
-- grain: one row per affected response, of every class
-- inputs: report_row
SELECT *
FROM report_row
WHERE integrity = 'affected'
ORDER BY received_at NULLS LAST, request_id, exchange_id
