-- question: which folders hold what gateways, routers and clients wrote?
-- grain: one row per folder and role; `alone` where another role's files lie in the same folder
-- inputs: file
-- assumptions: formats are written by one kind of program only
WITH fronted AS (
    SELECT path, format,
           CASE
               WHEN format IN ('litellm_payload', 'litellm_proxy_log') THEN 'gateway'
               WHEN format LIKE 'router_smg%' THEN 'router'
               WHEN format IN ('otlp_genai', 'sse_stream', 'http_headers', 'openai_request') THEN 'client'
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
