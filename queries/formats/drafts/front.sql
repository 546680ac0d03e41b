-- question: which folders hold what gateways, routers and clients wrote?
-- grain: one row per folder and role; `alone` where another role's files lie in the same folder
-- inputs: file
-- assumptions: formats are written by one kind of program only
WITH fronted AS (
    SELECT path, format,
           CASE
               WHEN regexp_matches(format, '^(litellm|azure_apim|bedrock|cloudflare|helicone)_') THEN 'gateway'
               WHEN regexp_matches(format, '^(router_smg|envoy_access|dynamo|sglang_mini_lb)') THEN 'router'
               WHEN regexp_matches(format, '^(otlp|sse|http|openai|langfuse)_') THEN 'client'
           END AS role,
           regexp_replace(regexp_extract(path, '^(.*)/[^/]*$', 1), '^[^/]*/', '') AS folder
    FROM file
)
SELECT folder, role, min(path) AS path, min(format) AS format,
       folder = '' OR NOT contains(min(path), '/') OR count(DISTINCT role) OVER (PARTITION BY folder) > 1 AS alone
FROM fronted
WHERE role IS NOT NULL
GROUP BY folder, role
ORDER BY folder, role
