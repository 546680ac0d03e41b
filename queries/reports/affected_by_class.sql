-- question: How many affected responses has each class of tenant?
-- grain: one row per class: those that can be declared, with none included, and unresolved where there is any
-- inputs: report_row
SELECT
    c.tenant_class,
    count(r.exchange_id) AS responses
FROM (
    SELECT unnest(['customer', 'internal', 'researcher']) AS tenant_class
    UNION
    SELECT tenant_class FROM report_row WHERE integrity = 'affected'
) AS c
LEFT JOIN report_row AS r ON r.integrity = 'affected' AND r.tenant_class = c.tenant_class
GROUP BY c.tenant_class
ORDER BY c.tenant_class
