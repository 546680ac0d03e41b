-- question: What became of the requests that were over the prefill pool?
-- grain: one row
-- inputs: report_row
-- assumptions: customers and unresolved tenants only, as in the headline; total is counted apart from its parts, so that
--   an outcome without a name shows as a sum that does not add up
SELECT
    count(*) AS total,
    count(*) FILTER (WHERE over_pool = 'refused') AS refused,
    count(*) FILTER (WHERE over_pool = 'no_output') AS no_output,
    count(*) FILTER (WHERE over_pool = 'truncated') AS truncated,
    count(*) FILTER (WHERE over_pool = 'answered') AS answered
FROM report_row
WHERE headline AND over_pool IS NOT NULL
