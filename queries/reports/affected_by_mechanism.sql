-- question: How many affected responses has each mechanism that was looked for?
-- grain: one row per mechanism that was examined anywhere, those with none included
-- inputs: report_row, suspicion
-- assumptions: an affected response counts once, for its primary mechanism, so that the parts add up to the total
SELECT
    m.mechanism,
    count(r.exchange_id) AS responses
FROM (
    SELECT DISTINCT mechanism FROM suspicion WHERE status NOT IN ('not_examined', 'unrecorded')
    UNION
    SELECT coalesce(mechanism, 'unknown') AS mechanism FROM report_row WHERE counted
) AS m
LEFT JOIN report_row AS r ON r.counted AND coalesce(r.mechanism, 'unknown') = m.mechanism
GROUP BY m.mechanism
ORDER BY m.mechanism
