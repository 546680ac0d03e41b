-- question: Which tenants may be one, since they sent the same rare sentences?
-- grain: one row per (proposal, tenant)
-- inputs: tenant_proposal, exchange
SELECT
    p.proposal, p.tenant, p.named, p.shared_bytes,
    (SELECT count(*) FROM exchange AS x WHERE x.tenant = p.tenant) AS exchanges
FROM tenant_proposal AS p
ORDER BY p.proposal, NOT p.named, p.tenant
