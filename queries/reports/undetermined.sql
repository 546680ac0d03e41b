-- question: Of how many responses is the integrity undetermined, and why?
-- grain: one row per reason
-- inputs: report_row
-- assumptions: customers and unresolved tenants only, as in the headline
SELECT
    coalesce(integrity_reason, 'unknown') AS reason,
    count(*) AS responses
FROM report_row
WHERE headline AND integrity = 'undetermined'
GROUP BY ALL
ORDER BY reason
