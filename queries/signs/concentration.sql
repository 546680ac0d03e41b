-- question: Did a few keys receive most of the affected responses?
-- grain: one row per (tenant, key)
-- inputs: sign_subject
-- sign: concentration
-- looks for: a key with at least three affected responses, a fifth or more of all of them, and five times its share of all requests
-- needs: lengths
-- false positives: the one tenant whose documents are long.
WITH counted AS (
    SELECT
        tenant, tenant_class, key, count(*) AS asked, count(*) FILTER (WHERE affected) AS received,
        min(received_ns) FILTER (WHERE affected) AS first_ns, max(received_ns) FILTER (WHERE affected) AS last_ns,
        list(request_id ORDER BY received_ns, exchange_id) FILTER (WHERE affected) AS request_ids
    FROM sign_subject
    GROUP BY tenant, tenant_class, key
),

total AS (SELECT *, sum(asked) OVER () AS all_asked, sum(received) OVER () AS all_received FROM counted)

SELECT
    tenant, tenant_class, key, received AS requests, first_ns, last_ns,
    received || ' of ' || all_received || ' affected responses, and ' || asked || ' of ' || all_asked || ' requests' AS detail, request_ids
FROM total
WHERE received >= 3 AND received * 5 >= all_received AND received * all_asked >= 5 * all_received * asked
