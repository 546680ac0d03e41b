-- question: What became of the requests that were over the prefill pool?
-- grain: one row
-- inputs: report_row
-- assumptions: requests of every class of tenant, unlike the affected responses; total is counted apart from its parts,
--   so that an outcome without a name shows as a sum that does not add up
SELECT
    count(*) AS total,
    count(*) FILTER (WHERE over_pool = 'refused') AS refused,
    count(*) FILTER (WHERE over_pool = 'no_output') AS no_output,
    count(*) FILTER (WHERE over_pool = 'truncated') AS truncated,
    count(*) FILTER (WHERE over_pool = 'answered') AS answered
FROM report_row
WHERE over_pool IS NOT NULL
