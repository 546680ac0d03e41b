-- question: Do records carry a salt of the prefix cache, and is one salt used by several tenants?
-- grain: one row: counts over all exchanges that an engine served
-- inputs: timing_use
-- assumptions: a salt is cache_salt or extra_key as a record shows it; most logs show none, which says nothing about the engine.
WITH by_salt AS (
    SELECT salt, count(DISTINCT tenant) AS tenants, count(*) AS exchanges
    FROM timing_use
    WHERE salt IS NOT NULL AND tenant_class != 'unresolved'
    GROUP BY salt
)

SELECT
    (SELECT count(*) FROM timing_use) AS exchanges,
    (SELECT count(salt) FROM timing_use) AS salted,
    count(*) AS salts,
    count(*) FILTER (WHERE tenants > 1) AS shared_salts,
    coalesce(max(tenants), 0) AS most_tenants
FROM by_salt
