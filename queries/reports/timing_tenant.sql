-- question: Which tenants' first uses were as fast as cached ones, or came out of a cache by an engine's count?
-- grain: one row per (boundary, tenant)
-- inputs: timing_test, timing_excess
SELECT
    coalesce(t.boundary, 'tenants') AS boundary,
    coalesce(t.tenant, e.tenant) AS tenant,
    t.cold,
    t.warm,
    t.first,
    t.share_low_milli,
    t.share_likely_milli,
    t.share_high_milli,
    t.chance_milli,
    coalesce(e.excess, 0) AS excess
FROM (SELECT * FROM timing_test WHERE status = 'shared') AS t
FULL JOIN (SELECT tenant, count(*) AS excess FROM timing_excess WHERE sure GROUP BY tenant) AS e
    ON e.tenant = t.tenant AND t.boundary = 'tenants'
ORDER BY ALL
