-- question: Of how many responses of each tenant is the integrity undetermined, and why?
-- grain: one row per tenant and reason
-- inputs: report_row
SELECT
    tenant,
    coalesce(integrity_reason, 'unknown') AS reason,
    count(*) AS responses
FROM report_row
WHERE integrity = 'undetermined' AND tenant IS NOT NULL AND tenant_class <> 'unresolved'
GROUP BY ALL
ORDER BY tenant, reason
