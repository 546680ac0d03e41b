-- question: between which full hours do the client records lie?
-- grain: one row
-- inputs: record
-- assumptions: without client records, those of engines serve, as far as their stamps are epoch times
WITH moment AS (
    SELECT received_ns AS ns, kind = 'client' AS is_client FROM record WHERE received_ns IS NOT NULL AND kind IN ('client', 'engine')
    UNION ALL
    SELECT at_ns, TRUE FROM record WHERE received_ns IS NULL AND at_ns IS NOT NULL AND kind = 'client' AND phase = 'whole'
    UNION ALL
    SELECT finished_ns, kind = 'client' FROM record WHERE finished_ns IS NOT NULL AND kind IN ('client', 'engine')
),
chosen AS (
    SELECT ns FROM moment WHERE is_client OR NOT EXISTS (SELECT 1 FROM moment WHERE is_client)
)
SELECT
    strftime(make_timestamp_ns(min(ns) // 3600000000000 * 3600000000000), '%Y-%m-%dT%H:%M:%SZ') AS first,
    strftime(make_timestamp_ns((max(ns) // 3600000000000 + 1) * 3600000000000), '%Y-%m-%dT%H:%M:%SZ') AS last
FROM chosen
