-- question: In how many responses of how many other tenants did each owner's text appear?
-- grain: one row per owner
-- inputs: report_told
-- assumptions: recipients without a known tenant count as one more at least
SELECT
    source_tenant AS tenant,
    count(DISTINCT exchange_id) AS responses,
    count(DISTINCT exchange_id) FILTER (WHERE strength = 'confirmed') AS confirmed,
    count(DISTINCT coalesce(CASE WHEN tenant_class <> 'unresolved' THEN tenant END, '')) AS recipients
FROM report_told
GROUP BY source_tenant
ORDER BY tenant
