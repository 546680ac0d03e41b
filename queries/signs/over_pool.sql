-- question: Which tenants and keys sent requests over the pool, how many, and what became of them?
-- grain: one row per (tenant, key) with such a request
-- inputs: sign_subject
-- sign: over_pool
-- looks for: requests over the prefill pool, per tenant and key
-- needs: lengths
-- false positives: whoever works with long documents; a request over the pool is an ordinary one to its sender.
SELECT
    tenant, tenant_class, key, count(*) FILTER (WHERE over_pool IS NOT NULL) AS requests,
    min(received_ns) FILTER (WHERE over_pool IS NOT NULL) AS first_ns, max(received_ns) FILTER (WHERE over_pool IS NOT NULL) AS last_ns,
    requests || ' of ' || count(*) || ' requests were over the pool: '
    || count(*) FILTER (WHERE over_pool = 'answered') || ' answered, ' || count(*) FILTER (WHERE over_pool = 'refused') || ' refused, '
    || count(*) FILTER (WHERE over_pool = 'no_output') || ' ended before a byte, '
    || count(*) FILTER (WHERE over_pool = 'truncated') || ' truncated' AS detail,
    list(request_id ORDER BY received_ns, exchange_id) FILTER (WHERE over_pool IS NOT NULL) AS request_ids
FROM sign_subject
GROUP BY tenant, tenant_class, key
HAVING requests > 0
