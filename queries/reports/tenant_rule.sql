-- question: Which rule named how many tenants and exchanges, and how many did none name?
-- grain: one row per rule, and one for what none names
-- inputs: exchange
SELECT
    coalesce(tenant_rule, 'no rule') AS rule, tenant_class, count(DISTINCT tenant) AS tenants, count(*) AS exchanges
FROM exchange
GROUP BY ALL
ORDER BY rule = 'no rule', exchanges DESC, rule, tenant_class
