-- question: Which exchanges have a tenant that no rule names, and where are they known from?
-- grain: one row per unnamed tenant, which is one exchange or those that carry one id
-- inputs: exchange, verdict, exchange_record, record, tenant_proposal
SELECT
    x.tenant, count(DISTINCT x.exchange_id) AS exchanges,
    string_agg(DISTINCT replace(v.integrity, '_', ' '), ', ' ORDER BY replace(v.integrity, '_', ' ')) AS integrity,
    string_agg(DISTINCT r.format, ', ' ORDER BY r.format) AS formats,
    min(p.proposal) AS proposal
FROM exchange AS x
INNER JOIN verdict AS v ON v.exchange_id = x.exchange_id
LEFT JOIN exchange_record AS e ON e.exchange_id = x.exchange_id
LEFT JOIN record AS r ON r.record_id = e.record_id
LEFT JOIN tenant_proposal AS p ON p.tenant = x.tenant
WHERE x.tenant_class = 'unresolved'
GROUP BY x.tenant
ORDER BY x.tenant
