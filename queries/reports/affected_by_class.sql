-- question: How many affected responses has each class of tenant?
-- grain: one row per class, those with none included
-- inputs: report_row
SELECT
    c.tenant_class,
    count(r.exchange_id) AS responses
FROM (
    SELECT unnest(['customer', 'internal', 'researcher', 'unresolved']) AS tenant_class
    UNION
    SELECT DISTINCT tenant_class FROM report_row
) AS c
LEFT JOIN report_row AS r ON r.integrity = 'affected' AND r.tenant_class = c.tenant_class
GROUP BY c.tenant_class
ORDER BY c.tenant_class
