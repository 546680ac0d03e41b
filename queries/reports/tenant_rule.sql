-- question: Which rule named how many tenants and exchanges, and how many did none name?
-- grain: one row per rule and class of tenant; an empty rule stands for what none names
-- inputs: exchange
WITH named AS (
    SELECT coalesce(tenant_rule, '') AS rule, tenant_class, tenant
    FROM exchange
)

SELECT rule, tenant_class, count(DISTINCT tenant) AS tenants, count(*) AS exchanges
FROM named
GROUP BY rule, tenant_class
ORDER BY rule = '', exchanges DESC, rule, tenant_class
