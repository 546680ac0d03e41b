-- question: Which tenant does a record name, by the first of the declared rules that gives a name?
-- grain: one row per record that some rule names a tenant for
-- inputs: record, tenant_rule, tenant_alias
-- assumptions: rules are ordered; a value that a rule ignores (the alias of a shared key) names nobody.
WITH value AS (
    SELECT
        r.record_id, t.ordinal, t.name AS rule,
        trim(json_extract_string(r.identity, t.path)) AS value, t.pattern, t.ignored
    FROM record AS r
    INNER JOIN tenant_rule AS t ON t.format IS NULL OR t.format = r.format
    WHERE r.identity IS NOT NULL
),

named AS (
    SELECT
        record_id, ordinal, rule,
        CASE WHEN pattern IS NULL THEN value ELSE regexp_extract(value, pattern, 1) END AS name
    FROM value
    WHERE value IS NOT NULL AND value != '' AND NOT list_contains(ignored, value)
)

SELECT
    n.record_id, n.ordinal, n.rule, coalesce(a.tenant, n.name) AS tenant
FROM named AS n
LEFT JOIN tenant_alias AS a ON a.alias = n.name
WHERE n.name != ''
QUALIFY row_number() OVER (PARTITION BY n.record_id ORDER BY n.ordinal) = 1
ORDER BY n.record_id
