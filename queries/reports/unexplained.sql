-- question: Which responses hold another tenant's text that no mechanism examined explains?
-- grain: one row per (response, tenant of the source, placement), the heaviest first
-- inputs: unexplained_match, exchange
-- assumptions: none of these is in the headline; each awaits a person's look.
-- false positives: two tenants quoting a public text that nobody else quotes; one customer under two names.
SELECT
    x.request_id,
    u.tenant,
    u.source_tenant,
    u.placement,
    CASE WHEN bool_or(u.strength = 'confirmed') THEN 'confirmed' ELSE 'probable' END AS strength,
    count(*) AS passages,
    round(max(u.bits_milli) / 1000.0, 1) AS bits
FROM unexplained_match AS u
INNER JOIN exchange AS x ON x.exchange_id = u.exchange_id
WHERE u.placement != 'candidate'
GROUP BY x.exchange_id, x.request_id, u.tenant, u.source_tenant, u.placement
ORDER BY max(u.bits_milli) DESC, x.exchange_id, u.source_tenant, u.placement
