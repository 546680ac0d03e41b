-- question: Which tenants are there, of which class, and what is each one's part?
-- grain: one row per tenant with a name
-- inputs: report_row, report_told, report_possible
-- assumptions: a tenant has one class throughout; rows of unresolved tenants have nobody to write to
SELECT
    r.tenant,
    min(r.tenant_class) AS tenant_class,
    count(*) AS exchanges,
    count(*) FILTER (WHERE r.integrity = 'affected') AS affected,
    count(*) FILTER (WHERE r.integrity = 'undetermined') AS undetermined,
    r.tenant IN (SELECT source_tenant FROM report_told) AS is_source,
    r.tenant IN (SELECT tenant FROM report_possible) AS is_possible_source
FROM report_row AS r
WHERE r.tenant IS NOT NULL AND r.tenant_class <> 'unresolved'
GROUP BY r.tenant
ORDER BY r.tenant
