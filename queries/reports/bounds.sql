-- question: Between which two numbers does the count of affected responses lie, as far as these records go?
-- grain: one row
-- inputs: report_row, suspicion
-- columns: certain are affected; possible adds those whose integrity is undetermined. at_risk are those of them that are
--   delivered or may have been, with a mechanism that is established or possible; unrecorded are those of which nothing is
--   open but what an engine's own line would tell, in a log that is not held
-- assumptions: customers and unresolved tenants, as in the headline; a response that no record shows is in neither
SELECT
    count(*) FILTER (WHERE counted) AS certain,
    count(*) FILTER (WHERE headline AND integrity IN ('affected', 'undetermined')) AS possible,
    count(*) FILTER (
        WHERE headline AND integrity != 'not_affected' AND delivered != 'no'
        AND exchange_id IN (SELECT exchange_id FROM suspicion WHERE status IN ('established', 'possible'))
    ) AS at_risk,
    count(*) FILTER (
        WHERE headline AND integrity = 'undetermined' AND delivered != 'no'
        AND exchange_id IN (SELECT exchange_id FROM suspicion WHERE status = 'unrecorded')
        AND exchange_id NOT IN (SELECT exchange_id FROM suspicion WHERE status IN ('established', 'possible', 'undetermined'))
    ) AS unrecorded
FROM report_row
