-- question: Which signs of use were found, of whom?
-- grain: one row per finding of a search
-- inputs: sign
SELECT
    sign, tenant, tenant_class, key, requests, first_ns, last_ns, detail, request_ids
FROM sign
ORDER BY ALL
