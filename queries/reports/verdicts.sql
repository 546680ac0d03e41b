-- question: What is the verdict on each exchange?
-- grain: one row per exchange
-- inputs: report_row
SELECT *
FROM report_row
ORDER BY received_at NULLS LAST, request_id, exchange_id
