-- question: How many answered over-pool prompts are certain, and how many more are possible where it is not known which prefill
--   worker, or under which limit, took them?
-- grain: one row
-- inputs: report_row, suspicion, exchange
-- assumptions: certain is what records establish: at or above the limit of every worker that could have taken it. Possible are
--   those between the lowest and the highest of their limits, and those above declared limits only. Others are undetermined
--   for want of counts or limits, and in neither figure.
SELECT
    count(*) FILTER (WHERE s.status = 'established') AS certain,
    count(*) FILTER (
        WHERE s.status = 'possible' OR (s.status = 'undetermined' AND s.reason = 'limits_unknown' AND s.detail LIKE '%between the limits%')
    ) AS possible_beyond,
    count(*) FILTER (WHERE s.status = 'undetermined' AND coalesce(s.detail, '') NOT LIKE '%between the limits%') AS not_known
FROM suspicion AS s
INNER JOIN report_row AS r ON r.exchange_id = s.exchange_id
INNER JOIN exchange AS x ON x.exchange_id = s.exchange_id
WHERE s.mechanism = 'over_pool' AND x.delivered = 'yes' AND r.tenant_class IN ('customer', 'unresolved')
