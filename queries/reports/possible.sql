-- question: Which tenants may own what an affected response holds, where no one owner could be named?
-- grain: one row per affected response and tenant
-- inputs: report_row, possible_source, source
-- assumptions: those whose exchanges could not be searched to the end, and those who tie as the source
SELECT
    p.exchange_id,
    p.tenant
FROM possible_source AS p
INNER JOIN report_row AS r ON r.exchange_id = p.exchange_id AND r.integrity = 'affected'
UNION
SELECT
    s.exchange_id,
    s.source_tenant AS tenant
FROM source AS s
INNER JOIN report_row AS r ON r.exchange_id = s.exchange_id AND r.integrity = 'affected'
WHERE
    r.disclosure IN ('confirmed', 'probable')
    AND r.source_tenant IS NULL
    AND s.bits_milli = r.bits_milli
    AND s.strength IS NOT NULL
    AND s.source_tenant IS DISTINCT FROM r.tenant
ORDER BY exchange_id, tenant
