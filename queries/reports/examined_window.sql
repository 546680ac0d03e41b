-- question: Which period do the examined exchanges span?
-- grain: one row
-- inputs: report_row
SELECT
    min(received_ns) AS first_ns,
    max(received_ns) AS last_ns
FROM report_row
